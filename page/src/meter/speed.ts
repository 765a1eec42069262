// At which speed a device ran, by the probe. A phone slows down for heat, or to save its battery. The estimator takes forks that are over a
// quarter slower than the fastest for disturbed, as METHODOLOGY.md says in point 3a, so of a device that slowed down those at one speed are kept.

/** Point 3a: a fork has a level of its own where half of its readings lie close to it, and forks at one speed differ by at most a quarter. */
const CLOSE = 1.03;
const HALF = 0.5;
const ALIKE = 1.25;

/** A fork's undisturbed reading, the 10 % quantile; null where other work moved the readings, or there are none. */
export function level(readings: readonly (number | null)[]): number | null {
  const sorted = readings.filter((reading) => reading !== null).sort((a, b) => a - b);
  const level = sorted[Math.floor(sorted.length / 10)];
  if (level === undefined) return null;
  return sorted.filter((reading) => reading <= level * CLOSE).length >= HALF * sorted.length ? level : null;
}

/** From which fork on a device was slower than before, and at one speed; 0: it did not slow down for good, or no probe tells. */
export function slowerFrom(levels: readonly (number | null)[]): number {
  let [from, least, most] = [levels.length, Infinity, 0];
  for (let level = levels[from - 1]; level != null; level = levels[from - 1]) {
    if (Math.max(most, level) > ALIKE * Math.min(least, level)) break;
    [from, least, most] = [from - 1, Math.min(least, level), Math.max(most, level)];
  }
  const isFaster = (level: number | null) => level === null || level * CLOSE < least;
  return from < levels.length && levels.slice(0, from).every(isFaster) ? from : 0;
}
