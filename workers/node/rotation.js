// Cells whose calls go round several texts and keys, as a server's do: text and
// key of a call were last touched a whole round ago. Iteration i works on text
// i mod texts under key i mod keys.

import { ROOM } from './algorithms.js';
import { setNumber } from './loops.js';

export const MOST_TEXTS = 2 ** 20;
export const MOST_KEYS = 2 ** 16;

/** The bytes of a cache line, to which texts are aligned. */
const LINE = 64;

/** The most bytes that the objects of one text take beside the text itself, and those of one key. */
const TEXT_OBJECTS = 1024;
const KEY_OBJECTS = 8192;

/** With so many texts, their objects do not fit V8's young generation. */
const MANY = 2 ** 14;

/** How many texts and keys there are, and where the texts lie. */
export class Rotation {
  /**
   * @param {number} texts
   * @param {number} keys
   * @param {number} message in bytes
   */
  constructor(texts, keys, message) {
    this.texts = texts;
    this.keys = keys;
    /** The bytes of a buffer that belong to one text. */
    this.length = message + ROOM;
    // What lies behind a text is not what the next call works on, so no CPU can fetch it beforehand.
    this.places = shuffled(texts);
  }

  /** Whether calls go round anything. */
  get rotates() {
    return this.texts > 1 || this.keys > 1;
  }

  /** Calls after which each key has had its turn; 0 where there is one. */
  get round() {
    return this.keys > 1 ? this.keys : 0;
  }

  /** Whether V8 would move the texts' objects, or collect those of an earlier sample, in the midst of timed calls. */
  get unsettles() {
    return this.texts >= MANY;
  }

  /** The bytes from one text to the next. */
  get #stride() {
    return Math.ceil(this.length / LINE) * LINE;
  }

  /** What all texts take of a buffer, in bytes. */
  get room() {
    return this.texts > 1 ? this.texts * this.#stride : this.length;
  }

  /** What the objects of several texts and keys take, in bytes. */
  get objects() {
    return this.rotates ? TEXT_OBJECTS * this.texts + KEY_OBJECTS * this.keys : 0;
  }

  /**
   * The part of a buffer that belongs to one text.
   *
   * @param {Uint8Array} buffer
   * @param {number} text
   */
  part(buffer, text) {
    const at = this.places[text] * this.#stride;
    return buffer.subarray(at, at + this.length);
  }
}

/** The numbers below `n` in an order of chance. */
export function shuffled(/** @type {number} */ n) {
  const all = Uint32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const other = Math.floor(Math.random() * (i + 1));
    [all[i], all[other]] = [all[other], all[i]];
  }
  return all;
}

/** @typedef {import('./cell.js').Text} Text */
/** @typedef {import('./loops.js').Loop} Loop */

// The timed loops. Counters go round, because a remainder of large numbers is a
// division of floats.

/**
 * Seals or encrypts the next text under the next key, and another nonce, each time. An offer's call is for one text and
 * one key, of which there are too many pairs to keep a call for each: it is made here, as a server's handler would.
 *
 * @param {(job: import('./algorithms.js').Job) => () => any} seal
 * @param {import('./algorithms.js').Job} job
 * @param {import('./loops.js').Numbered} number
 * @param {Text[]} texts
 * @param {any[]} keys
 * @returns {Loop}
 */
export function numberedRound(seal, job, number, texts, keys) {
  return (first, count) => {
    let left;
    let text = first % texts.length;
    let key = first % keys.length;
    for (let i = first; i < first + count; i++) {
      setNumber(number, i);
      job.key = keys[key];
      job.src = texts[text].src;
      job.dst = texts[text].dst;
      left = seal(job)();
      text = text + 1 < texts.length ? text + 1 : 0;
      key = key + 1 < keys.length ? key + 1 : 0;
    }
    return left;
  };
}

/**
 * Opens or decrypts the next text each time, by a call of its own: a text has one key.
 *
 * @param {(() => any)[]} calls
 * @returns {Loop}
 */
export function sameRound(calls) {
  return (first, count) => {
    let left;
    let text = first % calls.length;
    for (let i = first; i < first + count; i++) {
      left = calls[text]();
      text = text + 1 < calls.length ? text + 1 : 0;
    }
    return left;
  };
}

/**
 * `sameRound` in place, after copying the sealed text back.
 *
 * @param {(() => any)[]} calls
 * @param {Text[]} texts
 * @returns {Loop}
 */
export function restoredRound(calls, texts) {
  return (first, count) => {
    let left;
    let text = first % calls.length;
    for (let i = first; i < first + count; i++) {
      texts[text].src.set(/** @type {Uint8Array} */ (texts[text].sealed));
      left = calls[text]();
      text = text + 1 < calls.length ? text + 1 : 0;
    }
    return left;
  };
}

/**
 * `numberedRound` for calls that return promises.
 *
 * @param {(job: import('./algorithms.js').Job) => () => Promise<any>} seal
 * @param {import('./algorithms.js').Job} job
 * @param {import('./loops.js').Numbered} number
 * @param {Text[]} texts
 * @param {any[]} keys
 * @returns {Loop}
 */
export function numberedRoundAwaited(seal, job, number, texts, keys) {
  return async (first, count) => {
    let left;
    let text = first % texts.length;
    let key = first % keys.length;
    for (let i = first; i < first + count; i++) {
      setNumber(number, i);
      job.key = keys[key];
      job.src = texts[text].src;
      job.dst = texts[text].dst;
      left = await seal(job)();
      text = text + 1 < texts.length ? text + 1 : 0;
      key = key + 1 < keys.length ? key + 1 : 0;
    }
    return left;
  };
}

/**
 * `sameRound` for calls that return promises.
 *
 * @param {(() => Promise<any>)[]} calls
 * @returns {Loop}
 */
export function sameRoundAwaited(calls) {
  return async (first, count) => {
    let left;
    let text = first % calls.length;
    for (let i = first; i < first + count; i++) {
      left = await calls[text]();
      text = text + 1 < calls.length ? text + 1 : 0;
    }
    return left;
  };
}
