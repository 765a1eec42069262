// What measures: all that the page needs once its button is pressed, and not before.

import { equals } from './equals';
import type { Estimator } from './estimator';
import { loadModules } from './load';
import { document } from './meter/document';
import type { Exported, Head } from './meter/document';
import { freshSeed } from './meter/random';
import { Run } from './meter/run';
import type { Options } from './meter/run';

export type { Run };

/** A run by its seed; a drawn one where none is asked for. */
export async function begun(asked: Omit<Options, 'modules' | 'vectors' | 'seed'> & { seed: string | null }): Promise<[Run, number]> {
  const seed = Number(asked.seed ?? freshSeed());
  const [modules, { default: vectors }] = await Promise.all([loadModules(), import('virtual:vectors')]);
  return [new Run({ ...asked, modules, vectors, seed }), seed];
}

function head(of: Run, seed: number): Head {
  return {
    started: of.started,
    status: of.status,
    seed,
    budget: of.seconds,
    blocks: of.blocks,
    notes: of.remarks,
    power: of.power,
  };
}

/** The run so far. */
export function soFar(of: Run, seed: number, own: Estimator): Exported {
  return document(head(of, seed), of.records, own.about());
}

/** The run, with a note of what the copies came to. */
export function written(of: Run, seed: number, own: Estimator): Exported {
  const known = head(of, seed);
  const copies = equals(known, of.records, own);
  const notes = copies === null ? known.notes : [...known.notes, `Two copies of one module: ${copies}`];
  return document({ ...known, notes }, of.records, own.about());
}
