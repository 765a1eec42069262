// A run of the page, from the first request to the last fork (METHODOLOGY.md): verify, measure the clock, pilot, forks of shuffled rounds,
// outputs checked after each.

import type { Modules } from '../providers/provider';
import type { Vector } from '../worker/verify';
import { Attention } from './attention';
import { Excluded } from './excluded';
import { checkOutputs } from './outputs';
import { COPIES, cells, planned } from './plan';
import type { Block, Plan, Wishes } from './plan';
import { Pool } from './pool';
import { levels, power, supply } from './power';
import type { Power } from './power';
import { random } from './random';
import { Record } from './record';
import type { Sample } from './record';
import { order } from './schedule';
import type { Turn } from './schedule';
import { level, slowerFrom } from './speed';

export interface Options {
  modules: Modules;
  vectors: { [algorithm: string]: Vector[] };
  seed: number;
  /** Seconds of the first screen. */
  budget: number;
  wishes: Wishes;
  /** Told what is going on; `share` is how much of the time is over. */
  progress(what: string, share: number): void;
  /** Told after each fork. */
  forked(run: Run): void;
}

/** The fewest forks on which an answer rests, and those that "measure longer" adds. */
const FORKS = 6;
/** METHODOLOGY.md, point 2; a thousand steps of a browser's clock would leave no time for rounds. */
const LEAST_SAMPLE_NS = 300_000;
const LEAST_STEPS = 100;
const WARM_UP_NS = 60_000;
/** With steps from here on, a look of the probe would take longer than the samples around it. */
const COARSEST_PROBED_NS = 25_000;
/** Point 4: cells are called in turns until their compilation has settled. */
const WARM_TURN_NS = 8_000_000;
const SETTLED = 0.02;
const LEAST_ROUNDS = 5;

export class Run {
  readonly started = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  readonly records: Record[] = [];
  readonly excluded = new Excluded();
  readonly notes: string[] = [];
  readonly power: Power[] = [];
  status: 'open' | 'complete' | 'partial' | 'interrupted' = 'open';
  blocks: Block[] = [];
  seconds: number;
  stepNs = 0;
  private steps = 0;
  private plan: Plan | null = null;
  private readonly pool: Pool;
  private readonly draw: () => number;
  private readonly attention = new Attention();
  private readonly surveyed = new Set<string>();
  private readonly pilot = new Map<number, { iterations: number; costs: number }>();
  /** Of each fork: how many rounds it had, and the probe's level. */
  private readonly held: { rounds: number; level: number | null }[] = [];
  /** The first of them that counts. */
  private counted = 0;
  private isStopped = false;

  constructor(private readonly options: Options) {
    this.seconds = options.budget;
    this.pool = new Pool(options.modules, options.seed);
    this.draw = random(options.seed);
  }

  /** Ends the run after the sample that is being taken; what was measured is kept. */
  stop(): void {
    this.isStopped = true;
  }

  /** The first screen's question. */
  async first(): Promise<void> {
    const ends = performance.now() + this.options.budget * 1000;
    await this.clock();
    this.plan = planned(this.stepNs, this.options.wishes);
    await this.join(this.plan.first, ends);
    await this.hold(FORKS, this.atLeastHalf(ends, this.options.budget));
  }

  /** All else, and more of what was measured, for so many seconds. */
  async longer(seconds: number): Promise<void> {
    const ends = performance.now() + seconds * 1000;
    this.seconds += seconds;
    this.status = 'open';
    this.isStopped = false;
    if (this.plan !== null && this.options.wishes.providers === undefined) await this.join(this.plan.later, ends);
    await this.hold(FORKS, this.atLeastHalf(ends, seconds));
  }

  /** Where checking took more than half of the time, forks have half of it still: with less, nothing would be known. */
  private atLeastHalf(ends: number, seconds: number): number {
    return Math.max(ends, performance.now() + seconds * 500);
  }

  private get measuring(): Record[] {
    return this.records.filter((record) => record.isIn);
  }

  private async clock(): Promise<void> {
    this.options.progress('Looking at the clock', 0);
    await this.lookAtPower();
    const [provider = ''] = this.options.wishes.providers ?? COPIES;
    await this.pool.start(provider);
    this.stepNs = await this.pool.of(provider).ask('clock', {});
    if (this.stepNs > COARSEST_PROBED_NS) return;
    const look = Math.max(WARM_UP_NS, LEAST_STEPS * this.stepNs);
    this.steps = await this.pool.of(provider).ask('probe', { ns: look });
  }

  private async lookAtPower(): Promise<void> {
    const reading = await power();
    if (reading !== null) this.power.push(reading);
  }

