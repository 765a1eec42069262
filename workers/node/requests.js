// The worker: requests and answers. Its state is the prepared cells, the arena
// and the latest sample's output in it.

import { createHash } from 'node:crypto';
import { operations, pieces, refuse } from './algorithms.js';
import { Arena, MOST_ARENA, PAGE } from './arena.js';
import { Cell } from './cell.js';
import { check } from './check.js';
import { callCost, clockStep, loopCost } from './clock.js';
import { collect } from './collect.js';
import { MOST_INSTANCES, readLayout } from './layout.js';
import { LINE } from './lines.js';
import { compiledBytes, freeMemory, heapLimit, memory } from './memory.js';
import { answer, failure, MOST, parse, reason, Unsupported } from './message.js';
import { MOST_KEYS, MOST_TEXTS } from './rotation.js';
import { anew, Run } from './timing.js';

const CELLS = 65536;
const MOST_CELL = 2 ** 32 - 1;
const MOST_ITERATIONS = 2 ** 32 - 1;
const MOST_MESSAGE = 2 ** 30;
const MOST_AAD = 2 ** 20;
const MOST_LATENCIES = 4000;

/** @typedef {{ offer: import('./algorithms.js').Offer, operation: string, form: string }} Found */
/** @typedef {import('./message.js').Request} Request */

export class Worker {
  /** @type {Map<number, Cell>} */
  #cells = new Map();
  #arena = new Arena();
  /**
   * The latest sample's output; undefined when it is gone.
   *
   * @type {{ cell: Cell, first: number, last: number, output: any } | undefined}
   */
  #left;
  #handlers = {
    describe: () => this.#describe(),
    check: (/** @type {Request} */ request) => check(request, (asked) => this.#find(asked)),
    prepare: (/** @type {Request} */ request) => this.#prepare(request),
    sample: (/** @type {Request} */ request) => this.#sample(request),
    latency: (/** @type {Request} */ request) => this.#latency(request),
    digest: (/** @type {Request} */ request) => this.#digest(request),
    release: (/** @type {Request} */ request) => this.#release(request),
    clock: () => answer('clock', { step_ns: clockStep(), call_ns: callCost(), loop_ns: loopCost() }),
    memory: (/** @type {Request} */ request) => answer('memory', memory(request.numberOr('reset', 0, 0, 1) === 1)),
    compilation: () => answer('compilation', { mark: compiledBytes() }),
  };

  /** @param {{ offers: import('./algorithms.js').Offer[], absent: { provider: string, why: string }[] }} loaded */
  constructor({ offers, absent }) {
    this.offers = offers;
    this.absent = absent;
  }

  /**
   * The answer to one line, newline included. Every thrown value becomes an answer, too.
   *
   * @param {Uint8Array} line
   */
  async answer(line) {
    try {
      const request = parse(line);
      const asked = request.text('do');
      if (!Object.hasOwn(this.#handlers, asked)) {
        const all = Object.keys(this.#handlers).join(', ');
        throw new Error(`"${asked.slice(0, 40)}" is not a request of this worker; send one of ${all}`);
      }
      return await this.#handlers[asked](request);
    } catch (cause) {
      return failure(cause);
    }
  }

  #describe() {
    const background = undefined; // an idle Node wakes up less than once a second
    const about = { protocol: 1, worker: 'node', runtime: `Node ${process.version}, V8 ${process.versions.v8}`, background };
    const offers = this.offers.map((offer) =>
      answer('offer', {
        provider: offer.provider,
        version: offer.version,
        algorithm: offer.algorithm,
        operations: operations(offer).join(','),
        forms: offer.forms.join(','),
        path: offer.path,
        setup: offer.expand ? undefined : 'inside',
      }),
    );
    const absent = this.absent.map((one) => answer('absent', one));
    return [
      answer('worker', { ...about, compiles: 1, layouts: 1, rotates: 1, process_cpu: 1 }),
      ...offers,
      ...absent,
      answer('end'),
    ].join('');
  }

  /**
   * The offer that a request concerns.
   *
   * @param {Request} request
   * @returns {Found}
   */
  #find(request) {
    const [provider, algorithm, operation] = ['provider', 'algorithm', 'operation'].map((key) => request.text(key));
    const asked = request.textOr('form', null);
    const offer = this.offers.find((one) => one.provider === provider && one.algorithm === algorithm);
    if (!offer) {
      const names = `${algorithm.slice(0, 40)} of provider ${provider.slice(0, 40)}`;
      throw new Unsupported(`no ${names} here; describe lists what there is`);
    }
    const form = asked ?? offer.forms[0];
    for (const [what, name, all] of /** @type {const} */ ([
      ['operation', operation, operations(offer)],
      ['form', form, offer.forms],
    ])) {
      if (!all.includes(name)) {
        throw new Unsupported(`${algorithm} has no ${what} ${name.slice(0, 40)}; it has ${all.join(', ')}`);
      }
    }
    return { offer, operation, form };
  }

  async #prepare(/** @type {Request} */ request) {
    const number = request.number('cell', 0, MOST_CELL);
    const parameters = {
      message: request.number('message', 0, MOST_MESSAGE),
      aad: request.numberOr('aad', 0, 0, MOST_AAD),
      seed: request.number('seed', 0, MOST),
      offset: request.numberOr('offset', 0, 0, PAGE - 1),
      instances: request.numberOr('instances', 1, 1, MOST_INSTANCES),
      texts: request.numberOr('texts', 1, 1, MOST_TEXTS),
      keys: request.numberOr('keys', 1, 1, MOST_KEYS),
    };
    const threads = request.numberOr('threads', 1, 1, MOST);
    if (parameters.offset % 64 !== 0) throw new Error('the key "offset" is not a multiple of 64; send one');
    if (this.#cells.has(number)) {
      throw new Error(`cell ${number} is prepared already; release it first or take another number`);
    }
    if (this.#cells.size >= CELLS) throw new Error(`${CELLS} cells are prepared; release some first`);
    const { offer, operation, form } = this.#find(request);
    if (threads !== 1) throw new Unsupported(`${threads} threads; this worker measures one thread`);
    const cell = new Cell(offer, operation, form, parameters);
    goesRound(cell);
    fits(cell);
    try {
      await cell.setUp();
    } catch (cause) {
      throw new Unsupported(`${offer.provider} refuses the key: ${reason(cause)}`);
    }
    this.#cells.set(number, cell);
    return answer('ready', { cell: number });
  }

