import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createCipheriv, createHash } from 'node:crypto';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ALGORITHMS, operations } from '../algorithms.js';
import { load, PROVIDERS } from '../providers.js';
import { Worker } from '../requests.js';
import { stream } from '../stream.js';

const loaded = await load(PROVIDERS);
const hex = (bytes) => Buffer.from(bytes).toString('hex');

/** Sends one line and wants an answer of one kind. */
async function ask(worker, kind, request) {
  const text = typeof request === 'string' ? request : JSON.stringify(request);
  const reply = await worker.answer(Buffer.from(text));
  assert.ok(reply.endsWith('\n') && reply.indexOf('\n') === reply.length - 1, reply);
  const answer = JSON.parse(reply);
  assert.equal(answer.is, kind, `${text}\nanswered ${reply}`);
  return answer;
}

function prepare(worker, kind, { provider, algorithm }, operation, form, message, more) {
  // A message becomes the sector that it fits into.
  const fitted = ALGORITHMS[algorithm]?.sectors ? Math.max(1, Math.ceil(message / 16)) * 16 : message;
  const cell = { do: 'prepare', cell: 1, provider, algorithm, operation, form, message: fitted, aad: 13, seed: 42, offset: 192 };
  return ask(worker, kind, { ...cell, ...more });
}

/** A test for each offer, operation and form. */
function each(what, operation, body) {
  for (const offer of loaded.offers) {
    for (const name of operations(offer).filter(operation)) {
      for (const form of offer.forms) {
        test(`${what}: ${offer.provider} ${offer.algorithm} ${name} ${form}`, () => body(offer, name, form));
      }
    }
  }
}

const hosting = (offers = loaded.offers) => new Worker({ offers, absent: [] });
const offered = (provider, algorithm) =>
  loaded.offers.find((offer) => offer.provider === provider && offer.algorithm === algorithm);

test('all providers are here', () => assert.deepEqual(loaded.absent, []));

each(
  'left is what is made anew',
  () => true,
  async (offer, operation, form) => {
    const worker = hosting();
    for (const message of [0, 1, 15, 16, 17, 255, 4097]) {
      await prepare(worker, 'ready', offer, operation, form, message);
      await ask(worker, 'sample', { do: 'sample', cell: 1, iterations: 2 });
      const { first, last } = await ask(worker, 'sample', { do: 'sample', cell: 1, warmup_ns: 5000, iterations: 3 });
      assert.ok(first === 3 && last >= 6, `${first} to ${last}`);
      if (operation === 'key-setup') {
        await ask(worker, 'unsupported', { do: 'digest', cell: 1, iteration: 1 });
      } else {
        await ask(worker, 'digest', { do: 'digest', cell: 1, iteration: 0 }); // leaves the leftovers alone
        const digest = { do: 'digest', cell: 1, first, iteration: last };
        const left = await ask(worker, 'digest', digest);
        await ask(worker, 'latency', { do: 'latency', cell: 1, count: 2 });
        assert.deepEqual(await ask(worker, 'digest', digest), left, `${message} bytes`);
      }
      await ask(worker, 'released', { do: 'release', cell: 1 });
    }
  },
);

// An earlier sample did the same work, and a call that does nothing comes after it.
for (const offer of loaded.offers) {
  for (const form of offer.forms.filter((name) => name !== 'fresh')) {
    for (const operation of operations(offer).filter((name) => name !== 'key-setup')) {
      test(`skipped calls show: ${offer.provider} ${offer.algorithm} ${operation} ${form}`, async () => {
        let lazy = false;
        const opens = ['open', 'decrypt'].includes(operation);
        const maybe = (make) => (job) => (lazy ? () => job.dst : make(job));
        const tampered = opens ? { ...offer, open: maybe(offer.open) } : { ...offer, seal: maybe(offer.seal) };
        const worker = hosting([tampered]);
        await prepare(worker, 'ready', offer, operation, form, 64);
        const digest = { do: 'digest', cell: 1, first: 1, iteration: 1 };
        await ask(worker, 'sample', { do: 'sample', cell: 1, iterations: 1 });
        const { sha256 } = await ask(worker, 'digest', digest);
        lazy = true;
        const { last } = await ask(worker, 'sample', { do: 'sample', cell: 1, iterations: 1 });
        const skipped = await ask(worker, 'digest', { do: 'digest', cell: 1, first: last, iteration: last });
        lazy = false;
        await ask(worker, 'latency', { do: 'latency', cell: 1, count: 1 }); // nothing is left any more
        const anew = await ask(worker, 'digest', { do: 'digest', cell: 1, iteration: last });
        assert.notEqual(skipped.sha256, sha256, 'the output of an earlier sample passed for this one');
        assert.notEqual(skipped.sha256, anew.sha256);
      });
    }
  }
}

