// A run of the page as an export of the binary's schema, without what the estimator adds: summaries and the answer.

import { browser, platform } from '../browser';
import type { About } from '../estimator';
import { sizeOf } from './plan';
import type { Block } from './plan';
import { levels, supply } from './power';
import type { Power } from './power';
import type { Fork, Record } from './record';

export interface Head {
  started: string;
  status: 'open' | 'complete' | 'partial' | 'interrupted';
  seed: number;
  budget: number;
  blocks: Block[];
  notes: string[];
  /** What the browser told of the battery, from first to last. */
  power: readonly Power[];
}

/** What the page itself knows of a document. */
export interface Exported {
  run: Pick<Head, 'started' | 'status' | 'notes'> & { scenario: object };
}

const TITLE = 'AES or ChaCha20 in this browser, from 64 B to 1 MiB';

/** Facts of the machine, as far as the browser tells them: a value, or the reason why there is none. */
export function host(power: readonly Power[]): object {
  const { hardwareConcurrency: cores } = navigator;
  const memory = (navigator as { deviceMemory?: number }).deviceMemory;
  const absent: { [fact: string]: string } = { cpu: 'browsers do not tell it' };
  if (memory === undefined) absent['memory'] = 'this browser does not tell it';
  if (power.length === 0) absent['power supply'] = 'this browser does not tell it';
  if (levels(power) === null) absent['battery'] = power.length === 0 ? 'this browser does not tell it' : 'it is full, or there is none';
  return {
    cpu: null,
    browser: `${browser()} on ${platform()}`,
    'user agent': navigator.userAgent,
    cores: String(cores),
    memory: memory === undefined ? null : `${memory} GiB or more, as the browser rounds it`,
    'power supply': supply(power),
    battery: levels(power),
    'cross-origin isolated': globalThis.crossOriginIsolated ? 'yes' : 'no',
    absent,
  };
}

const block = ({ algorithms, operations, messages, forms, providers }: Block) => ({
  algorithms,
  operations,
  messages: messages.map(sizeOf),
  aad: ['0'],
  forms,
  threads: [1],
  latency: false,
  memory: false,
  providers,
});

/** Columns without a reading are left out, as an export has them. */
function columns(fork: Fork): object {
  const { probe_ps: probe, ...others } = fork;
  return probe.some((reading) => reading !== null) ? fork : others;
}

function entry({ id, cell, offer, code, outcome, forks }: Record): object {
  return {
    id,
    provider: cell.provider,
    algorithm: cell.algorithm,
    operation: cell.operation,
    form: cell.form,
    parameters: { aad: 0, message: cell.message, threads: 1 },
    worker: 'page',
    runtime: code.runtime,
    language: 'JavaScript',
    version: offer.version,
    path: offer.path,
    setup: offer.setup,
    library: code.library,
    sha256: code.sha256,
    program: code.program,
    outcome,
    summary: null,
    percentiles: null,
    cpu: null,
    samples: forks.map(columns),
    latency: [],
    memory: [],
  };
}

export function document(head: Head, records: readonly Record[], about: About): Exported {
  const metrics = [
    { name: 'ns', unit: 'ns', better: 'less', sums: 'per-call' },
    { name: 'probe_ps', unit: 'ps', better: 'neither', sums: 'state' },
  ];
  const run = {
    id: 0,
    started: head.started,
    status: head.status,
    seed: head.seed,
    scenario: {
      name: 'page',
      kind: 'message',
      title: TITLE,
      budget: `${head.budget}s`,
      precision: '5%',
      cells: head.blocks.map(block),
    },
    against: null,
    mask: null,
    method: about.method,
    metrics,
    notes: head.notes,
  };
  const whole = {
    schema: about.schema,
    ciphermeter: about.version,
    run,
    host: host(head.power),
    records: records.map(entry),
  };
  return whole;
}
