// The algorithms' sizes, from PROTOCOL.md's table, and the type of an offer.

import { Unsupported } from './message.js';

/**
 * The inputs of a provider's calls. `dst` is undefined for `fresh`; otherwise it is exactly as long as the output.
 *
 * @typedef {object} Job
 * @property {any} key the result of the offer's `expand`, or the raw key where it has none
 * @property {Uint8Array} nonce whose first bytes change from call to call
 * @property {Uint8Array} aad
 * @property {Uint8Array} src
 * @property {Uint8Array} [dst]
 */

/**
 * The result of a call: the output, its pieces in order where the library
 * returns it in pieces, or a promise of one of these where the offer `awaits`.
 *
 * @typedef {Uint8Array | ArrayBuffer | Uint8Array[]} Output
 */

/**
 * @typedef {object} Offer
 * @property {string} provider
 * @property {string} version
 * @property {string} algorithm
 * @property {string[]} forms
 * @property {string} path
 * @property {(job: Job) => () => any} seal seal or encrypt: prepares the call that the timed loop repeats
 * @property {(job: Job) => () => any} open open or decrypt
 * @property {(key: Uint8Array) => any} [expand] sets up the key; undefined where every call does it
 * @property {boolean} [awaits] whether calls return promises
 * @property {boolean} [anyNonce] whether the library takes nonces of other sizes too
 * @property {number} [alignment] of buffers, in bytes, where the library refuses others
 * @property {number} copies how many buffers of the message's size the library keeps meanwhile, the output aside
 * @property {{ message: number, why: string }} [most] the longest message in bytes, and the reason
 * @property {(cause: any) => boolean} rejects whether a thrown error means that the input is forged or badly padded
 */

/** The most that is added to a message: a tag, or the padding of CBC. */
export const ROOM = 16;

/**
 * Sizes in bytes. `counter`: the nonce is zero from byte 8 on. `pads`: the output is whole blocks. `sectors`: the
 * messages are whole blocks, and the nonce is the sector's number, little-endian.
 */
export const ALGORITHMS = {
  'aes-128-gcm': { key: 16, nonce: 12, tag: 16 },
  'aes-256-gcm': { key: 32, nonce: 12, tag: 16 },
  'aes-256-gcm-siv': { key: 32, nonce: 12, tag: 16 },
  'aes-256-siv': { key: 64, nonce: 0, tag: 16 },
  'aes-256-ocb': { key: 32, nonce: 12, tag: 16 },
  'aes-128-ccm': { key: 16, nonce: 12, tag: 16 },
  'aes-256-ccm': { key: 32, nonce: 12, tag: 16 },
  'aes-128-ccm-8': { key: 16, nonce: 12, tag: 8 },
  'aes-256-ccm-8': { key: 32, nonce: 12, tag: 8 },
  'chacha20-poly1305': { key: 32, nonce: 12, tag: 16 },
  'xchacha20-poly1305': { key: 32, nonce: 24, tag: 16 },
  'aes-256-ctr': { key: 32, nonce: 16, tag: 0, counter: true },
  'aes-256-cbc': { key: 32, nonce: 16, tag: 0, pads: true },
  'aes-128-xts': { key: 32, nonce: 16, tag: 0, sectors: true },
  'aes-256-xts': { key: 64, nonce: 16, tag: 0, sectors: true },
  chacha20: { key: 32, nonce: 12, tag: 0 },
};

/** The length of the sealed text of that many bytes. */
export function sealedBytes(/** @type {string} */ algorithm, /** @type {number} */ message) {
  const { tag, pads } = ALGORITHMS[algorithm];
  return pads ? message - (message % 16) + 16 : message + tag;
}

/**
 * The length of the buffer that `open` or `decrypt` needs for its output: padding is removed after decryption only.
 *
 * @param {string} algorithm
 * @param {number} sealed
 */
export function openedBytes(algorithm, sealed) {
  return sealed - ALGORITHMS[algorithm].tag;
}

/** Throws for messages that are no sectors where the algorithm takes these alone. */
export function refuse(/** @type {string} */ algorithm, /** @type {number} */ message) {
  if (ALGORITHMS[algorithm].sectors && (message === 0 || message % 16 !== 0)) {
    throw new Unsupported(`${message} bytes; a sector of ${algorithm} has whole blocks of 16 bytes`);
  }
}

/** The operations of an offer, without undefined ones. */
export function operations(/** @type {Offer} */ offer) {
  const two = ALGORITHMS[offer.algorithm].tag > 0 ? ['seal', 'open'] : ['encrypt', 'decrypt'];
  return offer.expand ? ['key-setup', ...two] : two;
}

/**
 * An output's pieces, as bytes.
 *
 * @param {Output} output
 * @returns {Uint8Array[]}
 */
export function pieces(output) {
  const list = Array.isArray(output) ? output : [output];
  return list.map((piece) => (piece instanceof ArrayBuffer ? new Uint8Array(piece) : piece));
}