  /** What is said beside the answer. */
  get remarks(): string[] {
    const onBattery = `the device ran on its battery (${levels(this.power)}), and may be faster on mains`;
    return [...this.notes, ...(supply(this.power) === 'battery' ? [onBattery] : []), ...this.excluded.sentences()];
  }

  /** Adds the cells of some blocks: surveys, verifies, prepares and tries them. */
  private async join(blocks: Block[], ends: number): Promise<void> {
    this.blocks = [...this.blocks, ...blocks];
    const added: Record[] = [];
    for (const provider of new Set(blocks.flatMap((block) => block.providers))) {
      added.push(...(await this.survey(provider, blocks)));
    }
    await this.pool.refresh(this.measuring, (record, why) => this.fail(record, why));
    const left = (this.atLeastHalf(ends, this.options.budget) - performance.now()) / 5;
    for (const record of added.filter((record) => record.isIn)) await this.tryOut(record, left);
  }

  private async survey(provider: string, blocks: Block[]): Promise<Record[]> {
    this.options.progress(`Checking ${provider}`, 0);
    const added: Record[] = [];
    try {
      const offers = await this.pool.start(provider);
      for (const cell of cells(blocks, provider, offers)) {
        const offer = offers.find((offer) => offer.algorithm === cell.algorithm);
        const isKnown = this.records.some(({ cell: known }) => JSON.stringify(known) === JSON.stringify(cell));
        if (offer === undefined || isKnown) continue;
        const code = await this.pool.of(provider).ask('code', { algorithm: cell.algorithm });
        added.push(new Record(this.records.length + added.length, cell, offer, code));
      }
      for (const algorithm of new Set(added.map((record) => record.cell.algorithm))) {
        const vectors = this.options.vectors[algorithm] ?? [];
        const { wrong } = await this.pool.of(provider).ask('verify', { algorithm, vectors });
        if (wrong === null) continue;
        for (const record of added.filter(({ cell }) => cell.algorithm === algorithm)) record.outcome = { is: 'wrong-output', why: wrong };
      }
    } catch (cause) {
      const note = `${provider} is not measured: ${(cause as Error).message}`;
      if (!this.surveyed.has(note)) this.notes.push(note);
      this.surveyed.add(note);
    }
    this.records.push(...added);
    return added;
  }

  /** How many calls a sample has, and what it costs; what is too slow is excluded. */
  private async tryOut(record: Record, leftMs: number): Promise<void> {
    const least = Math.max(LEAST_SAMPLE_NS, LEAST_STEPS * this.stepNs);
    if (FORKS * least > leftMs * 1e6) {
      const [sample_ms, budget_s] = [Math.round(least / 1e6), Math.ceil((5 * FORKS * least) / 1e9)];
      const why = `the clock is so coarse that a sample takes ${sample_ms} ms`;
      record.outcome = { is: 'left-out', why, reason: 'coarse-clock', sample_ms, budget_s };
      return;
    }
    try {
      const each = await this.pool.of(record.cell.provider).ask('warm', { cell: record.id, ns: Math.max(least, WARM_TURN_NS) });
      const iterations = Math.max(1, Math.ceil(least / Math.max(each, 1)));
      const look = this.steps > 0 ? 2 * Math.max(WARM_UP_NS, LEAST_STEPS * this.stepNs) : 0;
      const costs = iterations * each + Math.max(WARM_UP_NS, each) + look;
      this.pilot.set(record.id, { iterations, costs });
      if (FORKS * costs > leftMs * 1e6) {
        const [sample, left] = [Math.round(costs / 1e6), Math.max(0, Math.round(leftMs))];
        const why = `one sample takes ${sample} ms, and six must fit into ${left} ms`;
        record.outcome = { is: 'left-out', why, reason: 'slow-sample', sample_ms: sample, left_ms: left };
      }
    } catch (cause) {
      this.fail(record, (cause as Error).message);
    }
  }

  /** The number of forks that were held, and of the one that is being held. */
  private get forks(): number {
    return this.held.length;
  }

  private get canGoOn(): boolean {
    return this.measuring.length > 0 && !this.isStopped;
  }

  /** So many forks until `ends`, each an equal part of the time that is left. */
  private async hold(forks: number, ends: number): Promise<void> {
    const began = performance.now();
    const share = () => Math.min(1, (performance.now() - began) / (ends - began));
    for (let held = 0; held < forks && this.canGoOn; held += 1) {
      await this.fork(() => Math.max(0, ends - performance.now()) / (forks - held), 'Measuring', share);
    }
    await this.slowedDown((performance.now() - began) / forks);
    await this.lookAtPower();
    this.pool.end();
    const isBroken = this.records.some((record) => record.outcome.is === 'failed' || record.outcome.is === 'wrong-output');
    this.status = this.isStopped ? 'interrupted' : isBroken ? 'partial' : 'complete';
  }

