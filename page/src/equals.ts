// The page's own A/A: one module as two providers, and how far they came out apart, in the words of the binary's self-check.

import type { Estimator } from './estimator';
import { document } from './meter/document';
import type { Head } from './meter/document';
import { COPIES } from './meter/plan';
import { Record } from './meter/record';

/** What the two copies came to; null before there is a figure. */
export function equals(head: Head, records: readonly Record[], estimator: Estimator): string | null {
  const both = records.filter(({ cell, isIn, forks }) => COPIES.includes(cell.provider) && isIn && forks.length > 1);
  if (both.length < 2) return null;
  const alone = both.map(({ cell, offer, code, forks }, id) => {
    const copy = new Record(id, cell, offer, code);
    // The cells that stood before it are not in this document.
    copy.forks.push(...forks.map((fork) => ({ ...fork, after: fork.after.map(() => null) })));
    return copy;
  });
  const checked = document(head, alone, estimator.about());
  Object.assign(checked.run.scenario, { copies: { names: 2 } });
  return estimator.decide(checked).answer.sentences.join(' ');
}
