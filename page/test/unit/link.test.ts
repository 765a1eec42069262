import { deflateRawSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { linkTo, linked } from '../../src/link';
import type { Shown } from '../../src/view/result';

const SHOWN: Shown = {
  sentences: ['Use AES-256-GCM. It is faster at every size: 1.39× to 9.66×.'],
  wrong: [],
  table: [
    ['', 'message', 'AES-256-GCM', 'faster'],
    ['webcrypto', '1 KiB', '0.91', 'AES-256-GCM 2.1×'],
  ],
  ciphers: null,
  notes: ['A note that stays here.'],
  basis: '6 forks. Measured on Firefox 153 on Linux.',
};

beforeAll(() => {
  Object.assign(globalThis, { location: { origin: 'https://example.org', pathname: '/page/' } });
});

const fragment = (value: unknown) => `#answer=${deflateRawSync(JSON.stringify(value)).toString('base64url')}`;

test('a link carries sentences, table and basis, and nothing else', async () => {
  const link = await linkTo(SHOWN);
  expect(link.startsWith('https://example.org/page/#answer=')).toBe(true);
  expect(await linked(link.slice(link.indexOf('#')))).toEqual({ ...SHOWN, notes: [] });
});

test('another fragment is no link', async () => {
  expect(await linked('')).toBeNull();
  expect(await linked('#start')).toBeNull();
});

test.each<[string, string]>([
  ['no base64', '#answer=%%%'],
  ['nothing', '#answer='],
  ['not compressed', `#answer=${Buffer.from('[]').toString('base64url')}`],
  ['another value', fragment({ sentences: [] })],
  ['too few entries', fragment([[], [], []])],
  ['a number for a sentence', fragment([[1], [], [], ''])],
  ['nested lists', fragment([[], [], [[['a']]], ''])],
  ['a sentence that is too long', fragment([['a'.repeat(1001)], [], [], ''])],
  ['too many sentences', fragment([Array(101).fill('a'), [], [], ''])],
  ['a row that is too long', fragment([[], [], [Array(13).fill('a')], ''])],
  ['characters that reorder others', fragment([['\u202eabc'], [], [], ''])],
  ['controls', fragment([['a\u0007'], [], [], ''])],
  ['a bomb', fragment([['a'], [], [], 'a'.repeat(5_000_000)])],
  ['a fragment that is too long', `#answer=${'A'.repeat(20_000)}`],
])('%s is refused in one sentence', async (_, text) => {
  await expect(linked(text)).rejects.toThrow('the link holds no answer that this page can read');
});