each(
  'check goes there and back, forgeries are rejected',
  (name) => name === 'seal' || name === 'encrypt',
  async (offer, operation, form) => {
    const worker = hosting();
    const inverse = operation === 'seal' ? 'open' : 'decrypt';
    const { provider, algorithm } = offer;
    const sizes = ALGORITHMS[algorithm];
    const vector = {
      ...{ do: 'check', provider, algorithm, form, aad: '0a' },
      ...{ key: hex(stream('key', 1, sizes.key)), nonce: hex(stream('nonce', 1, sizes.nonce)) },
    };
    const input = '00112233'.repeat(4);
    const { output } = await ask(worker, 'output', { ...vector, operation, input });
    const back = await ask(worker, 'output', { ...vector, operation: inverse, input: output });
    assert.equal(back.output, input);
    await ask(worker, 'unsupported', { ...vector, operation, input, key: vector.key.slice(2) });
    if (!offer.anyNonce) await ask(worker, 'unsupported', { ...vector, operation, input, nonce: `${vector.nonce}00` });
    await ask(worker, 'error', { ...vector, operation, input: '00'.repeat(16 * 1024 + 1) });
    const forged = (output[0] === '0' ? '1' : '0') + output.slice(1);
    if (sizes.tag) await ask(worker, 'rejected', { ...vector, operation: inverse, input: forged });
    if (sizes.tag || sizes.pads) {
      await ask(worker, 'rejected', { ...vector, operation: inverse, input: output.slice(0, 30) });
    }
  },
);

// What an offer's call throws ends the sample only.
test('a call that fails is an error, and the worker lives on', async () => {
  let fails = false;
  const offer = offered('node-crypto', 'aes-256-gcm');
  const seal = (job) => {
    const call = offer.seal(job);
    return () => {
      if (fails) throw new RangeError('Array buffer allocation failed');
      return call();
    };
  };
  const worker = hosting([{ ...offer, seal }]);
  await prepare(worker, 'ready', offer, 'seal', 'fresh', 64);
  fails = true;
  const { why } = await ask(worker, 'error', { do: 'sample', cell: 1, iterations: 1 });
  assert.match(why, /allocation failed/);
  fails = false;
  const { first } = await ask(worker, 'sample', { do: 'sample', cell: 1, iterations: 1 });
  assert.equal(first, 2, 'a number that was used up came again');
});

const LAYOUTS = [
  [0, 0, 0, 0],
  [16, 64, 4080, 1],
  [1008, 4095, 16, 7],
  [496, 2, 2048, 2],
];
const sample = (iterations, [stack, offset, nonce, instance]) => {
  return { do: 'sample', cell: 1, iterations, stack, offset, nonce, instance };
};

each(
  'a layout changes no output',
  (name) => name !== 'key-setup',
  async (offer, operation, form) => {
    const worker = hosting();
    const still = hosting();
    await prepare(still, 'ready', offer, operation, form, 255);
    await prepare(worker, 'ready', offer, operation, form, 255, { instances: 3 });
    for (const layout of LAYOUTS) {
      const { first, last } = await ask(worker, 'sample', sample(2, layout));
      const digest = { do: 'digest', cell: 1, first, iteration: last };
      const left = await ask(worker, 'digest', digest);
      await ask(worker, 'latency', { do: 'latency', cell: 1, count: 1 });
      assert.deepEqual(await ask(worker, 'digest', digest), left, `${layout}`);
      assert.deepEqual(await ask(still, 'digest', digest), left, `${layout}`);
    }
  },
);

