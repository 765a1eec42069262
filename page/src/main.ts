// The page: a button, or `#start` in the address; progress with the leader so far; the answer.

import { equals } from './equals';
import type { Estimator } from './estimator';
import { load } from './load';
import { document as exported } from './meter/document';
import type { Head } from './meter/document';
import { freshSeed } from './meter/random';
import { Run } from './meter/run';
import { isAgain, prepared } from './offline/register';
import { at, show } from './view/result';

const BUDGET = 20;
const LONGER = 60;

/** What only tests ask for, by the address: `?providers=a,b&messages=64,1024&budget=5&seed=7`. */
const asked = new URLSearchParams(import.meta.env.MODE === 'test' ? location.search : '');

let run: Run | null = null;
let estimator: Estimator | null = null;
let seed = 0;

const again = isAgain();
const ready = prepared(again);

function head(of: Run): Head {
  return {
    started: of.started,
    status: of.status,
    seed,
    budget: of.seconds,
    blocks: of.blocks,
    notes: [...of.notes, ...of.excluded.sentences()],
  };
}

/** The run's own notes, and what the copies came to. */
function notesOf(of: Run, own: Estimator): string[] {
  const known = head(of);
  const copies = equals(known, of.records, own);
  return copies === null ? known.notes : [...known.notes, `Two copies of one module: ${copies}`];
}

function written(of: Run, own: Estimator): object {
  return exported({ ...head(of), notes: notesOf(of, own) }, of.records, own.about());
}

function progress(what: string, share: number): void {
  at('doing').textContent = what;
  at<HTMLProgressElement>('bar').value = share;
}

function forked(of: Run): void {
  if (estimator === null) return;
  const lead = estimator.lead(exported(head(of), of.records, estimator.about()));
  at('leader').textContent = lead === null ? '' : `So far: ${lead}`;
}

async function begin(): Promise<Run> {
  const [loaded, { default: vectors }] = await Promise.all([load(), import('virtual:vectors')]);
  estimator = loaded.estimator;
  seed = Number(asked.get('seed') ?? freshSeed());
  const [providers, messages] = [asked.get('providers')?.split(','), asked.get('messages')?.split(',').map(Number)];
  const wishes = { ...(providers === undefined ? {} : { providers }), ...(messages === undefined ? {} : { messages }) };
  const budget = Number(asked.get('budget') ?? BUDGET);
  const { modules } = loaded;
  return new Run({ modules, vectors, seed, budget, progress, forked, wishes });
}

function measuring(is: boolean): void {
  at('progress').hidden = !is;
  at('stop').hidden = !is;
  for (const id of ['start', 'longer', 'save']) at<HTMLButtonElement>(id).disabled = is;
}

async function measure(what: () => Promise<void>): Promise<void> {
  at('error').hidden = true;
  measuring(true);
  try {
    await what();
    if (run === null || estimator === null) return;
    show(estimator.decide(written(run, estimator)), notesOf(run, estimator));
    const isolated = crossOriginIsolated ? '' : ' The page is not cross-origin isolated, so clocks are coarser than they could be.';
    at('clock').textContent = `The clock steps by ${run.stepNs / 1000} µs.${isolated}`;
  } catch (cause) {
    at('error').textContent = `The page cannot measure: ${(cause as Error).message}`;
    at('error').hidden = false;
  } finally {
    measuring(false);
  }
}

async function first(): Promise<void> {
  await ready();
  run = await begin();
  await run.first();
}

function save(): void {
  if (run === null || estimator === null) return;
  const file = new Blob([estimator.complete(written(run, estimator))], { type: 'application/json' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `ciphermeter-${run.started.replaceAll(':', '-')}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

at('start').addEventListener('click', () => void measure(first));
at('longer').addEventListener('click', () => void measure(async () => run?.longer(Number(asked.get('longer') ?? LONGER))));
at('stop').addEventListener('click', () => run?.stop());
at('save').addEventListener('click', save);
if (again || location.hash === '#start') void measure(first);
