// A prepared cell: its parameters, the memory that it needs, and the set-up of
// its buffers in an arena before each sample.

import { ALGORITHMS, openedBytes, pieces, sealedBytes } from './algorithms.js';
import { Carver, PAGE, roundUp } from './arena.js';
import { numbered, numberedAwaited, restored, same, sameAwaited, setNumber } from './loops.js';
import {
  numberedRound,
  numberedRoundAwaited,
  restoredRound,
  Rotation,
  sameRound,
  sameRoundAwaited,
  shuffled,
} from './rotation.js';
import { fill, seedBlock, stream } from './stream.js';

/** Outputs of `fresh` that wait for the garbage collector: V8 frees large ones early. */
const GARBAGE = 3;

/** The bytes from the nonce to the aad: room for the longest nonce. */
const NONCE_ROOM = 32;

/** The most bytes that are allocated between two objects of keys, in either heap. */
const MOST_BETWEEN = 1024;

/**
 * @typedef {object} Parameters
 * @property {number} message in bytes, as the next two are
 * @property {number} aad
 * @property {number} offset
 * @property {number} seed
 * @property {number} instances how many objects of the key are made; samples say which they use
 * @property {number} texts
 * @property {number} keys
 */

/**
 * Where the calls of one text read, where they write (undefined if the library allocates), and what is copied back
 * before each that opens in place.
 *
 * @typedef {{ src: Uint8Array, dst: Uint8Array | undefined, sealed?: Uint8Array }} Text
 */

export class Cell {
  /** The number of the last iteration; 0 is digest's. */
  last = 0;
  /** How far the stack of the timed calls is moved, in bytes. */
  stack = 0;
  /** Which of the key's objects the timed calls use. */
  instance = 0;
  /** The key's objects, each elsewhere in the heap, or one of each key where these go round. */
  keys = [];
  /** What lies between them. */
  between = [];

  /**
   * @param {import('./algorithms.js').Offer} offer
   * @param {string} operation
   * @param {string} form
   * @param {Parameters} parameters
   */
  constructor(offer, operation, form, { message, aad, seed, offset, instances, texts, keys }) {
    this.offer = offer;
    this.operation = operation;
    this.form = form;
    this.message = message;
    this.aad = aad;
    this.seed = seed;
    this.offset = offset;
    this.nonceAt = offset;
    this.instances = instances;
    this.rotation = new Rotation(texts, keys, message);
    this.sizes = ALGORITHMS[offer.algorithm];
  }

  /** Creates what the samples of a cell share. */
  async setUp() {
    if (this.setsUpKeys) return;
    this.text = seedBlock('message', this.seed, this.message);
    this.aadText = seedBlock('aad', this.seed, this.aad);
    const { rotates, keys } = this.rotation;
    for (const place of shuffled(rotates ? keys : this.instances)) {
      const raw = this.rawKey(rotates ? place : 0);
      this.keys[place] = this.offer.expand ? await this.offer.expand(raw) : raw;
      const length = Math.floor(Math.random() * MOST_BETWEEN);
      // In V8's heap, 8 bytes an element, and outside, for what a library has there.
      this.between.push(new Array(Math.ceil(length / 8)), new Uint8Array(1 + length));
    }
  }

  /** Key 0, or another of several. */
  rawKey(number = 0) {
    return stream(number > 0 ? `key ${number}` : 'key', this.seed, this.sizes.key);
  }

  /** Has the stack, the buffers and the key lie there from the next sample on. */
  moveTo(/** @type {import('./layout.js').Layout} */ { stack, offset, nonce, instance }) {
    this.stack = stack;
    this.offset = offset;
    this.nonceAt = nonce;
    this.instance = instance % Math.max(this.keys.length, 1);
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

  /** What nonce and aad take of an arena, wherever in a page they lie. */
  get #beside() {
    return roundUp(PAGE + NONCE_ROOM + this.aad);
  }

  /** The memory that the cell takes of an arena, in bytes, wherever in its page it begins. */
  get size() {
    if (this.setsUpKeys) return 0;
    return this.#beside + PAGE + (this.pairs ? 2 : 1) * roundUp(this.rotation.room);
  }

  /** The most memory that the cell may take, in bytes: the arena, a recomputed digest's, the library's own. */
  get need() {
    if (this.setsUpKeys) return 0;
    const fresh = this.form === 'fresh' ? GARBAGE : 0;
    return 2 * this.size + (fresh + this.offer.copies) * this.rotation.length + this.rotation.objects;
  }

