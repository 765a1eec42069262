// @noble/ciphers: plain JavaScript. A cipher object is for one message and
// expands the key within encrypt and decrypt, so key set-up is in every call.
// README, "Reuse array for input and output": the second argument is the buffer
// for the output, which may be the input's own.

import { readFileSync } from 'node:fs';
import { aessiv, cbc, ctr, gcm, gcmsiv } from '../build/node_modules/@noble/ciphers/aes.js';
import { chacha20, chacha20poly1305, xchacha20poly1305 } from '../build/node_modules/@noble/ciphers/chacha.js';

const FRESH = ['fresh'];
const ALL = ['in-place', 'into', 'fresh'];

/** The library treats no aad like an empty one, except for SIV, where an empty one is a component. */
const some = (aad) => (aad.length > 0 ? aad : undefined);

// The calls of each algorithm are written out, so that V8 optimises each
// separately, as it does for a user.
const CALLS = {
  'aes-128-gcm': {
    forms: FRESH,
    anyNonce: true,
    seal({ key, nonce, aad, src }) {
      const extra = some(aad);
      return () => gcm(key, nonce, extra).encrypt(src);
    },
    open({ key, nonce, aad, src }) {
      const extra = some(aad);
      return () => gcm(key, nonce, extra).decrypt(src);
    },
  },
  'aes-256-gcm': {
    forms: FRESH,
    anyNonce: true,
    seal({ key, nonce, aad, src }) {
      const extra = some(aad);
      return () => gcm(key, nonce, extra).encrypt(src);
    },
    open({ key, nonce, aad, src }) {
      const extra = some(aad);
      return () => gcm(key, nonce, extra).decrypt(src);
    },
  },
  'aes-256-gcm-siv': {
    forms: FRESH,
    seal({ key, nonce, aad, src }) {
      const extra = some(aad);
      return () => gcmsiv(key, nonce, extra).encrypt(src);
    },
    open({ key, nonce, aad, src }) {
      const extra = some(aad);
      return () => gcmsiv(key, nonce, extra).decrypt(src);
    },
  },
  'aes-256-siv': {
    forms: FRESH,
    anyNonce: true,
    seal({ key, nonce, aad, src }) {
      if (nonce.length > 0) return () => aessiv(key, aad, nonce).encrypt(src);
      return () => aessiv(key, aad).encrypt(src);
    },
    open({ key, nonce, aad, src }) {
      if (nonce.length > 0) return () => aessiv(key, aad, nonce).decrypt(src);
      return () => aessiv(key, aad).decrypt(src);
    },
  },
  'chacha20-poly1305': {
    forms: ALL,
    seal({ key, nonce, aad, src, dst }) {
      const extra = some(aad);
      return () => chacha20poly1305(key, nonce, extra).encrypt(src, dst);
    },
    open({ key, nonce, aad, src, dst }) {
      const extra = some(aad);
      return () => chacha20poly1305(key, nonce, extra).decrypt(src, dst);
    },
  },
  'xchacha20-poly1305': {
    forms: ALL,
    seal({ key, nonce, aad, src, dst }) {
      const extra = some(aad);
      return () => xchacha20poly1305(key, nonce, extra).encrypt(src, dst);
    },
    open({ key, nonce, aad, src, dst }) {
      const extra = some(aad);
      return () => xchacha20poly1305(key, nonce, extra).decrypt(src, dst);
    },
  },
  'aes-256-ctr': {
    forms: ALL,
    alignment: 4, // it refuses an output elsewhere
    seal({ key, nonce, src, dst }) {
      return () => ctr(key, nonce).encrypt(src, dst);
    },
    open({ key, nonce, src, dst }) {
      return () => ctr(key, nonce).decrypt(src, dst);
    },
  },
  'aes-256-cbc': {
    forms: ALL,
    alignment: 4, // it refuses an output elsewhere
    seal({ key, nonce, src, dst }) {
      return () => cbc(key, nonce).encrypt(src, dst);
    },
    open({ key, nonce, src, dst }) {
      return () => cbc(key, nonce).decrypt(src, dst);
    },
  },
  chacha20: {
    forms: ALL,
    seal({ key, nonce, src, dst }) {
      return () => chacha20(key, nonce, src, dst);
    },
    open({ key, nonce, src, dst }) {
      return () => chacha20(key, nonce, src, dst);
    },
  },
};

export function offers() {
  const manifest = new URL('../build/node_modules/@noble/ciphers/package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  return Object.entries(CALLS).map(([algorithm, calls]) => ({
    version,
    algorithm,
    path: 'soft',
    copies: 1, // SIV joins its pieces
    ...calls,
    rejects,
  }));
}

/** It throws a plain Error for bad tags and padding, and a TypeError or RangeError for wrong use. */
function rejects(cause) {
  return cause instanceof Error && Object.getPrototypeOf(cause) === Error.prototype;
}
