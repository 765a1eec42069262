import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rotation } from '../rotation.js';

test('each text has cache lines of its own', () => {
  for (const message of [0, 48, 49, 1000]) {
    const rotation = new Rotation(50, 3, message);
    const buffer = new Uint8Array(rotation.room);
    const places = Array.from({ length: 50 }, (_, text) => rotation.part(buffer, text).byteOffset);
    const sorted = places.toSorted((a, b) => a - b);
    const stride = Math.ceil((message + 16) / 64) * 64;
    assert.deepEqual(
      sorted,
      sorted.map((_, i) => i * stride),
    );
    assert.notDeepEqual(places, sorted, 'an order of chance');
    assert.equal(rotation.part(buffer, 7).length, message + 16);
    assert.equal(buffer.length, 50 * stride);
  }
});

test('one text is as before', () => {
  const rotation = new Rotation(1, 1, 100);
  assert.deepEqual([rotation.rotates, rotation.round, rotation.room, rotation.objects], [false, 0, 116, 0]);
  assert.equal(new Rotation(1, 3, 100).round, 3);
  assert.equal(new Rotation(3, 1, 100).round, 0);
});
