import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ALGORITHMS, sealedBytes } from '../algorithms.js';

test("sizes are those of the one table, the conformance suite's", () => {
  const table = JSON.parse(readFileSync(new URL('../../../conformance/algorithms.json', import.meta.url), 'utf8'));
  for (const [algorithm, { key, nonce, tag, sectors = false }] of Object.entries(ALGORITHMS)) {
    const row = table.find((one) => one.algorithm === algorithm);
    assert.deepEqual({ key, nonce, tag }, { key: row.key, nonce: row.nonce, tag: row.tag }, algorithm);
    assert.equal(sectors, row.sizes === 'sectors', algorithm);
    assert.equal(sealedBytes(algorithm, 20), row.sizes === 'padded' ? 32 : 20 + row.tag, algorithm);
  }
});
