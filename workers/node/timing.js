// The timed requests, sample and latency, and the recomputed output for a
// digest.

import { callCost, clock } from './clock.js';
import { padding } from './layout.js';

/** The most iterations that a recomputed digest may run. */
const ANEW = 2 ** 24;

/**
 * A cell that is armed: its loop, which uses up the cell's numbers.
 */
export class Run {
  /**
   * @param {import('./cell.js').Cell} cell
   * @param {import('./loops.js').Loop} loop
   */
  constructor(cell, loop) {
    this.cell = cell;
    this.loop = loop;
    this.awaits = cell.offer.awaits === true;
    this.padding = padding(cell.stack);
  }

  /** Uses the next `count` numbers up before they run, so that none occurs twice even if a call fails. */
  #next(/** @type {number} */ count) {
    const first = this.cell.last + 1;
    this.cell.last += count;
    return first;
  }

  /** Calls until at least `ns` have passed, in batches, so that the clock is read rarely, and of all keys. */
  async warmUp(/** @type {number} */ ns) {
    const begin = clock();
    const began = this.cell.last;
    for (let batch = 1, passed = 0; passed < ns;) {
      await this.#untimed(batch);
      const before = passed;
      passed = Number(clock() - begin);
      // Batches double, but do not go far beyond the end, as in all workers.
      const most = Math.floor(((ns - passed) * batch) / Math.max(passed - before, 1)) + 1;
      batch = Math.max(Math.min(batch * 2, most), 1);
    }
    const owed = this.cell.rotation.round - (this.cell.last - began);
    if (ns > 0 && owed > 0) await this.#untimed(owed);
  }

  /** The next `count` calls, with the stack where the timed ones have it. */
  async #untimed(/** @type {number} */ count) {
    const left = this.loop(this.#next(count), count, ...this.padding);
    if (this.awaits) await left;
  }

  /**
   * Times `count` calls; returns the last one's output, the elapsed nanoseconds, those of CPU time, and how many pages the
   * kernel gave this process meanwhile.
   */
  async sample(/** @type {number} */ count) {
    const { loop, awaits, padding: moved } = this;
    const first = this.#next(count);
    const faultsBegin = process.resourceUsage().minorPageFault;
    const cpuBegin = process.cpuUsage();
    const { left, ns } = awaits ? await timedAwaited(loop, first, count) : timed(loop, first, count, ...moved);
    const cpu = process.cpuUsage(cpuBegin); // in microseconds
    const faults = process.resourceUsage().minorPageFault - faultsBegin;
    return { left, ns, cpu: (cpu.user + cpu.system) * 1000, faults };
  }

  /** The nanoseconds of each of `count` calls. */
  async latency(/** @type {number} */ count) {
    const { loop, awaits } = this;
    const ns = new Array(count).fill(0);
    for (let i = 0; i < count; i++) {
      const first = this.#next(1);
      const begin = clock();
      const left = loop(first, 1);
      if (awaits) await left;
      ns[i] = Number(clock() - begin);
    }
    return { ns, clock: callCost() };
  }
}

/**
 * Times calls. Its further arguments move its stack, and with it that of the loop.
 *
 * @param {import('./loops.js').Loop} loop
 * @param {number} first
 * @param {number} count
 */
function timed(loop, first, count) {
  const begin = clock();
  const left = loop(first, count);
  const end = clock();
  return { left, ns: Number(end - begin) };
}

/**
 * `timed` for calls that return promises. Its stack stays where it is: after each of them Node goes on from the same
 * place.
 *
 * @param {import('./loops.js').Loop} loop
 * @param {number} first
 * @param {number} count
 */
async function timedAwaited(loop, first, count) {
  const begin = clock();
  const left = await loop(first, count);
  const end = clock();
  return { left, ns: Number(end - begin) };
}

/**
 * Recomputes the output of an iteration, in separate memory, since a sample's may wait in the arena for its digest.
 * Where iterations work on each other's output, all from `first` on run.
 *
 * @param {import('./cell.js').Cell} cell
 * @param {number} first
 * @param {number} iteration
 */
export async function anew(cell, first, iteration) {
  const from = cell.chains ? first : iteration;
  if (from > iteration || iteration - from >= ANEW) {
    throw new Error(`${from} to ${iteration} is not a range of 1 to ${ANEW} iterations; send another first`);
  }
  const loop = await cell.arm(new ArrayBuffer(cell.size));
  const { texts } = cell.rotation;
  if (texts === 1) return loop(from, iteration - from + 1);
  let left;
  for (let i = from + ((iteration - from) % texts); i <= iteration; i += texts) left = await loop(i, 1); // each text's own chain
  return left;
}
