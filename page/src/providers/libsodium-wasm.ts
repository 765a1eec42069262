// libsodium-wrappers: libsodium as WebAssembly. Its wrappers copy each input into WebAssembly's memory and the output out of it, all within
// the call, as for every app.

import sodium from 'libsodium-wrappers';
import type { Bytes, Keyed, Offer } from './provider';

const some = (aad: Bytes) => (aad.length > 0 ? aad : null);

const KEYED: Record<string, (key: Bytes) => Keyed> = {
  'chacha20-poly1305': (key) => ({
    seal: (nonce, aad, message) => sodium.crypto_aead_chacha20poly1305_ietf_encrypt(message, some(aad), null, nonce, key) as Bytes,
    open: (nonce, aad, sealed) => sodium.crypto_aead_chacha20poly1305_ietf_decrypt(null, sealed, some(aad), nonce, key) as Bytes,
  }),
  'xchacha20-poly1305': (key) => ({
    seal: (nonce, aad, message) => sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(message, some(aad), null, nonce, key) as Bytes,
    open: (nonce, aad, sealed) => sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, sealed, some(aad), nonce, key) as Bytes,
  }),
  'aegis-256-32': (key) => ({
    seal: (nonce, aad, message) => sodium.crypto_aead_aegis256_encrypt(message, some(aad), null, nonce, key) as Bytes,
    open: (nonce, aad, sealed) => sodium.crypto_aead_aegis256_decrypt(null, sealed, some(aad), nonce, key) as Bytes,
  }),
};

/** What its wrappers say of a wrong tag. */
const WRONG_TAG = 'ciphertext cannot be decrypted using that key';

export const name = 'libsodium-wasm';

export async function offers(): Promise<Offer[]> {
  await sodium.ready;
  return Object.entries(KEYED).map(([algorithm, keyed]) => ({
    algorithm,
    forms: ['fresh'],
    version: sodium.SODIUM_VERSION_STRING,
    path: 'soft',
    // The library is bundled into this file.
    file: import.meta.url,
    setup: 'outside',
    awaits: false,
    keyed,
    rejects: (cause) => cause instanceof Error && cause.message === WRONG_TAG,
  }));
}
