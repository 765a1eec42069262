import { expect, test } from 'vitest';
import { COARSE_NS, COPIES, cells, planned, sizeOf } from '../../src/meter/plan';
import { clockStep } from '../../src/worker/clock';

const GCM = [{ algorithm: 'aes-256-gcm', forms: ['fresh' as const] }];

test('the first screen has two ciphers, seal, four sizes', () => {
  const { first } = planned(5000);
  const offered = ['aes-256-gcm', 'chacha20-poly1305', 'xchacha20-poly1305'].map((algorithm) => ({ algorithm, forms: ['fresh' as const] }));
  expect(cells(first, 'webcrypto', offered)).toHaveLength(8);
  for (const copy of COPIES) expect(cells(first, copy, offered)).toHaveLength(1);
});

test('a coarse clock leaves two sizes', () => {
  expect(cells(planned(COARSE_NS).first, 'webcrypto', GCM).map(({ message }) => message)).toEqual([1024, 16384]);
});

test('a cell of two blocks is there once', () => {
  const { first, later } = planned(5000);
  const all = cells([...first, ...later], 'webcrypto', GCM);
  expect(all).toHaveLength(8);
});

test('sizes are written as scenarios write them', () => {
  expect([64, 1000, 1024, 16384, 1048576].map(sizeOf)).toEqual(['64', '1000', '1KiB', '16KiB', '1MiB']);
});

test("a clock's step is the least that two readings lie apart", () => {
  let time = 0;
  const read = () => Math.floor((time += 0.0003) / 0.005) * 0.005;
  expect(Math.abs(clockStep(read) - 5000)).toBeLessThanOrEqual(5000);
  expect(clockStep(read)).toBeGreaterThan(4000);
});
