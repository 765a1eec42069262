// What a cell came to, as an export has it (docs/exports.md): its outcome, and its raw samples in columns.

import type { Code, Offered } from '../worker/messages';
import type { Cell } from './plan';

export type Outcome =
  | { is: 'measured' }
  | { is: 'unsupported' | 'wrong-output' | 'failed'; why: string }
  | { is: 'left-out'; why: string; reason: 'slow-sample'; sample_ms: number; left_ms: number }
  | { is: 'left-out'; why: string; reason: 'coarse-clock'; sample_ms: number; budget_s: number };

/** The samples of a fork: entry k of each column is of sample k. */
export interface Fork {
  fork: number;
  short: boolean;
  round: number[];
  turn: number[];
  after: (number | null)[];
  iterations: number[];
  ns: number[];
  probe_ps: (number | null)[];
}

export interface Sample {
  cell: number;
  round: number;
  turn: number;
  after: number | null;
  iterations: number;
  ns: number;
  probe: number | null;
}

export class Record {
  outcome: Outcome = { is: 'measured' };
  readonly forks: Fork[] = [];

  constructor(
    readonly id: number,
    readonly cell: Cell,
    readonly offer: Offered,
    readonly code: Code,
  ) {}

  get isIn(): boolean {
    return this.outcome.is === 'measured';
  }

  /** Keeps a sample of the fork of that number. */
  keep(fork: number, sample: Sample): void {
    let columns = this.forks.at(-1);
    if (columns?.fork !== fork) {
      columns = { fork, short: false, round: [], turn: [], after: [], iterations: [], ns: [], probe_ps: [] };
      this.forks.push(columns);
    }
    columns.round.push(sample.round);
    columns.turn.push(sample.turn);
    columns.after.push(sample.after);
    columns.iterations.push(sample.iterations);
    columns.ns.push(sample.ns);
    columns.probe_ps.push(sample.probe);
  }

  /** Leaves out the forks before that number. */
  leaveOut(before: number): void {
    const first = this.forks.findIndex(({ fork }) => fork >= before);
    this.forks.splice(0, first < 0 ? this.forks.length : first);
  }

  /** A fork that was cut off counts for ranges, not for ratios. */
  cutOff(fork: number): void {
    const columns = this.forks.at(-1);
    if (columns?.fork === fork) columns.short = true;
  }
}
