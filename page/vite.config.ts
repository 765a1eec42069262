// Builds the page into build/site, `--mode test` one with simulated providers into build/test. What the page knows of the project it takes
// from the project's own files: vectors, versions, and where it may load from.

import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';
import { inline } from './scripts/inline.mjs';
import { offline } from './scripts/offline.mjs';
import { vectors } from './scripts/vectors.mjs';

const text = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

/** The version of a crate in the lock file. */
function crate(name: string): string {
  const version = new RegExp(`name = "${name}"\\nversion = "([^"]+)"`).exec(text('Cargo.lock'))?.[1];
  if (version === undefined) throw new Error(`page/Cargo.lock has no crate ${name}`);
  return `${name} ${version}`;
}

const noble = (JSON.parse(text('package-lock.json')) as { packages: Record<string, { version: string }> }).packages[
  'node_modules/@noble/ciphers'
];

export default defineConfig(({ mode }) => ({
  base: './',
  define: {
    __NOBLE__: JSON.stringify(noble?.version),
    __RUSTCRYPTO__: JSON.stringify({
      'aes-256-gcm': crate('aes-gcm'),
      'aes-256-gcm-siv': crate('aes-gcm-siv'),
      'chacha20-poly1305': crate('chacha20poly1305'),
      'xchacha20-poly1305': crate('chacha20poly1305'),
    }),
  },
  plugins: [vectors(), inline(), offline()],
  worker: { format: 'es' as const },
  build: {
    outDir: mode === 'test' ? 'build/test' : 'build/site',
    emptyOutDir: true,
    target: 'es2022',
    // Modules stay files: the policy lets nothing be loaded from a data address.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { index: 'index.html', service: 'src/offline/service.ts' },
      // A service worker serves what lies below it, and keeps its name.
      output: { entryFileNames: ({ name }) => (name === 'service' ? 'service.js' : 'assets/[name]-[hash].js') },
    },
  },
  test: { include: ['test/unit/**/*.test.ts'] },
}));