  /**
   * Sets up the cell's buffers in `memory` and returns the loop to time.
   *
   * @param {ArrayBuffer} memory of `size` bytes or more
   * @returns {Promise<import('./loops.js').Loop>}
   */
  async arm(memory) {
    const { offer, rotation } = this;
    if (this.setsUpKeys) {
      const key = this.rawKey();
      const number = { view: new DataView(key.buffer), isSector: false };
      return (offer.awaits ? numberedAwaited : numbered)(() => offer.expand?.(key), number);
    }
    const aad = new Uint8Array(memory, this.nonceAt + NONCE_ROOM, this.aad);
    fill(aad, this.aadText);
    // The number has 8 bytes even where the nonce has none.
    const view = new DataView(memory, this.nonceAt, Math.max(8, this.sizes.nonce));
    const number = { view, isSector: this.sizes.sectors === true };
    const nonce = new Uint8Array(memory, this.nonceAt, this.sizes.nonce);
    if (this.sizes.counter || this.sizes.sectors) nonce.fill(0);
    else nonce.set(stream('nonce', this.seed, nonce.length));
    setNumber(number, 0);

    const aligned = this.offset - (this.offset % (offer.alignment ?? 1));
    const carver = new Carver(memory, this.#beside + aligned);
    const one = carver.cut(rotation.room);
    const other = this.pairs ? carver.cut(rotation.room) : one;
    const job = { key: this.keys[this.instance], nonce, aad, src: one };
    return rotation.rotates ? this.#armRound(job, one, other, number) : this.#armOne(job, one, other, number);
  }

  /**
   * @param {import('./algorithms.js').Job} job
   * @param {Uint8Array} one the buffer of the message, or of what overwrites it
   * @param {Uint8Array} other the second one, or the same
   * @param {import('./loops.js').Numbered} number
   */
  async #armOne(job, one, other, number) {
    const { offer } = this;
    const { src, dst, sealed } = await this.#setUpText(job, one, other);
    if (!this.opens) return (offer.awaits ? numberedAwaited : numbered)(offer.seal({ ...job, src, dst }), number);
    const call = offer.open({ ...job, src, dst });
    return sealed ? restored(call, src, sealed) : (offer.awaits ? sameAwaited : same)(call);
  }

  /** The same for several texts and keys. */
  async #armRound(job, one, other, number) {
    const { offer, rotation, keys } = this;
    /** @type {Text[]} */
    const texts = new Array(rotation.texts);
    const calls = new Array(this.opens ? rotation.texts : 0);
    /** @type {Uint8Array[]} */
    const sealed = [];
    // In the order of the calls to come, so that each text was touched exactly a round before its turn.
    for (let i = this.last + 1; i <= this.last + rotation.texts; i++) {
      const [text, key] = [i % rotation.texts, i % keys.length];
      job.key = keys[key];
      texts[text] = await this.#setUpText(job, rotation.part(one, text), rotation.part(other, text), sealed[key]);
      if (!this.opens) continue;
      sealed[key] ??= texts[text].sealed ?? texts[text].src;
      calls[text] = offer.open({ ...job, src: texts[text].src, dst: texts[text].dst });
    }
    if (!this.opens) return (offer.awaits ? numberedRoundAwaited : numberedRound)(offer.seal, job, number, texts, keys);
    return this.form === 'in-place' ? restoredRound(calls, texts) : (offer.awaits ? sameRoundAwaited : sameRound)(calls);
  }

  /**
   * Sets up one text.
   *
   * @param {import('./algorithms.js').Job} job
   * @param {Uint8Array} one the message's buffer
   * @param {Uint8Array} other the second one, or the same
   * @param {Uint8Array} [before] what is opened, where it has been sealed already
   * @returns {Promise<Text>}
   */
  async #setUpText(job, one, other, before) {
    const plain = one.subarray(0, this.message);
    const length = sealedBytes(this.offer.algorithm, this.message);
    if (!this.opens) {
      fill(plain, this.text);
      // Whatever may contain an older output is cleared, so that it cannot pass
      // for this one.
      if (this.form === 'into') other.fill(0);
      return { src: plain, dst: this.#exactly(other, length) };
    }
    const sealed = other.subarray(0, length);
    if (before) {
      sealed.set(before);
    } else {
      fill(plain, this.text);
      let at = 0;
      for (const piece of pieces(await this.offer.seal({ ...job, src: plain })())) {
        sealed.set(piece, at);
        at += piece.length;
      }
    }
    one.fill(0);
    const dst = this.#exactly(one, openedBytes(this.offer.algorithm, length));
    return this.form === 'in-place' ? { src: one.subarray(0, length), dst, sealed } : { src: sealed, dst };
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
