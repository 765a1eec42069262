// A prepared cell: its parameters, the memory that it needs, and the set-up of
// its buffers in an arena before each sample.

import { ALGORITHMS, openedBytes, pieces, ROOM, sealedBytes } from './algorithms.js';
import { Carver, roundUp } from './arena.js';
import { numbered, numberedAwaited, restored, same, sameAwaited, setNumber } from './loops.js';
import { fill, seedBlock, stream } from './stream.js';

/** Outputs of `fresh` that wait for the garbage collector: V8 frees large ones early. */
const GARBAGE = 3;

export class Cell {
  /**
   * @param {import('./algorithms.js').Offer} offer
   * @param {string} operation
   * @param {string} form
   * @param {{ message: number, aad: number, seed: number, offset: number }} parameters
   */
  constructor(offer, operation, form, { message, aad, seed, offset }) {
    this.offer = offer;
    this.operation = operation;
    this.form = form;
    this.message = message;
    this.aad = aad;
    this.seed = seed;
    this.offset = offset;
    /** The number of the last iteration; 0 is digest's. */
    this.last = 0;
    this.sizes = ALGORITHMS[offer.algorithm];
  }

  /** Creates what the samples of a cell share. */
  async setUp() {
    if (this.setsUpKeys) return;
    this.text = seedBlock('message', this.seed, this.message);
    this.aadText = seedBlock('aad', this.seed, this.aad);
    const raw = this.rawKey();
    this.key = this.offer.expand ? await this.offer.expand(raw) : raw;
  }

  rawKey() {
    return stream('key', this.seed, this.sizes.key);
  }

  get setsUpKeys() {
    return this.operation === 'key-setup';
  }

  get opens() {
    return this.operation === 'open' || this.operation === 'decrypt';
  }

  /** Whether an iteration works on the output of the one before it. */
  get chains() {
    return this.form === 'in-place' && !this.opens && !this.setsUpKeys;
  }

  /** Whether there is a second buffer of the message's size. */
  get pairs() {
    return this.opens || this.form === 'into';
  }

  /** The memory that the cell takes of an arena, in bytes. */
  get size() {
    if (this.setsUpKeys) return 0;
    const buffer = roundUp(this.message + ROOM);
    return this.offset + buffer + roundUp(this.aad) + (this.pairs ? buffer : 0);
  }

  /** The most memory that the cell may take, in bytes: the arena, a recomputed digest's, the library's own. */
  get need() {
    if (this.setsUpKeys) return 0;
    const fresh = this.form === 'fresh' ? GARBAGE : 0;
    return 2 * this.size + (fresh + this.offer.copies) * (this.message + ROOM);
  }

  /**
   * Sets up the cell's buffers in `memory` and returns the loop to time.
   *
   * @param {ArrayBuffer} memory of `size` bytes or more
   * @returns {Promise<import('./loops.js').Loop>}
   */
  async arm(memory) {
    const { offer } = this;
    if (this.setsUpKeys) {
      const key = this.rawKey();
      return (offer.awaits ? numberedAwaited : numbered)(() => offer.expand?.(key), new DataView(key.buffer));
    }
    const carver = new Carver(memory, this.offset);
    const one = carver.cut(this.message + ROOM);
    const other = this.pairs ? carver.cut(this.message + ROOM) : one;
    const aad = carver.cut(this.aad);
    fill(aad, this.aadText);
    const plain = one.subarray(0, this.message);
    fill(plain, this.text);

    // The number has 8 bytes even where the nonce has none.
    const number = new DataView(new ArrayBuffer(Math.max(8, this.sizes.nonce)));
    const nonce = new Uint8Array(number.buffer, 0, this.sizes.nonce);
    if (!this.sizes.counter) nonce.set(stream('nonce', this.seed, nonce.length));
    setNumber(number, 0);

    const job = { key: this.key, nonce, aad, src: plain };
    return this.opens ? this.#armOpen(job, one, other) : this.#armSeal(job, other, number);
  }

  /**
   * @param {import('./algorithms.js').Job} job
   * @param {Uint8Array} output the buffer for it, which may be the input's
   * @param {DataView} number
   */
  #armSeal(job, output, number) {
    // Whatever may contain an older output is cleared, so that it cannot pass
    // for this one.
    if (this.form === 'into') output.fill(0);
    const dst = this.#exactly(output, sealedBytes(this.offer.algorithm, this.message));
    return (this.offer.awaits ? numberedAwaited : numbered)(this.offer.seal({ ...job, dst }), number);
  }

  /**
   * @param {import('./algorithms.js').Job} job its input is still the message
   * @param {Uint8Array} output
   * @param {Uint8Array} input
   */
  async #armOpen(job, output, input) {
    const sealed = input.subarray(0, sealedBytes(this.offer.algorithm, this.message));
    let at = 0;
    for (const piece of pieces(await this.offer.seal(job)())) {
      sealed.set(piece, at);
      at += piece.length;
    }
    output.fill(0);
    const dst = this.#exactly(output, openedBytes(this.offer.algorithm, sealed.length));
    if (this.form !== 'in-place') {
      return (this.offer.awaits ? sameAwaited : same)(this.offer.open({ ...job, src: sealed, dst }));
    }
    const src = output.subarray(0, sealed.length);
    return restored(this.offer.open({ ...job, src, dst }), src, sealed);
  }

  /**
   * Where the library writes; undefined if it allocates.
   *
   * @param {Uint8Array} buffer
   * @param {number} length
   */
  #exactly(buffer, length) {
    return this.form === 'fresh' ? undefined : buffer.subarray(0, length);
  }
}
