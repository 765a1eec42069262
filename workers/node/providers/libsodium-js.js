// libsodium-wrappers-sumo: libsodium as WebAssembly, with its JavaScript
// wrappers, which copy each input into WebAssembly's memory and the output out
// of it: all within the call, as for every user. The key is passed with each
// message.

import { readFileSync } from 'node:fs';
import sodium from '../build/node_modules/libsodium-wrappers-sumo/dist/modules-sumo-esm/libsodium-wrappers.mjs';

/**
 * The library's memory ends at 2 GiB, and contains input and output at once. A
 * call that does not fit would not only fail: the wrappers would then never
 * free what they copied in.
 */
const MOST = {
  message: 960 * 2 ** 20,
  why: "libsodium's WebAssembly memory ends at 2 GiB and must hold input and output; nothing can raise that",
};

const some = (aad) => (aad.length > 0 ? aad : null);

const CALLS = {
  'chacha20-poly1305': {
    seal({ key, nonce, aad, src }) {
      const extra = some(aad);
      return () => sodium.crypto_aead_chacha20poly1305_ietf_encrypt(src, extra, null, nonce, key);
    },
    open({ key, nonce, aad, src }) {
      const extra = some(aad);
      return () => sodium.crypto_aead_chacha20poly1305_ietf_decrypt(null, src, extra, nonce, key);
    },
  },
  'xchacha20-poly1305': {
    seal({ key, nonce, aad, src }) {
      const extra = some(aad);
      return () => sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(src, extra, null, nonce, key);
    },
    open({ key, nonce, aad, src }) {
      const extra = some(aad);
      return () => sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, src, extra, nonce, key);
    },
  },
  chacha20: {
    seal({ key, nonce, src }) {
      return () => sodium.crypto_stream_chacha20_ietf_xor(src, nonce, key);
    },
    open({ key, nonce, src }) {
      return () => sodium.crypto_stream_chacha20_ietf_xor(src, nonce, key);
    },
  },
};

export async function offers() {
  await sodium.ready;
  const manifest = new URL('../build/node_modules/libsodium-wrappers-sumo/package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  return Object.entries(CALLS).map(([algorithm, calls]) => ({
    version: `${version}, libsodium ${sodium.SODIUM_VERSION_STRING}`,
    algorithm,
    forms: ['fresh'],
    path: 'soft',
    copies: 2, // input and output within WebAssembly's memory
    most: MOST,
    ...calls,
    rejects: (cause) => cause?.message === 'ciphertext cannot be decrypted using that key',
  }));
}
