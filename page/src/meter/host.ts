// The harness's side of a worker: one request at a time, each with a limit.

import type { Answers, Asks, Kind, Reply, Request } from '../worker/messages';

/** Longer than any request may take: a worker that is silent for so long hangs. */
const LIMIT_MS = 30_000;

export class WorkerFailed extends Error {}

export class Host {
  private readonly worker = new Worker(new URL('../worker/worker.ts', import.meta.url), { type: 'module' });
  private asked = 0;

  /** What the worker answers. Throws [`WorkerFailed`] with what it says, or because it does not answer. */
  ask<K extends Kind>(kind: K, asks: Asks<K>): Promise<Answers<K>> {
    this.asked += 1;
    const request: Request<K> = { id: this.asked, do: kind, asks };
    return new Promise((resolve, reject) => {
      const ends = new AbortController();
      const fail = (why: string) => {
        ends.abort();
        reject(new WorkerFailed(why));
      };
      const timer = setTimeout(() => fail(`the worker did not answer within ${LIMIT_MS / 1000} s`), LIMIT_MS);
      ends.signal.addEventListener('abort', () => clearTimeout(timer));
      const { signal } = ends;
      this.worker.addEventListener(
        'message',
        ({ data }: MessageEvent<Reply>) => {
          if (data.id !== request.id) return;
          if ('error' in data) return fail(data.error);
          ends.abort();
          resolve(data.answers as Answers<K>);
        },
        { signal },
      );
      this.worker.addEventListener('error', (event) => fail(`the worker broke: ${event.message ?? 'its program did not load'}`), {
        signal,
      });
      this.worker.postMessage(request);
    });
  }

  end(): void {
    this.worker.terminate();
  }
}
