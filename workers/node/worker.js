// Ciphermeter's Node worker: it speaks PROTOCOL.md on standard input and output
// and hosts the providers named as arguments, or all without arguments.
//
// It promises one answer for each line (describe: a list), in the order of the
// lines, never a crash whatever a line contains or a library throws, and exit
// code 0 at the end of its input.

import { once } from 'node:events';
import { LINE, lines } from './lines.js';
import { failure } from './message.js';
import { load, PROVIDERS } from './providers.js';
import { Worker } from './requests.js';

async function main() {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !PROVIDERS.includes(name));
  if (unknown !== undefined) {
    process.stderr.write(`node worker: no provider ${unknown}; name some of ${PROVIDERS.join(', ')}, or none for all\n`);
    process.exitCode = 2;
    return;
  }
  const worker = new Worker(await load(names.length > 0 ? names : PROVIDERS));
  for await (const line of lines(process.stdin)) {
    const reply =
      line === null ? failure(new Error(`a line of more than ${LINE} bytes; send a shorter one`)) : await worker.answer(line);
    if (!process.stdout.write(reply)) await once(process.stdout, 'drain');
  }
}

// A library may throw outside any awaited promise: the current request is still
// answered.
process.on('uncaughtException', (cause) => {
  process.stderr.write(`node worker: thrown outside of any request: ${cause?.stack ?? cause}\n`);
});
// The answers are no longer read.
process.stdout.on('error', () => process.exit(1));

main().catch((cause) => {
  process.stderr.write(`node worker: ${cause?.stack ?? cause}\n`);
  process.exit(1);
});
