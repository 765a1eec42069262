// The timed loops: all that happens between two readings of the clock. Each
// takes its inputs once and returns a function of the first iteration's number
// and their count, which returns the last output. A call that fails throws out
// of it.

/** @typedef {(first: number, count: number) => any} Loop */

/**
 * Sets a nonce's or a key's first 8 bytes to the iteration's number, big-endian. setUint32 takes numbers modulo 2^32.
 *
 * @param {DataView} number
 * @param {number} i
 */
export function setNumber(number, i) {
  number.setUint32(0, i / 2 ** 32);
  number.setUint32(4, i);
}

/**
 * Seals or encrypts, under another nonce each time.
 *
 * @param {() => any} call
 * @param {DataView} number
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
 * @param {DataView} number
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
