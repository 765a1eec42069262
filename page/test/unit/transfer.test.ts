import { createHash } from 'node:crypto';
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

test('the first paint needs the page alone, and its button one script, which loads no other', () => {
  const page = readFileSync(`${SITE}index.html`, 'utf8');
  expect(page).not.toMatch(/<link [^>]*(stylesheet|preload)/);
  const scripts = [...page.matchAll(/<script [^>]*src="\.\/([^"]+)"/g)].map(([, name]) => readFileSync(SITE + name, 'utf8'));
  expect(scripts.length).toBe(1);
  expect(scripts[0]).not.toMatch(/^import\b[^(]/m);
  expect(gzipSync(page).length).toBeLessThanOrEqual(4_096);
  expect(gzipSync(scripts[0] as string).length).toBeLessThanOrEqual(8_192);
});

test('what is inline is allowed by its hash, and nothing else', () => {
  const page = readFileSync(`${SITE}index.html`, 'utf8');
  const allowed = [...page.matchAll(/'sha256-([^']+)'/g)].map(([, hash]) => hash);
  const inline = [...page.matchAll(/<(?:script|style)>(.*?)<\/(?:script|style)>/gs)].map(([, text]) => text as string);
  expect(allowed).toEqual(inline.map((text) => createHash('sha256').update(text).digest('base64')));
  expect(page).not.toContain("'unsafe-");
});

test('the service worker knows every file of the page', () => {
  const service = readFileSync(`${SITE}service.js`, 'utf8');
  for (const name of readdirSync(`${SITE}assets`)) expect(service).toContain(`assets/${name}`);
});
