// The check of the timed loop (METHODOLOGY.md, point 1): what a cell's last call put out is compared with what a sibling, another provider of
// the same cell, makes of the same iteration anew; without one, the provider itself does.

import { equal } from '../worker/verify';
import type { Pool } from './pool';
import type { Record } from './record';

function sibling(record: Record, records: readonly Record[]): Record {
  const { provider, algorithm, operation, message } = record.cell;
  const others = records.filter(({ cell }) => cell.algorithm === algorithm && cell.operation === operation && cell.message === message);
  return others.find(({ cell }) => cell.provider !== provider) ?? record;
}

/** Marks the records whose timed calls put out something else. */
export async function checkOutputs(pool: Pool, records: readonly Record[]): Promise<void> {
  const wrong: [Record, string][] = [];
  for (const record of records) {
    const other = sibling(record, records);
    try {
      const output = await pool.of(record.cell.provider).ask('output', { cell: record.id });
      if (output === null) continue;
      const { iteration } = output;
      const again = await pool.of(other.cell.provider).ask('make', { cell: other.id, iteration });
      if (equal(output.bytes, again)) continue;
      wrong.push([record, `iteration ${iteration} of the timed calls left another output than ${other.cell.provider} makes`]);
    } catch (cause) {
      record.outcome = { is: 'failed', why: (cause as Error).message };
    }
  }
  for (const [record, why] of wrong) record.outcome = { is: 'wrong-output', why };
}
