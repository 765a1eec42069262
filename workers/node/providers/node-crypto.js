// node:crypto: OpenSSL behind createCipheriv. Each message has a cipher object
// of its own, which takes the raw key, so key set-up is in every call. The
// output comes in pieces, from update, final and getAuthTag; they need not be
// joined.

import { createCipheriv, createDecipheriv, getCipherInfo } from 'node:crypto';
import { ALGORITHMS } from '../algorithms.js';
import { openSSLPath } from '../paths.js';

/** OpenSSL's nonce of ChaCha20: 4 bytes of block counter, little-endian, before RFC 8439's 12. */
const COUNTER = 4;

/** OpenSSL's name of an algorithm: PROTOCOL.md's, but for the length of CCM's tag. */
const libraryName = (algorithm) => algorithm.replace(/-ccm-\d+$/, '-ccm');

/** @param {string} algorithm */
function aead(algorithm) {
  const name = libraryName(algorithm);
  const { tag: tagBytes } = ALGORITHMS[algorithm];
  // What these modes need to know beforehand. CCM must know the length of the text before the aad, too.
  const isCCM = name.endsWith('-ccm');
  const options = isCCM || name.endsWith('-ocb') ? { authTagLength: tagBytes } : undefined;
  const told = (text) => (isCCM ? { plaintextLength: text.length } : undefined);
  return {
    seal({ key, nonce, aad, src }) {
      const hasAAD = aad.length > 0;
      const lengths = told(src);
      return () => {
        const cipher = createCipheriv(name, key, nonce, options);
        if (hasAAD) cipher.setAAD(aad, lengths);
        return [cipher.update(src), cipher.final(), cipher.getAuthTag()];
      };
    },
    open({ key, nonce, aad, src }) {
      const hasAAD = aad.length > 0;
      const text = src.subarray(0, src.length - tagBytes);
      const tag = src.subarray(src.length - tagBytes);
      const lengths = told(text);
      return () => {
        const decipher = createDecipheriv(name, key, nonce, options);
        decipher.setAuthTag(tag);
        if (hasAAD) decipher.setAAD(aad, lengths);
        return [decipher.update(text), decipher.final()];
      };
    },
  };
}

/** @param {string} name */
function bare(name) {
  return {
    seal({ key, nonce, src }) {
      return () => {
        const cipher = createCipheriv(name, key, nonce);
        return [cipher.update(src), cipher.final()];
      };
    },
    open({ key, nonce, src }) {
      return () => {
        const decipher = createDecipheriv(name, key, nonce);
        return [decipher.update(src), decipher.final()];
      };
    },
  };
}

function chacha20() {
  // One for all calls, each of which writes its nonce there: where texts go round, each call is made anew.
  const iv = new Uint8Array(COUNTER + ALGORITHMS.chacha20.nonce);
  const cipher = (create) => {
    return ({ key, nonce, src }) => {
      return () => {
        iv.set(nonce, COUNTER);
        const stream = create('chacha20', key, iv);
        return [stream.update(src), stream.final()];
      };
    };
  };
  return { seal: cipher(createCipheriv), open: cipher(createDecipheriv) };
}

const AEADS = ['aes-256-ocb', 'aes-128-ccm', 'aes-256-ccm', 'aes-128-ccm-8', 'aes-256-ccm-8', 'chacha20-poly1305'];

/** The algorithms that this build of Node has: some lack ChaCha20. */
export function offers() {
  const calls = {
    'aes-128-gcm': { ...aead('aes-128-gcm'), anyNonce: true },
    'aes-256-gcm': { ...aead('aes-256-gcm'), anyNonce: true },
    ...Object.fromEntries(AEADS.map((algorithm) => [algorithm, aead(algorithm)])),
    'aes-256-ctr': bare('aes-256-ctr'),
    'aes-256-cbc': bare('aes-256-cbc'),
    'aes-128-xts': bare('aes-128-xts'),
    'aes-256-xts': bare('aes-256-xts'),
    chacha20: chacha20(),
  };
  return Object.entries(calls)
    .filter(([algorithm]) => getCipherInfo(libraryName(algorithm)) !== undefined)
    .map(([algorithm, { seal, open, anyNonce }]) => ({
      version: `${process.versions.node}, OpenSSL ${process.versions.openssl}`,
      algorithm,
      forms: ['fresh'],
      path: openSSLPath(algorithm),
      seal,
      open,
      anyNonce,
      copies: 0,
      rejects,
    }));
}

/** A bad tag has this message but no code in Node 20; bad padding has OpenSSL's code. */
function rejects(cause) {
  return cause?.message === 'Unsupported state or unable to authenticate data' || /^ERR_OSSL_/.test(cause?.code);
}
