// The page: a button, or `#start` in the address; progress with the leader so far; the answer.

import { equals } from './equals';
import type { Estimator } from './estimator';
import { keep, kept } from './kept';
import { linkTo, linked } from './link';
import { loadEstimator, loadModules } from './load';
import { document as exported } from './meter/document';
import type { Exported, Head } from './meter/document';
import { freshSeed } from './meter/random';
import { Run } from './meter/run';
import { isAgain, prepared } from './offline/register';
import { at, share, show, shown } from './view/result';
import type { Shown } from './view/result';

const BUDGET = 20;
const LONGER = 60;

/** What only tests ask for, by the address: `?providers=a,b&messages=64,1024&budget=5&seed=7`. */
const asked = new URLSearchParams(import.meta.env.MODE === 'test' ? location.search : '');

let run: Run | null = null;
let estimator: Estimator | null = null;
let seed = 0;
/** The run that is shown, to be saved, and what is shown of it, to be linked to. */
let saved: Exported | null = null;
let seen: Shown | null = null;

const again = isAgain();
const ready = prepared(again);

function head(of: Run): Head {
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

/** The run, with a note of what the copies came to. */
function written(of: Run, own: Estimator): Exported {
  const known = head(of);
  const copies = equals(known, of.records, own);
  const notes = copies === null ? known.notes : [...known.notes, `Two copies of one module: ${copies}`];
  return exported({ ...known, notes }, of.records, own.about());
}

function progress(what: string, share: number): void {
  at('doing').textContent = what;
  at<HTMLProgressElement>('bar').value = share;
}

function forked(of: Run): void {
  if (estimator === null) return;
  const sofar = exported(head(of), of.records, estimator.about());
  const lead = estimator.lead(sofar);
  at('leader').textContent = lead === null ? '' : `So far: ${lead}`;
  void keep(sofar);
}

async function begin(): Promise<Run> {
  progress('Loading', 0);
  await ready();
  const [own, modules, { default: vectors }] = await Promise.all([loadEstimator(), loadModules(), import('virtual:vectors')]);
  estimator = own;
  seed = Number(asked.get('seed') ?? freshSeed());
  const [providers, messages] = [asked.get('providers')?.split(','), asked.get('messages')?.split(',').map(Number)];
  const wishes = { ...(providers === undefined ? {} : { providers }), ...(messages === undefined ? {} : { messages }) };
  const budget = Number(asked.get('budget') ?? BUDGET);
  return new Run({ modules, vectors, seed, budget, progress, forked, wishes });
}

function measuring(is: boolean): void {
  at('progress').hidden = !is;
  at('stop').hidden = !is;
  for (const id of ['start', 'longer', 'save', 'share']) at<HTMLButtonElement>(id).disabled = is;
}

function failed(cause: unknown): void {
  at('error').textContent = `The page cannot go on: ${(cause as Error).message}`;
  at('error').hidden = false;
}

/** Shows a run of this browser; `whose` says when, where that is not now. */
function present(document: Exported, own: Estimator, whose = ''): void {
  [saved, seen] = [document, shown(own.decide(document), document.run.notes)];
  offer(whose);
}

/** Shows what is seen, and what can be done with it. */
function offer(whose: string): void {
  if (seen !== null) show(seen, whose);
  at('longer').hidden = run === null;
  at('save').hidden = saved === null;
}

async function measure(what: () => Promise<void>): Promise<void> {
  at('error').hidden = true;
  measuring(true);
  try {
    await what();
    if (run === null || estimator === null) return;
    const document = written(run, estimator);
    await keep(document);
    present(document, estimator);
    const isolated = crossOriginIsolated ? '' : ' The page is not cross-origin isolated, so clocks are coarser than they could be.';
    at('clock').textContent = `The clock steps by ${run.stepNs / 1000} µs.${isolated}`;
  } catch (cause) {
    failed(cause);
  } finally {
    measuring(false);
  }
}

async function first(): Promise<void> {
  run = await begin();
  await run.first();
}

/** What the page opens with: the answer that a link carries, or what was measured here before. */
async function open(): Promise<void> {
  const other = await linked(location.hash);
  if (other !== null) {
    [run, saved, seen] = [null, null, other];
    return offer("Someone's answer, as the link has it. This page did not measure it; press the button to measure here.");
  }
  const last = await kept();
  if (last === null) return;
  const own = await loadEstimator();
  // Another run may have begun meanwhile.
  if (run !== null || !at('stop').hidden) return;
  estimator = own;
  present(last, own, `Measured here before, ${last.run.started.replace('T', ' ').replace('Z', '')} UTC.`);
}

function save(): void {
  if (saved === null || estimator === null) return;
  const file = new Blob([estimator.complete(saved)], { type: 'application/json' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `ciphermeter-${saved.run.started.replaceAll(':', '-')}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

at('start').addEventListener('click', () => void measure(first));
at('longer').addEventListener('click', () => void measure(async () => run?.longer(Number(asked.get('longer') ?? LONGER))));
at('stop').addEventListener('click', () => run?.stop());
at('save').addEventListener('click', save);
at('share').addEventListener('click', () => seen !== null && void linkTo(seen).then(share, failed));
at<HTMLInputElement>('address').addEventListener('focus', ({ target }) => (target as HTMLInputElement).select());
addEventListener('hashchange', () => at('stop').hidden && void open().catch(failed));
if (again || location.hash === '#start') void measure(first);
else void open().catch(failed);
