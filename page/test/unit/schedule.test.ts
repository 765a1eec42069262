import { expect, test } from 'vitest';
import type { Cell } from '../../src/meter/plan';
import { random, shuffled } from '../../src/meter/random';
import { order, rhythm } from '../../src/meter/schedule';
import type { Turn } from '../../src/meter/schedule';

function turns(sizes: number[], costs: (message: number) => number): Turn[] {
  const cells: Cell[] = sizes.flatMap((message) =>
    ['one', 'two'].flatMap((provider) =>
      ['aes-256-gcm', 'chacha20-poly1305'].map((algorithm): Cell => ({ provider, algorithm, operation: 'seal', form: 'fresh', message })),
    ),
  );
  return cells.map((cell, id) => ({ id, cell, costs: costs(cell.message) }));
}

test('a round takes every cell once, group after group, ciphers of a library next to each other', () => {
  const all = turns([64, 1024, 16384], () => 1);
  const round = order(all, 0, random(7));
  expect(new Set(round.map(({ id }) => id)).size).toBe(12);
  for (let first = 0; first < round.length; first += 2) {
    expect(round[first]?.cell.provider).toBe(round[first + 1]?.cell.provider);
    expect(round[first]?.cell.message).toBe(round[first + 1]?.cell.message);
  }
});

test('a group that takes over four times the median joins every k-th round', () => {
  const all = turns([64, 1024, 1048576], (message) => (message > 2000 ? 90 : 10));
  expect(rhythm(all).map(({ every }) => every)).toEqual([1, 1, 3]);
  expect(order(all, 1, random(7))).toHaveLength(8);
  expect(order(all, 3, random(7))).toHaveLength(12);
});

test('the same seed draws the same order, another one another', () => {
  const entries = Array.from({ length: 20 }, (_, place) => place);
  expect(shuffled(entries, random(5))).toEqual(shuffled(entries, random(5)));
  expect(shuffled(entries, random(5))).not.toEqual(shuffled(entries, random(6)));
  expect([...shuffled(entries, random(5))].sort((a, b) => a - b)).toEqual(entries);
});
