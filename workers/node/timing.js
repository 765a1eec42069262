// The timed requests, sample and latency, and the recomputed output for a
// digest.

import { callCost, clock } from './clock.js';

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
  }

  /** Uses the next `count` numbers up before they run, so that none occurs twice even if a call fails. */
  #next(/** @type {number} */ count) {
    const first = this.cell.last + 1;
    this.cell.last += count;
    return first;
  }

  /** Calls until at least `ns` have passed, in batches, so that the clock is read rarely. */
  async warmUp(/** @type {number} */ ns) {
    const begin = clock();
    for (let batch = 1, passed = 0; passed < ns;) {
      const left = this.loop(this.#next(batch), batch);
      if (this.awaits) await left;
      const before = passed;
      passed = Number(clock() - begin);
      // Batches double, but do not go far beyond the end, as in all workers.
      const most = Math.floor(((ns - passed) * batch) / Math.max(passed - before, 1)) + 1;
      batch = Math.max(Math.min(batch * 2, most), 1);
    }
  }

  /**
   * Times `count` calls; returns the last one's output, the elapsed nanoseconds, those of CPU time, and how many pages the
   * kernel gave this process meanwhile.
   */
  async sample(/** @type {number} */ count) {
    const { loop, awaits } = this;
    const first = this.#next(count);
    const faultsBegin = process.resourceUsage().minorPageFault;
    const cpuBegin = process.cpuUsage();
    const begin = clock();
    let left = loop(first, count);
    if (awaits) left = await left;
    const end = clock();
    const cpu = process.cpuUsage(cpuBegin); // in microseconds
    const faults = process.resourceUsage().minorPageFault - faultsBegin;
    return { left, ns: Number(end - begin), cpu: (cpu.user + cpu.system) * 1000, faults };
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
  return loop(from, iteration - from + 1);
}
