// The arena: one page-aligned block of memory from which all cells take their
// buffers, so that no figure depends on where an allocator puts a buffer.
//
// It is the memory of a WebAssembly.Memory, though no WebAssembly runs in it:
// V8 gives that one pages of its own, while a large ArrayBuffer begins 16 bytes
// after a page's start. For the libraries it is an ArrayBuffer like any other.

import { collect } from './collect.js';

/** The alignment of buffers in bytes; a system's pages have this size or a multiple. */
export const PAGE = 4096;

/** The unit of WebAssembly's memory, in bytes. */
const UNIT = 65536;

/** The most bytes of an arena: WebAssembly's addresses have 32 bits. */
export const MOST_ARENA = 2 ** 32;

/** An arena larger than this is worth a collection when it is freed. */
const LARGE = 64 * 2 ** 20;

export class Arena {
  /** @type {WebAssembly.Memory | undefined} */
  #memory;

  get #bytes() {
    return this.#memory?.buffer.byteLength ?? 0;
  }

  /**
   * The arena's bytes, at least `size` of them. Growing makes all older views of it empty.
   *
   * @param {number} size
   * @returns {ArrayBuffer}
   */
  atLeast(size) {
    const units = Math.max(1, Math.ceil(size / UNIT));
    const more = units - this.#bytes / UNIT;
    try {
      if (!this.#memory) this.#memory = new WebAssembly.Memory({ initial: units });
      else if (more > 0) this.#memory.grow(more);
    } catch (cause) {
      throw new Error(`getting ${size} bytes of memory: ${cause.message}; use a smaller message`, { cause });
    }
    return this.#memory.buffer;
  }

  /** Frees the memory. V8 would keep a large one until its next full collection, which an idle process never has. */
  async free() {
    const large = this.#bytes > LARGE;
    this.#memory = undefined;
    if (!large) return;
    await collect();
    await collect(); // the second collection frees what the first one found
  }
}

/** Cuts buffers from an arena or scratch memory, each at the same offset into a page. */
export class Carver {
  /**
   * @param {ArrayBuffer} memory
   * @param {number} offset in bytes
   */
  constructor(memory, offset) {
    this.memory = memory;
    this.at = offset;
  }

  /** The next `n` bytes. */
  cut(/** @type {number} */ n) {
    const buffer = new Uint8Array(this.memory, this.at, n);
    this.at += roundUp(n);
    return buffer;
  }
}

/** `n` rounded up to whole pages. */
export function roundUp(/** @type {number} */ n) {
  return Math.ceil(n / PAGE) * PAGE;
}
