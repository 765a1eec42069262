// Web Cryptography, as Node implements it on OpenSSL: each call is a job of
// Node's pool of threads, and its promise is awaited before the next call, as a
// user with one message must. The key is imported once.

import { openSSLPath } from '../paths.js';

const { subtle } = globalThis.crypto;

/** Parameters are created for each message, because they contain its nonce. */
const gcm = {
  seal({ key, nonce, aad, src }) {
    const additionalData = aad.length > 0 ? aad : undefined;
    return () => subtle.encrypt({ name: 'AES-GCM', iv: nonce, additionalData }, key, src);
  },
  open({ key, nonce, aad, src }) {
    const additionalData = aad.length > 0 ? aad : undefined;
    return () => subtle.decrypt({ name: 'AES-GCM', iv: nonce, additionalData }, key, src);
  },
};

const ctr = {
  // 128: the whole block counts.
  seal({ key, nonce, src }) {
    return () => subtle.encrypt({ name: 'AES-CTR', counter: nonce, length: 128 }, key, src);
  },
  open({ key, nonce, src }) {
    return () => subtle.decrypt({ name: 'AES-CTR', counter: nonce, length: 128 }, key, src);
  },
};

const cbc = {
  seal({ key, nonce, src }) {
    return () => subtle.encrypt({ name: 'AES-CBC', iv: nonce }, key, src);
  },
  open({ key, nonce, src }) {
    return () => subtle.decrypt({ name: 'AES-CBC', iv: nonce }, key, src);
  },
};

export function offers() {
  const calls = {
    'aes-128-gcm': { name: 'AES-GCM', anyNonce: true, ...gcm },
    'aes-256-gcm': { name: 'AES-GCM', anyNonce: true, ...gcm },
    'aes-256-ctr': { name: 'AES-CTR', ...ctr },
    'aes-256-cbc': { name: 'AES-CBC', ...cbc },
  };
  return Object.entries(calls).map(([algorithm, { name, seal, open, anyNonce }]) => ({
    version: `${process.versions.node}, OpenSSL ${process.versions.openssl}`,
    algorithm,
    forms: ['fresh'],
    path: openSSLPath(algorithm),
    seal,
    open,
    expand: (key) => subtle.importKey('raw', key, name, false, ['encrypt', 'decrypt']),
    awaits: true,
    anyNonce,
    copies: 1, // the input is copied for the pool's thread
    rejects: (cause) => cause?.name === 'OperationError',
  }));
}
