// A worker: hosts one provider for one fork, and times its calls when the harness asks.

import { exactBrowser } from '../browser';
import { provider } from '../providers';
import { Ciphers } from '../providers/ciphers';
import { sizesOf } from '../providers/provider';
import type { Offer } from '../providers/provider';
import { PreparedCell } from './cell';
import { clockStep, now } from './clock';
import { number, stream } from './contents';
import type { Answers, Asks, Kind, Offered, Reply, Request, Wanted } from './messages';
import { verify } from './verify';

let offers: Offer[] = [];
let ciphers: Ciphers | null = null;
const cells = new Map<number, PreparedCell>();

function own(): Ciphers {
  if (ciphers === null) throw new Error('the worker was not opened');
  return ciphers;
}

function offered(algorithm: string): Offer {
  const offer = offers.find((offer) => offer.algorithm === algorithm);
  if (offer === undefined) throw new Error(`the provider has no ${algorithm}`);
  return offer;
}

function prepared(cell: number): PreparedCell {
  const found = cells.get(cell);
  if (found === undefined) throw new Error(`cell ${cell} is not prepared`);
  return found;
}

async function prepare(wanted: Wanted, seed: number): Promise<PreparedCell> {
  const offer = offered(wanted.algorithm);
  const sizes = sizesOf(wanted.algorithm);
  const of = (label: string, length: number) => stream((input) => own().sha256(input), label, seed, length);
  const [nonce, message] = [of('nonce', sizes.nonce), of('message', wanted.message)];
  const keyed = await offer.keyed(of('key', sizes.key));
  let text = message;
  if (wanted.operation === 'open') {
    number(nonce, 0);
    text = await keyed.seal(nonce, new Uint8Array(0), message);
  }
  return new PreparedCell(keyed, wanted.operation, wanted.form, offer.awaits, text, nonce);
}

const sums = new Map<string, Promise<string | null>>();

/** The SHA-256 of a file that the browser loaded. */
async function read(file: string): Promise<string | null> {
  try {
    const response = await fetch(file, { cache: 'force-cache' });
    if (!response.ok) return null;
    const sum = own().sha256(new Uint8Array(await response.arrayBuffer()));
    return [...sum].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  } catch {
    return null;
  }
}

function sum(file: string): Promise<string | null> {
  const known = sums.get(file) ?? read(file);
  sums.set(file, known);
  return known;
}

/** A look of the probe, in nanoseconds. */
function look(steps: number): number {
  const began = now();
  own().probe(steps);
  return (now() - began) * 1e6;
}

const picoseconds = (ns: number, steps: number) => Math.round((ns * 1e3) / steps);

/** So many steps take every CPU longer than a look: a clock that they do not turn has no probe. */
const MOST_STEPS = 2 ** 24;

/** Steps of a look that lasts so many nanoseconds, counted once the probe is compiled; 0: the clock shows none. */
function lookSteps(ns: number): number {
  for (let steps = 1024; steps <= MOST_STEPS; steps *= 2) {
    // The first is slower, where it is compiled meanwhile, and so is one that something interrupts.
    const took = Math.min(look(steps), look(steps), look(steps), look(steps));
    if (took >= ns) return Math.max(1, Math.round((steps * ns) / took));
  }
  return 0;
}

const DO: { [K in Kind]: (asks: Asks<K>) => Answers<K> | Promise<Answers<K>> } = {
  async open({ provider: name, modules }) {
    ciphers = new Ciphers(modules.ciphers);
    offers = await (await provider(name)).offers(modules);
    return offers.map(({ algorithm, forms, version, path, setup }): Offered => ({ algorithm, forms, version, path, setup }));
  },
  async code({ algorithm }) {
    const { file } = offered(algorithm);
    return {
      runtime: await exactBrowser(),
      library: file === null ? null : (file.split('/').at(-1) ?? file),
      sha256: file === null ? null : await sum(file),
      program: await sum(self.location.href),
    };
  },
  clock: () => clockStep(),
  probe: ({ ns }) => lookSteps(ns),
  verify: ({ algorithm, vectors }) => verify(offered(algorithm), vectors),
  async prepare({ cells: wanted, seed }) {
    for (const cell of wanted) cells.set(cell.cell, await prepare(cell, seed));
    return null;
  },
  warm: ({ cell, ns }) => prepared(cell).warm(ns),
  async sample({ cell, warmup, iterations, steps }) {
    const before = steps > 0 ? look(steps) : null;
    if (warmup > 0) await prepared(cell).warm(warmup);
    const timed = await prepared(cell).timed(iterations);
    const probe = before === null ? null : picoseconds(Math.max(before, look(steps)), steps);
    return { ...timed, probe };
  },
  output: ({ cell }) => prepared(cell).output(),
  make: ({ cell, iteration }) => prepared(cell).make(iteration),
};

const perform = async <K extends Kind>({ do: kind, asks }: Request<K>): Promise<Answers<K>> => DO[kind](asks);

self.onmessage = async ({ data }: MessageEvent<Request>) => {
  let reply: Reply;
  try {
    reply = { id: data.id, answers: await perform(data) };
  } catch (cause) {
    reply = { id: data.id, error: cause instanceof Error ? cause.message : String(cause) };
  }
  self.postMessage(reply);
};
