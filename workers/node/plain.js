// Times the same calls as the worker, as an ordinary user of node:crypto would
// write it: key, nonce and message once, then the obvious loop. It shares no
// code with the worker, and shows that the worker adds no time of its own.
//
//   node plain.js ALGORITHM FORM MESSAGE_BYTES
//
// Each line on standard input is a count of seals; each answer is the
// nanoseconds that they took. Unknown arguments end it with exit code 2.

import { createCipheriv } from 'node:crypto';
import { createInterface } from 'node:readline';

/** The last output, kept so that no compiler can omit the calls. */
let sink;

function refuse(why) {
  process.stderr.write(`plain: ${why}\n`);
  process.exit(2);
}

const words = /^(aes-256-gcm|chacha20-poly1305) fresh ([0-9]{1,9})$/.exec(process.argv.slice(2).join(' '));
if (!words) refuse('give aes-256-gcm or chacha20-poly1305, fresh, MESSAGE_BYTES');
const [, algorithm, size] = words;
const message = new Uint8Array(Number(size)).map((_, i) => i);
const key = Buffer.alloc(32, 1);
const nonce = Buffer.alloc(12);
let sealed = 0;

function seal() {
  sealed++;
  nonce.writeUIntBE(sealed, 2, 6);
  const cipher = createCipheriv(algorithm, key, nonce);
  return { text: cipher.update(message), last: cipher.final(), tag: cipher.getAuthTag() };
}

for await (const line of createInterface({ input: process.stdin })) {
  const count = Number(line);
  if (!Number.isSafeInteger(count) || count < 1) refuse(`a line is not a count of seals: ${line.slice(0, 40)}`);
  const begin = process.hrtime.bigint();
  for (let i = 0; i < count; i++) sink = seal();
  process.stdout.write(`${process.hrtime.bigint() - begin}\n`);
}
