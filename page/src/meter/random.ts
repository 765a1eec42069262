// What is drawn at random, from the run's seed alone, so that a run can be drawn again.

/** Numbers from 0 to below 1 (mulberry32). They decide orders, never keys of anyone. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The same entries in an order of their own (Fisher and Yates). */
export function shuffled<T>(entries: readonly T[], draw: () => number): T[] {
  const order = [...entries];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const place = Math.floor(draw() * (last + 1));
    [order[last], order[place]] = [order[place] as T, order[last] as T];
  }
  return order;
}

/** A seed that is an integer in every JSON reader. */
export function freshSeed(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high & 0x1fffff) * 2 ** 32 + low;
}
