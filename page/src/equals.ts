// The page's own A/A: one module as two providers, and how far they came out apart, in the words of the binary's self-check.

import type { Estimator } from './estimator';
import { document } from './meter/document';
import type { Head } from './meter/document';
import { COPIED, COPY } from './meter/plan';
import { Record } from './meter/record';

/** What the two copies came to; null before there is a figure. */
export function equals(head: Head, records: readonly Record[], estimator: Estimator): string | null {
  const copies = records.filter(({ cell }) => cell.provider === COPY);
  const originals = copies.map(({ cell }) =>
    records.find((other) => JSON.stringify({ ...other.cell, provider: COPY }) === JSON.stringify(cell) && other.cell.provider === COPIED),
  );
  const both = [...originals, ...copies].filter((record) => record !== undefined && record.isIn && record.forks.length > 1);
  if (both.length < 2) return null;
  const named = both.map((record, id) => {
    const { cell, offer, forks } = record as Record;
    const copy = new Record(id, { ...cell, provider: cell.provider === COPIED ? `${COPIED}.01` : COPY }, offer);
    // The cells that stood before it are not in this document.
    copy.forks.push(...forks.map((fork) => ({ ...fork, after: fork.after.map(() => null) })));
    return copy;
  });
  const checked = document(head, named, estimator.about());
  Object.assign(checked.run.scenario, { copies: { names: 2 } });
  return estimator.decide(checked).answer.sentences.join(' ');
}
