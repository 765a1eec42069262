import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { MOST } from '../message.js';
import { stream } from '../stream.js';

const hex = (bytes) => Buffer.from(bytes).toString('hex');

// The values were computed with Python's hashlib.
test('the stream of a label and a seed', () => {
  const sum = createHash('sha256')
    .update(stream('message', 42, 20000))
    .digest('hex');
  assert.equal(sum, 'b14b5f3cf010961ff61170a66b4c07a16c4e254254c2e4df4c70816faccadcbb', 'several periods');
  assert.equal(hex(stream('key', MOST, 16)), '9f02d2b5432b7d09959cf46746f1d135', 'largest seed');
  assert.equal(hex(stream('nonce', 42, 5)), '41210381a9', 'part of a hash');
  assert.equal(hex(stream('aad', 42, 0)), '', 'nothing');
});
