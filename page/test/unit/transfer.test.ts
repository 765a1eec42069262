import { readFileSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const SITE = fileURLToPath(new URL('../../build/site/', import.meta.url));

test('the page with all of its files is at most 1.5 MB, compressed', () => {
  const files = readdirSync(SITE, { recursive: true, encoding: 'utf8' }).map((name) => SITE + name);
  const sizes = files.filter((file) => statSync(file).isFile()).map((file) => gzipSync(readFileSync(file)).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1_500_000);
});

test('the service worker knows every file of the page', () => {
  const service = readFileSync(`${SITE}service.js`, 'utf8');
  for (const name of readdirSync(`${SITE}assets`)) expect(service).toContain(`assets/${name}`);
});
