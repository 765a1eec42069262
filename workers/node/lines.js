// Lines from raw bytes; the limit is enforced before anything is stored.

/** The longest line in bytes, the newline included, both ways. */
export const LINE = 65536;

const NEWLINE = 0x0a;
const BLANKS = new Set([0x20, 0x09, 0x0d]);

/**
 * The lines of a stream of bytes without their newline and without blank ones;
 * null for a line that is too long. The text after the last newline is a line,
 * too. A line is valid until the next is requested.
 *
 * @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} input
 * @returns {AsyncGenerator<Uint8Array | null>}
 */
export async function* lines(input) {
  const kept = new Uint8Array(LINE);
  let length = 0;
  let tooLong = false;
  const keep = (/** @type {Uint8Array} */ piece) => {
    // The newline, which is not stored, counts.
    tooLong ||= length + piece.length > LINE - 1;
    if (tooLong) return;
    kept.set(piece, length);
    length += piece.length;
  };
  const line = () => {
    const whole = kept.subarray(0, length);
    const result = tooLong ? null : whole;
    length = 0;
    tooLong = false;
    return result === null || whole.some((byte) => !BLANKS.has(byte)) ? { line: result } : undefined;
  };

  for await (const chunk of input) {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, to));
      from = to + 1;
      const whole = line();
      if (whole) yield whole.line;
    }
    keep(chunk.subarray(from));
  }
  const rest = line();
  if (rest) yield rest.line;
}