test('layouts that are none', async () => {
  const worker = hosting();
  await prepare(worker, 'ready', offered('webcrypto', 'aes-256-gcm'), 'key-setup', 'fresh', 64, { instances: 8 });
  for (const layout of LAYOUTS) await ask(worker, 'sample', sample(1, layout));
  for (const wrong of [
    ...[{ stack: 8 }, { stack: 1024 }, { offset: 4096 }, { nonce: 8 }, { nonce: 4096 }, { instance: 8 }],
    ...[{ stack: null }, { offset: null }, { nonce: null }, { instance: null }],
  ]) {
    await ask(worker, 'error', { ...sample(1, LAYOUTS[0]), ...wrong });
  }
  await ask(worker, 'released', { do: 'release', cell: 1 });
  for (const instances of [0, 9]) {
    await prepare(worker, 'error', offered('webcrypto', 'aes-256-gcm'), 'seal', 'fresh', 64, { instances });
  }
});

each(
  'several texts and keys: left is what is made anew',
  (name) => name !== 'key-setup',
  async (offer, operation, form) => {
    const worker = hosting();
    for (const [texts, keys] of [
      [2, 1],
      [1, 2],
      [4, 2],
      [7, 7],
      [3, 2],
    ]) {
      const opens = ['open', 'decrypt'].includes(operation);
      const answer = opens && texts % keys !== 0 ? 'unsupported' : 'ready';
      await prepare(worker, answer, offer, operation, form, 100, { texts, keys });
      if (answer === 'unsupported') continue;
      for (const layout of LAYOUTS) {
        const { first, last } = await ask(worker, 'sample', { ...sample(5, layout), warmup_ns: 1 });
        assert.ok(last - first >= keys + 4, `${first} to ${last}`);
        const digest = { do: 'digest', cell: 1, first, iteration: last };
        const left = await ask(worker, 'digest', digest);
        await ask(worker, 'latency', { do: 'latency', cell: 1, count: 2 });
        assert.deepEqual(await ask(worker, 'digest', digest), left, `${texts} texts, ${keys} keys`);
      }
      await ask(worker, 'released', { do: 'release', cell: 1 });
    }
  },
);

test('iterations go round texts and keys', async () => {
  const worker = hosting();
  await prepare(worker, 'ready', offered('noble-ciphers', 'aes-256-ctr'), 'encrypt', 'in-place', 65, { texts: 3, keys: 2 });
  const { first, last } = await ask(worker, 'sample', { do: 'sample', cell: 1, iterations: 8 });
  assert.deepEqual([first, last], [1, 8]);
  const { sha256 } = await ask(worker, 'digest', { do: 'digest', cell: 1, first, iteration: last });
  let text = stream('message', 42, 65);
  for (const i of [2, 5, 8]) {
    const nonce = Buffer.alloc(16);
    nonce.writeUInt32BE(i, 4);
    text = createCipheriv('aes-256-ctr', stream(i % 2 ? 'key 1' : 'key', 42, 32), nonce).update(text);
  }
  assert.equal(sha256, createHash('sha256').update(text).digest('hex'));
});

test('texts and keys have limits', async () => {
  const worker = hosting();
  const offer = offered('noble-ciphers', 'chacha20-poly1305');
  for (const wrong of [{ texts: 0 }, { texts: 2 ** 20 + 1 }, { keys: 0 }, { keys: 2 ** 16 + 1 }]) {
    await prepare(worker, 'error', offer, 'seal', 'into', 64, wrong);
  }
  await prepare(worker, 'unsupported', offer, 'seal', 'into', 64, { texts: 2, threads: 2 });
  await prepare(worker, 'unsupported', offer, 'seal', 'into', 2 ** 20, { texts: 2 ** 20 });
  await prepare(worker, 'unsupported', offered('webcrypto', 'aes-256-gcm'), 'key-setup', 'fresh', 64, { keys: 2 });
  await prepare(worker, 'ready', offer, 'seal', 'into', 64, { texts: 300, keys: 100 });
  await ask(worker, 'sample', { do: 'sample', cell: 1, iterations: 5 });
  const { first, last } = await ask(worker, 'sample', { do: 'sample', cell: 1, warmup_ns: 1, iterations: 5 });
  assert.ok(first === 6 && last >= 110, `${first} to ${last}`);
});

