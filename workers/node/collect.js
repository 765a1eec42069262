// Garbage collection on request, without a flag on Node's command line.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** @type {(() => void) | undefined} */
let gc;

/** Collects all garbage, and moves what is left to where it stays. */
export async function collect() {
  await new Promise((resolve) => setImmediate(resolve)); // views may still be on the stack
  if (!gc) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc');
  }
  gc();
}
