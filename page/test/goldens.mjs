// The estimator as WebAssembly gives the same figures as the binary on stored runs: `node test/goldens.mjs EXPORT...`, exports that the binary
// wrote. Every number of summaries and answer agrees within 1e-12 of its size.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const WITHIN = 1e-12;
const wasm = readFileSync(fileURLToPath(new URL('../build/wasm/estimator.wasm', import.meta.url)));
const { instance } = await WebAssembly.instantiate(wasm);
const { memory, input, output, complete } = instance.exports;

function completed(text) {
  const bytes = new TextEncoder().encode(text);
  // Room for it may move the memory's buffer.
  const place = input(bytes.length);
  new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
  const length = complete();
  return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, output(), length)));
}

let compared = 0;

/** Where two values differ first; null: nowhere. */
function differs(a, b, path) {
  if (typeof a === 'number' && typeof b === 'number') {
    compared += 1;
    return Math.abs(a - b) <= WITHIN * Math.max(Math.abs(a), Math.abs(b)) ? null : `${path}: ${a} and ${b}`;
  }
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b ? null : `${path}: ${a} and ${b}`;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) {
    const found = differs(a[name], b[name], `${path}.${name}`);
    if (found !== null) return found;
  }
  return null;
}

/** What tells a store's run from an imported one: the commands that resume or repeat it. */
function figures({ answer, records }) {
  const { next: _next, sentences: _sentences, left_out: _left, ...decided } = answer;
  return { answer: decided, summaries: records.map(({ summary }) => summary) };
}

let failed = 0;
for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, 'utf8');
  const document = JSON.parse(text);
  const stripped = { ...document, answer: null };
  const again = completed(JSON.stringify(stripped));
  const found = again.error ?? differs(figures(document), figures(again), '');
  if (found !== null) {
    failed += 1;
    process.stdout.write(`${basename(file)}: ${found}\n`);
  }
}
process.stdout.write(`${process.argv.length - 2} runs, ${compared} numbers, ${failed} runs differ\n`);
process.exit(failed > 0 || compared === 0 ? 1 : 0);
