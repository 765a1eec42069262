import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { padding } from '../layout.js';

const STACK_POINTER = 7; // of the fields in proc_pid_syscall(5)
const TASK = `/proc/self/task/${process.pid}/syscall`;

/** Whether the kernel shows where threads' stacks are. */
function shows() {
  try {
    return readFileSync(TASK, 'latin1').length > 0;
  } catch {
    return false;
  }
}

/** Waits until another thread has looked where this one's stack is. */
function wait(signal) {
  Atomics.store(signal, 0, 0);
  Atomics.store(signal, 1, 1);
  Atomics.wait(signal, 0, 0);
}

test('more arguments move the stack by their size', { skip: !shows() && 'this kernel does not show stacks' }, async () => {
  const signal = new Int32Array(new SharedArrayBuffer(8));
  const seen = new Float64Array(new SharedArrayBuffer(8));
  const watcher = `
    const { readFileSync } = require('node:fs');
    const { workerData: { signal, seen } } = require('node:worker_threads');
    for (;;) {
      while (Atomics.load(signal, 1) === 0);
      let fields;
      do fields = readFileSync('${TASK}', 'latin1').split(' ');
      while (fields.length <= ${STACK_POINTER});
      seen[0] = Number(fields[${STACK_POINTER}]);
      Atomics.store(signal, 1, 0);
      Atomics.store(signal, 0, 1);
      Atomics.notify(signal, 0);
    }`;
  const thread = new Worker(watcher, { eval: true, workerData: { signal, seen } });
  const at = (stack) => {
    wait(signal, ...padding(stack));
    return seen[0];
  };
  try {
    const start = at(0);
    for (let round = 0; round < 50; round++) {
      for (const stack of [0, 16, 208, 1008]) assert.equal(start - at(stack), stack);
    }
  } finally {
    await thread.terminate();
  }
});
