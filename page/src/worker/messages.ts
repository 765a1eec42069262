// What the harness asks of a worker, and what it answers. One request at a time; the answer has its number.

import type { Bytes, Form, Modules } from '../providers/provider';
import type { Operation } from './cell';
import type { Vector, Verified } from './verify';

/** An offer as it crosses over: all but its functions. */
export interface Offered {
  algorithm: string;
  forms: Form[];
  version: string;
  path: string;
  setup: 'inside' | 'outside';
}

/** The code behind an offer (docs/exports.md): hashes are SHA-256 in hex; null where there is no file, or it cannot be read. */
export interface Code {
  runtime: string;
  library: string | null;
  sha256: string | null;
  program: string | null;
}

export interface Wanted {
  cell: number;
  algorithm: string;
  operation: Operation;
  form: Form;
  message: number;
}

export interface Sampled {
  ns: number;
  iterations: number;
  /** The longer look of the probe before and after, picoseconds of a step; null: without a probe. */
  probe: number | null;
}

export interface Requests {
  open: { asks: { provider: string; modules: Modules }; answers: Offered[] };
  code: { asks: { algorithm: string }; answers: Code };
  clock: { asks: object; answers: number };
  /** Counts the probe's steps of a look that lasts so long. */
  probe: { asks: { ns: number }; answers: number };
  verify: { asks: { algorithm: string; vectors: Vector[] }; answers: Verified };
  prepare: { asks: { cells: Wanted[]; seed: number }; answers: null };
  warm: { asks: { cell: number; ns: number }; answers: number };
  sample: { asks: { cell: number; warmup: number; iterations: number; steps: number }; answers: Sampled };
  output: { asks: { cell: number }; answers: { iteration: number; bytes: Bytes } | null };
  make: { asks: { cell: number; iteration: number }; answers: Bytes };
}

export type Kind = keyof Requests;
export type Asks<K extends Kind> = Requests[K]['asks'];
export type Answers<K extends Kind> = Requests[K]['answers'];

export interface Request<K extends Kind = Kind> {
  id: number;
  do: K;
  asks: Asks<K>;
}

/** An error is a sentence: the class of what was thrown does not cross over. */
export type Reply = { id: number; answers: unknown } | { id: number; error: string };