  /** The prepared cell that a request concerns. */
  #cell(/** @type {Request} */ request) {
    const number = request.number('cell', 0, MOST_CELL);
    const cell = this.#cells.get(number);
    if (!cell) throw new Error(`cell ${number} is not prepared; send prepare first`);
    return { number, cell };
  }

  /**
   * Sets up the buffers of a cell in the arena, whose former content is lost, and passes it to `use`.
   *
   * @template T
   * @param {{ number: number, cell: Cell }} cell
   * @param {(run: Run) => Promise<T>} use
   */
  async #armed({ number, cell }, use) {
    this.#left = undefined;
    try {
      const loop = await cell.arm(this.#arena.atLeast(cell.size));
      if (cell.rotation.unsettles) await collect();
      return await use(new Run(cell, loop));
    } catch (cause) {
      throw new Error(`cell ${number} failed: ${reason(cause)}; release it and leave this offer out`, { cause });
    }
  }

  async #sample(/** @type {Request} */ request) {
    const { number, cell } = this.#cell(request);
    const warmup = request.numberOr('warmup_ns', 0, 0, MOST);
    const iterations = request.number('iterations', 1, MOST_ITERATIONS);
    const layout = readLayout(request);
    if (layout) cell.moveTo(layout);
    const first = cell.last + 1;
    const { left, ns, cpu, faults } = await this.#armed({ number, cell }, async (run) => {
      await run.warmUp(warmup);
      return run.sample(iterations);
    });
    this.#left = { cell, first, last: cell.last, output: left };
    return answer('sample', {
      cell: number,
      iterations,
      ns,
      cpu_ns: cpu,
      first,
      last: cell.last,
      minor_faults: faults,
    });
  }

  async #latency(/** @type {Request} */ request) {
    const { number, cell } = this.#cell(request);
    const count = request.number('count', 1, MOST_LATENCIES);
    const warmup = request.numberOr('warmup_ns', 0, 0, MOST);
    const { ns, clock } = await this.#armed({ number, cell }, async (run) => {
      await run.warmUp(warmup);
      return run.latency(count);
    });
    const reply = answer('latency', { cell: number, ns, clock_ns: clock });
    if (reply.length > LINE) throw new Error(`the answer is longer than ${LINE} bytes; ask for a smaller count`);
    return reply;
  }

  async #digest(/** @type {Request} */ request) {
    const { number, cell } = this.#cell(request);
    const iteration = request.number('iteration', 0, MOST);
    const first = request.numberOr('first', iteration, 0, MOST);
    if (cell.setsUpKeys) throw new Unsupported('key-setup has no digest');
    const left = this.#left;
    const isLeft = left?.cell === cell && left.first === first && left.last === iteration;
    const output = isLeft ? left.output : await anew(cell, first, iteration);
    const sum = createHash('sha256');
    for (const piece of pieces(output)) sum.update(piece);
    return answer('digest', { cell: number, sha256: sum.digest('hex') });
  }

  async #release(/** @type {Request} */ request) {
    const { number, cell } = this.#cell(request);
    if (this.#left?.cell === cell) this.#left = undefined;
    this.#cells.delete(number);
    if (this.#cells.size === 0) {
      this.#left = undefined;
      await this.#arena.free(); // a large cell's memory must not affect later measurements
    }
    return answer('released', { cell: number });
  }
}

/** Throws if a cell's texts and keys can't go round. */
function goesRound(/** @type {Cell} */ { rotation: { rotates, texts, keys }, setsUpKeys, opens }) {
  if (rotates && setsUpKeys) throw new Unsupported('several texts or keys go round in single calls of one thread alone');
  if (opens && texts % keys !== 0) {
    throw new Unsupported(`${texts} texts to open under ${keys} keys: each key has as many as any other`);
  }
}

/**
 * Throws if its algorithm has no such message, or if a cell needs more memory than is free, or than its library, an
 * arena or V8's heap can have.
 */
function fits(/** @type {Cell} */ { message, size, need, setsUpKeys, rotation: { objects }, offer: { most, algorithm } }) {
  if (!setsUpKeys) refuse(algorithm, message);
  if (most && message > most.message) {
    throw new Unsupported(`a message of ${message} bytes; at most ${most.message} fit: ${most.why}`);
  }
  if (size > MOST_ARENA) {
    throw new Unsupported(`this cell's texts need ${size} bytes; WebAssembly's memory, where they lie, ends at ${MOST_ARENA}`);
  }
  const heap = heapLimit();
  if (objects > heap / 2) {
    throw new Unsupported(
      `this cell's texts and keys need ${objects} bytes of V8's heap, more than half of its ${heap}; start the worker with NODE_OPTIONS=--max-old-space-size=${Math.ceil((2 * objects) / 2 ** 20)} in its environment`,
    );
  }
  const free = freeMemory();
  if (free !== null && need > free / 2) {
    throw new Unsupported(
      `this cell needs ${need} bytes, more than half of the free memory of ${free} bytes; free some or use a smaller message`,
    );
  }
}
