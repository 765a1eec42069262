// The workers of a fork: one for each provider, all of them fresh (METHODOLOGY.md, point 4). One works, the others wait.

import type { Modules } from '../providers/provider';
import type { Offered, Wanted } from '../worker/messages';
import { Host } from './host';
import type { Record } from './record';

/** At the third failure all cells of a provider are excluded. */
const FAILURES = 3;

export class Pool {
  private hosts = new Map<string, Host>();
  private readonly failures = new Map<string, number>();

  constructor(
    private readonly modules: Modules,
    private readonly seed: number,
  ) {}

  /** Starts a worker for a provider; what it offers. */
  async start(provider: string): Promise<Offered[]> {
    this.hosts.get(provider)?.end();
    const host = new Host();
    this.hosts.set(provider, host);
    return host.ask('open', { provider, modules: this.modules });
  }

  of(provider: string): Host {
    const host = this.hosts.get(provider);
    if (host === undefined) throw new Error(`${provider} has no worker`);
    return host;
  }

  /** Ends all workers and starts new ones with these cells; those that fail are the caller's to exclude. */
  async refresh(records: readonly Record[], failed: (record: Record, why: string) => void): Promise<void> {
    this.end();
    const providers = new Set(records.map((record) => record.cell.provider));
    for (const provider of providers) {
      const own = records.filter((record) => record.cell.provider === provider);
      try {
        await this.start(provider);
        await this.of(provider).ask('prepare', { cells: own.map(wanted), seed: this.seed });
      } catch (cause) {
        for (const record of own) failed(record, (cause as Error).message);
      }
    }
  }

  /** Notes that a provider's worker failed and restarts it; whether it may go on. */
  async restart(provider: string, records: readonly Record[]): Promise<boolean> {
    const failures = (this.failures.get(provider) ?? 0) + 1;
    this.failures.set(provider, failures);
    if (failures >= FAILURES) return false;
    try {
      await this.start(provider);
      await this.of(provider).ask('prepare', { cells: records.map(wanted), seed: this.seed });
      return true;
    } catch {
      return false;
    }
  }

  end(): void {
    for (const host of this.hosts.values()) host.end();
    this.hosts = new Map();
  }
}

function wanted({ id, cell }: Record): Wanted {
  return { cell: id, algorithm: cell.algorithm, operation: cell.operation, form: cell.form, message: cell.message };
}
