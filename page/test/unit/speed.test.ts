import { expect, test } from 'vitest';
import { level, slowerFrom } from '../../src/meter/speed';

test("a fork's level is that of its undisturbed readings, where most lie close to it", () => {
  const alike = Array.from({ length: 50 }, (_, place) => 1000 + (place % 20));
  expect(level([...alike, ...Array<number>(30).fill(1700)])).toBeGreaterThanOrEqual(1000);
  expect(level(Array.from({ length: 50 }, (_, place) => 1000 + 20 * place))).toBeNull();
  expect(level([null, null])).toBeNull();
});

test.each<[string, (number | null)[], number]>([
  ['one speed', [100, 104, 98, 101], 0],
  ['slower from the third on', [100, 101, 170, 172, 168], 2],
  ['slower in the middle of a fork', [100, null, 170, 172], 2],
  ['slower and slower', [100, 130, 160, 180], 2],
  ['faster', [170, 172, 100, 101], 0],
  ['slower for a while', [100, 170, 171, 100], 0],
  ['slower, as before for a while', [170, 100, 172, 171], 0],
  ['disturbed at the end', [100, 101, null], 0],
  ['no probe', [null, null], 0],
  ['nothing', [], 0],
])('%s', (_, levels, from) => {
  expect(slowerFrom(levels)).toBe(from);
});
