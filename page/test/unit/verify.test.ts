import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { read } from '../../scripts/vectors.mjs';
import { Ciphers } from '../../src/providers/ciphers';
import * as libsodium from '../../src/providers/libsodium-wasm';
import * as noble from '../../src/providers/noble-ciphers';
import type { Bytes, Keyed, Modules, Offer } from '../../src/providers/provider';
import * as rustcrypto from '../../src/providers/rustcrypto-wasm';
import { stream } from '../../src/worker/contents';
import { verify } from '../../src/worker/verify';
import type { Vector } from '../../src/worker/verify';

const module = (name: string) => new WebAssembly.Module(readFileSync(new URL(`../../build/wasm/${name}`, import.meta.url)));
const modules: Modules = { ciphers: module('ciphers.wasm'), ciphersSimd: module('ciphers-simd.wasm') };
const vectors = (algorithm: string): Vector[] => read(algorithm);

const all: [string, () => Promise<Offer[]> | Offer[]][] = [
  ['rustcrypto-wasm', () => rustcrypto.offers(modules)],
  ['rustcrypto-wasm without vectors', () => rustcrypto.withoutSimd.offers(modules)],
  ['libsodium-wasm', () => libsodium.offers()],
  ['noble-ciphers', () => noble.offers()],
];

test.each(all)('%s gives the known answers and rejects forgeries', async (_, offers) => {
  for (const offer of await offers()) {
    const { tried, wrong } = await verify(offer, vectors(offer.algorithm));
    expect(wrong, offer.algorithm).toBeNull();
    expect(tried).toBeGreaterThan(10);
  }
});

/** An offer of AES-GCM whose calls go through something that breaks them. */
function broken(change: (keyed: Keyed) => Keyed): Offer {
  const offer = rustcrypto.offers(modules).find(({ algorithm }) => algorithm === 'aes-256-gcm') as Offer;
  return { ...offer, keyed: async (key) => change(await offer.keyed(key)) };
}

test.each<[string, (keyed: Keyed) => Keyed]>([
  [
    'a wrong byte',
    (keyed) => ({ ...keyed, seal: async (...call) => (await keyed.seal(...call)).map((byte, at) => (at === 3 ? byte ^ 4 : byte)) }),
  ],
  ['an output that is too short', (keyed) => ({ ...keyed, seal: async (...call) => (await keyed.seal(...call)).slice(1) })],
  ['aad that is ignored', (keyed) => ({ seal: (nonce, _, message) => keyed.seal(nonce, new Uint8Array(0), message), open: keyed.open })],
  [
    'a tag that is not checked',
    (keyed) => ({
      ...keyed,
      open: async (nonce, aad, sealed): Promise<Bytes> => {
        try {
          return await keyed.open(nonce, aad, sealed);
        } catch {
          return sealed.slice(0, -16);
        }
      },
    }),
  ],
])('%s is found', async (_, change) => {
  expect((await verify(broken(change), vectors('aes-256-gcm'))).wrong).not.toBeNull();
});

test('what no vector is of is not verified', async () => {
  expect(
    (
      await verify(
        broken((keyed) => keyed),
        [],
      )
    ).wrong,
  ).toBe('there is no vector of it');
});

test('contents are those of PROTOCOL.md', async () => {
  const ciphers = new Ciphers(modules.ciphers);
  const made = stream((input) => ciphers.sha256(input), 'key', 42, 5000);
  const first = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode('ciphermeter key 42 0')));
  expect(made.slice(0, 32)).toEqual(first);
  expect(made.slice(4093, 4125)).toEqual(first);
});
