// Web Cryptography, the browser's own native code. A key is imported once; each call is a job of the browser, and returns a promise.

import { exactBrowser } from '../browser';
import type { Bytes, Keyed, Offer } from './provider';

const NAMES = { 'aes-256-gcm': 'AES-GCM', 'chacha20-poly1305': 'ChaCha20-Poly1305' };

function keyed(key: CryptoKey, name: string): Keyed {
  // Parameters are made for each message, because they hold its nonce. The members' names are those of the Web Cryptography API.
  const parameters = (iv: Bytes, aad: Bytes) => (aad.length > 0 ? { name, iv, additionalData: aad } : { name, iv });
  const { subtle } = crypto;
  return {
    seal: async (nonce, aad, message) => new Uint8Array(await subtle.encrypt(parameters(nonce, aad), key, message)),
    open: async (nonce, aad, sealed) => new Uint8Array(await subtle.decrypt(parameters(nonce, aad), key, sealed)),
  };
}

/** The raw format of keys has another name for the algorithms that came later. */
async function imported(name: string, key: Bytes): Promise<CryptoKey> {
  const format = name === 'AES-GCM' ? 'raw' : 'raw-secret';
  return crypto.subtle.importKey(format as 'raw', key, name, false, ['encrypt', 'decrypt']);
}

export const name = 'webcrypto';

export async function offers(): Promise<Offer[]> {
  if (globalThis.crypto?.subtle === undefined) {
    throw new Error('the page was not opened over HTTPS or from this machine, so the browser has no Web Cryptography; use HTTPS');
  }
  const [found, version] = [[] as Offer[], await exactBrowser()];
  for (const [algorithm, own] of Object.entries(NAMES)) {
    try {
      await imported(own, new Uint8Array(32));
    } catch {
      continue; // this browser does not have it
    }
    found.push({
      algorithm,
      forms: ['fresh', 'batch'],
      version,
      path: 'unknown',
      file: null,
      setup: 'outside',
      awaits: true,
      keyed: async (key) => keyed(await imported(own, key), own),
      rejects: (cause) => cause instanceof DOMException && cause.name === 'OperationError',
    });
  }
  return found;
}
