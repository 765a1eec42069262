// The clock of a worker, and what it is worth: its smallest step (METHODOLOGY.md, point 2). A test may turn a clock of its own.

let source: () => number = () => performance.now();

/** Milliseconds since some moment. */
export function now(): number {
  return source();
}

export function replaceClock(own: () => number): void {
  source = own;
}

/** At most so many steps, and so long, are looked at. */
const STEPS = 200;
const MOST_MS = 60;

/** The smallest step of the clock, in nanoseconds: the least that two different readings in a row lay apart. */
export function clockStep(read: () => number = now, most: number = MOST_MS): number {
  const began = read();
  let before = began;
  let least = Infinity;
  for (let steps = 0; steps < STEPS && before - began < most;) {
    const reading = read();
    if (reading === before) continue;
    least = Math.min(least, reading - before);
    before = reading;
    steps += 1;
  }
  return Math.max(1, Math.round(least * 1e6));
}