test('latency warms up', async () => {
  const worker = hosting();
  await prepare(worker, 'ready', offered('node-crypto', 'aes-256-gcm'), 'seal', 'fresh', 64);
  await ask(worker, 'latency', { do: 'latency', cell: 1, count: 2, warmup_ns: 0 });
  const { first } = await ask(worker, 'sample', { do: 'sample', cell: 1, iterations: 1 });
  assert.equal(first, 3);
  const { ns } = await ask(worker, 'latency', { do: 'latency', cell: 1, count: 2, warmup_ns: 1_000_000 });
  assert.equal(ns.length, 2);
  assert.ok((await ask(worker, 'sample', { do: 'sample', cell: 1, iterations: 1 })).first >= 7);
});

test('what is not done here', async () => {
  const worker = hosting();
  const offer = offered('node-crypto', 'aes-256-gcm');
  const { why } = await prepare(worker, 'unsupported', offer, 'seal', 'fresh', 64, { threads: 2 });
  assert.match(why, /this worker measures one thread/);
  await prepare(worker, 'unsupported', offer, 'seal', 'into', 64);
  await prepare(worker, 'unsupported', offer, 'key-setup', 'fresh', 64);
  await prepare(worker, 'unsupported', { provider: 'none', algorithm: 'aes-256-gcm' }, 'seal', 'fresh', 64);
  await prepare(worker, 'error', offer, 'seal', 'fresh', 64, { offset: 100 });
  await prepare(worker, 'error', offer, 'seal', 'fresh', 2 ** 30 + 1);
  await ask(worker, 'error', { do: 'sample', cell: 1, iterations: 1 });
  await ask(worker, 'error', { do: 'toString' });
  await ask(worker, 'error', 'not JSON');
});

test('memory and compilation are numbers', async () => {
  const worker = hosting();
  const { mark } = await ask(worker, 'compilation', { do: 'compilation' });
  assert.ok(Number.isSafeInteger(mark) && mark > 0);
  const { heap, counter } = await ask(worker, 'memory', { do: 'memory', reset: 1 });
  assert.ok(Number.isSafeInteger(heap) && heap > 0);
  assert.equal(counter, 'v8');
});

function process(program, words, input) {
  const path = fileURLToPath(new URL(`../${program}`, import.meta.url));
  return spawnSync(globalThis.process.execPath, [path, ...words], { input, encoding: 'utf8' });
}

test('a process hosts the providers named, and ends with its input', () => {
  const { status, stdout } = process('worker.js', ['webcrypto'], '{"do":"describe"}\n{"do":"clock"}');
  const answers = stdout.trimEnd().split('\n').map(JSON.parse);
  assert.equal(status, 0);
  assert.deepEqual([...new Set(answers.map(({ provider }) => provider))], [undefined, 'webcrypto']);
  assert.equal(answers.at(-1).is, 'clock');
  assert.equal(process('worker.js', ['none'], '').status, 2);
});

test('the plain loop answers each count, and knows what it lacks', () => {
  for (const algorithm of ['aes-256-gcm', 'chacha20-poly1305']) {
    const { status, stdout } = process('plain.js', [algorithm, 'fresh', '1024'], '3\n2\n');
    assert.equal(status, 0);
    assert.match(stdout, /^[1-9][0-9]*\n[1-9][0-9]*\n$/);
  }
  const { status, stderr } = process('plain.js', ['aes-256-gcm', 'in-place', '16'], '');
  assert.equal(status, 2);
  assert.equal(stderr.split('\n').length, 2);
});
