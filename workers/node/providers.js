// The providers of this worker. Only the requested ones are loaded: each is
// measured in its own process, with its own memory and start.

import { reason } from './message.js';

const LOADERS = {
  'node-crypto': () => import('./providers/node-crypto.js'),
  webcrypto: () => import('./providers/webcrypto.js'),
  'noble-ciphers': () => import('./providers/noble-ciphers.js'),
  'libsodium-js': () => import('./providers/libsodium-js.js'),
};

export const PROVIDERS = Object.keys(LOADERS);

/**
 * The offers of the named providers; those that cannot be measured here, with the reason.
 *
 * @param {string[]} names
 */
export async function load(names) {
  /** @type {import('./algorithms.js').Offer[]} */
  const offers = [];
  /** @type {{ provider: string, why: string }[]} */
  const absent = [];
  for (const provider of names) {
    try {
      const library = await LOADERS[provider]();
      for (const offer of await library.offers()) offers.push({ provider, ...offer });
    } catch (cause) {
      const missing = cause?.code === 'ERR_MODULE_NOT_FOUND';
      const why = missing ? 'its package is not installed; build the node worker' : `it can't be loaded: ${reason(cause)}`;
      absent.push({ provider, why });
    }
  }
  return { offers, absent };
}
