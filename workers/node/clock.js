// The clock that times samples, and its cost.
//
// process.hrtime.bigint: whole nanoseconds of the system's monotonic clock. A
// reading costs no more than performance.now's, which returns floats.

import { numbered } from './loops.js';

export const clock = process.hrtime.bigint;

/** The smallest step other than 0 between two readings, in nanoseconds, out of 10,000 steps or a tenth of a second. */
export function clockStep() {
  let step = Number.MAX_SAFE_INTEGER;
  const begin = clock();
  for (let steps = 0, last = begin; steps < 10_000 && last - begin < 100_000_000n;) {
    const at = clock();
    if (at > last) {
      step = Math.min(step, Number(at - last));
      steps++;
    }
    last = at;
  }
  return step;
}

/** The cost of one reading, in nanoseconds. */
export function callCost() {
  const count = 2000;
  return quietest(count, () => {
    for (let i = 0; i < count; i++) clock();
  });
}

/** The cost of an iteration of the timed loop around an empty call, in nanoseconds. */
export function loopCost() {
  const count = 100_000;
  const loop = numbered(() => undefined, { view: new DataView(new ArrayBuffer(8)), isSector: false });
  return quietest(count, () => loop(1, count));
}

/**
 * The lowest of ten times of `batch`, for each of `count`: the result is a
 * cost, and other work on the core only adds to it.
 *
 * @param {number} count
 * @param {() => void} batch
 */
function quietest(count, batch) {
  let best = Number.MAX_SAFE_INTEGER;
  for (let round = 0; round < 10; round++) {
    const begin = clock();
    batch();
    best = Math.min(best, Number(clock() - begin));
  }
  return Math.round(best / count);
}
