// The timed loops: all that happens between two readings of the clock. Each
// takes its inputs once and returns a function of the first iteration's number
// and their count, which returns the last output. A call that fails throws out
// of it.

/** @typedef {(first: number, count: number) => any} Loop */

/**
 * The first 8 bytes of a nonce or a key: the iteration's number, little-endian where it is a sector's.
 *
 * @typedef {{ view: DataView, isSector: boolean }} Numbered
 */

/**
 * Sets the number. setUint32 takes numbers modulo 2^32.
 *
 * @param {Numbered} number
 * @param {number} i
 */
export function setNumber({ view, isSector }, i) {
  view.setUint32(isSector ? 4 : 0, i / 2 ** 32, isSector);
  view.setUint32(isSector ? 0 : 4, i, isSector);
}

/**
 * Seals or encrypts, under another nonce each time.
 *
 * @param {() => any} call
 * @param {Numbered} number
 * @returns {Loop}
 */
export function numbered(call, number) {
  return (first, count) => {
    let left;
    for (let i = first; i < first + count; i++) {
      setNumber(number, i);
      left = call();
    }
    return left;
  };
}

/**
 * Opens or decrypts the same again and again.
 *
 * @param {() => any} call
 * @returns {Loop}
 */
export function same(call) {
  return (first, count) => {
    let left;
    for (let i = first; i < first + count; i++) left = call();
    return left;
  };
}

/**
 * Opens or decrypts in place, after copying `sealed` back to `src`.
 *
 * @param {() => any} call
 * @param {Uint8Array} src
 * @param {Uint8Array} sealed
 * @returns {Loop}
 */
export function restored(call, src, sealed) {
  return (first, count) => {
    let left;
    for (let i = first; i < first + count; i++) {
      src.set(sealed);
      left = call();
    }
    return left;
  };
}

/**
 * `numbered` for calls that return promises: each is awaited before the next is made.
 *
 * @param {() => Promise<any>} call
 * @param {Numbered} number
 * @returns {Loop}
 */
export function numberedAwaited(call, number) {
  return async (first, count) => {
    let left;
    for (let i = first; i < first + count; i++) {
      setNumber(number, i);
      left = await call();
    }
    return left;
  };
}

/**
 * `same` for calls that return promises.
 *
 * @param {() => Promise<any>} call
 * @returns {Loop}
 */
export function sameAwaited(call) {
  return async (first, count) => {
    let left;
    for (let i = first; i < first + count; i++) left = await call();
    return left;
  };
}
