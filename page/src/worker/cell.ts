// A prepared cell, and the timed loop around its calls: the nonce's number, the call, nothing else.

import type { Bytes, Form, Keyed } from '../providers/provider';
import { number } from './contents';
import { now } from './clock';

/** Messages that are in flight at once in form `batch`, PROTOCOL.md. */
export const BATCH = 32;

export type Operation = 'seal' | 'open';

export interface Timed {
  ns: number;
  iterations: number;
}

export class PreparedCell {
  /** Warm-up and samples count on from 1; iteration 0 made what `open` consumes. */
  private next = 1;
  private last: Bytes | null = null;
  private readonly nonces: Bytes[];

  constructor(
    private readonly keyed: Keyed,
    private readonly operation: Operation,
    private readonly form: Form,
    private readonly awaits: boolean,
    private readonly text: Bytes,
    nonce: Bytes,
  ) {
    // Calls in flight may still read theirs.
    this.nonces = Array.from({ length: form === 'batch' ? BATCH : 1 }, () => nonce.slice());
  }

  /** So many calls, timed as one: the clock is read before and after them, never in between. */
  async timed(iterations: number): Promise<Timed> {
    const began = now();
    if (this.form === 'batch') await this.batches(iterations);
    else if (this.awaits) await this.awaited(iterations);
    else this.called(iterations);
    return { ns: Math.round((now() - began) * 1e6), iterations };
  }

  /** Calls until so many nanoseconds have passed, in batches that double; what a call took in the last one. */
  async warm(ns: number, most = 2 ** 22): Promise<number> {
    const began = now();
    let each = Infinity;
    for (let calls = 1; ; calls = Math.min(2 * calls, most)) {
      const took = await this.timed(calls);
      each = took.ns / calls;
      const left = ns - (now() - began) * 1e6;
      if (left <= 0) return each;
      if (took.ns > left) calls = Math.max(1, Math.floor(left / each / 2));
    }
  }

  /** What the last call put out, and the number of its iteration; null before the first. */
  output(): { iteration: number; bytes: Bytes } | null {
    return this.last === null ? null : { iteration: this.next - 1, bytes: this.last };
  }

  /** What that iteration puts out, made anew. */
  async make(iteration: number): Promise<Bytes> {
    return this.call(this.numbered(0, iteration));
  }

  private call(nonce: Bytes): Bytes | Promise<Bytes> {
    return this.operation === 'seal' ? this.keyed.seal(nonce, NO_AAD, this.text) : this.keyed.open(nonce, NO_AAD, this.text);
  }

  private numbered(place: number, iteration: number): Bytes {
    const nonce = this.nonces[place];
    if (nonce === undefined) throw new Error('a batch has no such place');
    // What is opened was sealed in iteration 0.
    number(nonce, this.operation === 'seal' ? iteration : 0);
    return nonce;
  }

  private called(iterations: number): void {
    const nonce = this.numbered(0, this.next);
    let output: Bytes | null = null;
    for (let i = 0; i < iterations; i += 1, this.next += 1) {
      if (this.operation === 'seal') number(nonce, this.next);
      output = this.call(nonce) as Bytes;
    }
    this.last = output;
  }

  private async awaited(iterations: number): Promise<void> {
    const nonce = this.numbered(0, this.next);
    let output: Bytes | null = null;
    for (let i = 0; i < iterations; i += 1, this.next += 1) {
      if (this.operation === 'seal') number(nonce, this.next);
      output = await this.call(nonce);
    }
    this.last = output;
  }

  private async batches(iterations: number): Promise<void> {
    for (let left = iterations; left > 0;) {
      const calls = Math.min(BATCH, left);
      const under = Array.from({ length: calls }, (_, place) => this.call(this.numbered(place, this.next + place)));
      const outputs = await Promise.all(under);
      this.last = outputs[calls - 1] ?? null;
      this.next += calls;
      left -= calls;
    }
  }
}

const NO_AAD: Bytes = new Uint8Array(0);
