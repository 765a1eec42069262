// The bytes that every worker derives in the same way from a label, a seed and
// a length, so that digests agree across languages. Source: PROTOCOL.md,
// "Seed".

import { createHash } from 'node:crypto';

/** A prime, so that no block size divides the repetition. */
const PERIOD = 4093;

/**
 * The part of a stream that is repeated: its first min(n, PERIOD) bytes.
 *
 * @param {string} label
 * @param {number} seed
 * @param {number} n
 */
export function seedBlock(label, seed, n) {
  const length = Math.min(n, PERIOD);
  const block = new Uint8Array(length);
  for (let i = 0, done = 0; done < length; i++) {
    const sum = createHash('sha256').update(`ciphermeter ${label} ${seed} ${i}`).digest();
    block.set(sum.subarray(0, length - done), done);
    done += sum.length;
  }
  return block;
}

/**
 * Repeats `block` over `dst`. A block shorter than `dst` is a whole period.
 *
 * @param {Uint8Array} dst
 * @param {Uint8Array} block
 */
export function fill(dst, block) {
  let done = Math.min(block.length, dst.length);
  dst.set(block.subarray(0, done));
  // Every copy but the last ends at a multiple of the period, so doubling keeps it.
  for (; done < dst.length; done *= 2) dst.copyWithin(done, 0, done);
}

/**
 * `n` bytes of the stream of `label` and `seed`.
 *
 * @param {string} label
 * @param {number} seed
 * @param {number} n
 */
export function stream(label, seed, n) {
  const out = new Uint8Array(n);
  fill(out, seedBlock(label, seed, n));
  return out;
}
