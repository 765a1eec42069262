// The bytes that every worker derives in the same way from a label, a seed and a length (PROTOCOL.md, "Seed" and "Iterations").

import type { Bytes } from '../providers/provider';

/** A prime, so that no block size divides the repetition. */
const PERIOD = 4093;

/** `length` bytes of the stream of `label` and `seed`. */
export function stream(sha256: (input: Bytes) => Bytes, label: string, seed: number, length: number): Bytes {
  const out = new Uint8Array(length);
  const period = Math.min(length, PERIOD);
  const encoder = new TextEncoder();
  for (let i = 0, done = 0; done < period; i += 1) {
    const sum = sha256(encoder.encode(`ciphermeter ${label} ${seed} ${i}`));
    out.set(sum.subarray(0, period - done), done);
    done += sum.length;
  }
  // Every copy but the last ends at a multiple of the period, so doubling keeps it.
  for (let done = period; done > 0 && done < length; done *= 2) out.copyWithin(done, 0, done);
  return out;
}

/** Makes a nonce that of iteration `i`: bytes 0 to 7 are its number, big-endian. */
export function number(nonce: Bytes, i: number): void {
  const view = new DataView(nonce.buffer, nonce.byteOffset);
  view.setUint32(0, Math.floor(i / 2 ** 32));
  view.setUint32(4, i >>> 0);
}
