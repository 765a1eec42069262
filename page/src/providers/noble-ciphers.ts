// @noble/ciphers, plain JavaScript. A cipher object is for one message, so the key is set up in every call.

import { gcm, gcmsiv } from '@noble/ciphers/aes.js';
import { chacha20poly1305, xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import type { Bytes, Keyed, Offer } from './provider';

const some = (aad: Bytes) => (aad.length > 0 ? aad : undefined);

// The calls of each algorithm are written out, so that a compiler optimises each separately, as it does for an app.
const KEYED: Record<string, (key: Bytes) => Keyed> = {
  'aes-256-gcm': (key) => ({
    seal: (nonce, aad, message) => gcm(key, nonce, some(aad)).encrypt(message) as Bytes,
    open: (nonce, aad, sealed) => gcm(key, nonce, some(aad)).decrypt(sealed) as Bytes,
  }),
  'chacha20-poly1305': (key) => ({
    seal: (nonce, aad, message) => chacha20poly1305(key, nonce, some(aad)).encrypt(message) as Bytes,
    open: (nonce, aad, sealed) => chacha20poly1305(key, nonce, some(aad)).decrypt(sealed) as Bytes,
  }),
  'xchacha20-poly1305': (key) => ({
    seal: (nonce, aad, message) => xchacha20poly1305(key, nonce, some(aad)).encrypt(message) as Bytes,
    open: (nonce, aad, sealed) => xchacha20poly1305(key, nonce, some(aad)).decrypt(sealed) as Bytes,
  }),
  'aes-256-gcm-siv': (key) => ({
    seal: (nonce, aad, message) => gcmsiv(key, nonce, some(aad)).encrypt(message) as Bytes,
    open: (nonce, aad, sealed) => gcmsiv(key, nonce, some(aad)).decrypt(sealed) as Bytes,
  }),
};

export const name = 'noble-ciphers';

export function offers(): Offer[] {
  return Object.entries(KEYED).map(([algorithm, keyed]) => ({
    algorithm,
    forms: ['fresh'],
    version: __NOBLE__,
    path: 'soft',
    // The library is bundled into this file.
    file: import.meta.url,
    setup: 'inside',
    awaits: false,
    keyed,
    // A plain Error stands for a wrong tag, a TypeError or RangeError for wrong use.
    rejects: (cause) => cause instanceof Error && Object.getPrototypeOf(cause) === Error.prototype,
  }));
}