  /** Where the device slowed down for good, what counts are the forks since then, to which those are added that an answer lacks. */
  private async slowedDown(each: number): Promise<void> {
    const since = () => slowerFrom(this.held.slice(this.counted).map(({ level }) => level));
    const lacks = () => this.forks - this.counted - since() < FORKS;
    for (let more = 0; more < FORKS && since() > 0 && lacks() && this.canGoOn; more += 1) {
      await this.fork(
        () => each,
        'Measuring again, as the device slowed down',
        () => 1,
      );
    }
    if (since() === 0 || lacks()) return;
    const before = this.held.slice(this.counted, this.counted + since());
    this.counted += before.length;
    this.excluded.add(
      'slowed',
      before.reduce((sum, { rounds }) => sum + rounds, 0),
    );
    for (const record of this.records) record.leaveOut(this.counted);
  }

  private async fork(allotted: () => number, what: string, share: () => number): Promise<void> {
    if (this.forks > 0) await this.pool.refresh(this.measuring, (record, why) => this.fail(record, why));
    const [began, ms] = [performance.now(), allotted()];
    this.options.progress(what, share());
    await this.warm(began + ms / 4);
    let round = 0;
    while ((round < LEAST_ROUNDS || performance.now() < began + ms) && !this.isStopped) {
      await this.attention.visible();
      this.attention.begin();
      const samples = await this.round(round);
      const why = this.attention.end();
      if (why === null) this.keep(samples);
      else this.excluded.add(why);
      if (why === null) round += 1;
      this.options.progress(what, share());
    }
    if (this.isStopped) for (const record of this.records) record.cutOff(this.forks);
    else await checkOutputs(this.pool, this.measuring);
    const readings = this.records.flatMap(({ forks }) => forks.filter(({ fork }) => fork === this.forks).flatMap((fork) => fork.probe_ps));
    this.held.push({ rounds: round, level: level(readings) });
    this.options.forked(this);
  }

  private keep(samples: Sample[]): void {
    for (const sample of samples) this.records[sample.cell]?.keep(this.forks, sample);
  }

  private async warm(over: number): Promise<void> {
    const best = new Map<number, number>();
    for (let pass = 0, changed = 0; performance.now() < over && pass < 2 * changed + 2; pass += 1) {
      for (const record of this.measuring) {
        await this.sampled(record, async () => {
          const each = await this.pool.of(record.cell.provider).ask('warm', { cell: record.id, ns: WARM_TURN_NS });
          if (each < (best.get(record.id) ?? Infinity) * (1 - SETTLED)) changed = pass;
          best.set(record.id, Math.min(each, best.get(record.id) ?? Infinity));
        });
      }
    }
  }

  private async round(round: number): Promise<Sample[]> {
    const turns = this.measuring.map(({ id, cell }): Turn => ({ id, cell, costs: this.pilot.get(id)?.costs ?? 0 }));
    const samples: Sample[] = [];
    let after: number | null = null;
    for (const [turn, { id, cell }] of order(turns, round, this.draw).entries()) {
      const record = this.records[id];
      if (record === undefined || !record.isIn || this.isStopped) continue;
      await this.sampled(record, async () => {
        const iterations = this.pilot.get(id)?.iterations ?? 1;
        const asks = { cell: id, warmup: WARM_UP_NS, iterations, steps: this.steps };
        const sampled = await this.pool.of(cell.provider).ask('sample', asks);
        // A clock that stood still says nothing of the calls.
        if (sampled.ns > 0) samples.push({ cell: id, round, turn, after, ...sampled });
      });
      after = id;
    }
    return samples;
  }

  /** Asks a worker for something; where it fails, that cell is out, and its others go on in a new worker. */
  private async sampled(record: Record, ask: () => Promise<void>): Promise<void> {
    try {
      await ask();
    } catch (cause) {
      this.fail(record, (cause as Error).message);
      const own = this.measuring.filter(({ cell }) => cell.provider === record.cell.provider);
      if (await this.pool.restart(record.cell.provider, own)) return;
      for (const other of own) this.fail(other, `its worker failed three times, last with: ${(cause as Error).message}`);
    }
  }

  private fail(record: Record, why: string): void {
    record.outcome = { is: 'failed', why };
  }
}
