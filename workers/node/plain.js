// Times the same calls as the worker, as an ordinary user of the libraries
// would write it: key, nonce and message once, then the obvious loop. It shares
// no code with the worker, and shows that the worker adds no time of its own.
//
//   node plain.js PROVIDER ALGORITHM OPERATION FORM MESSAGE_BYTES
//
// Each line on standard input is a count of iterations; each answer is the
// nanoseconds that they took. Unknown arguments end it with exit code 2.

import { createInterface } from 'node:readline';

const LOOPS = {
  'node-crypto': nodeCrypto,
  webcrypto: webCrypto,
  'noble-ciphers': nobleCiphers,
  'libsodium-js': libsodium,
};

/** The last output, kept so that no compiler can omit the calls. */
let sink;

function refuse(why) {
  process.stderr.write(`plain: ${why}\n`);
  process.exit(2);
}

/** A counting nonce: each call returns its buffer with the next number in its first 8 bytes. */
function counter(bytes) {
  const nonce = new Uint8Array(bytes);
  const view = new DataView(nonce.buffer);
  let i = 0;
  return () => {
    i++;
    view.setUint32(0, Math.floor(i / 2 ** 32));
    view.setUint32(4, i % 2 ** 32);
    return nonce;
  };
}

async function nodeCrypto({ algorithm, operation, message }) {
  const { createCipheriv, createDecipheriv } = await import('node:crypto');
  if (!['aes-128-gcm', 'aes-256-gcm', 'chacha20-poly1305'].includes(algorithm)) return undefined;
  const key = Buffer.alloc(algorithm === 'aes-128-gcm' ? 16 : 32, 1);
  const nonce = counter(12);
  const seal = (bytes) => {
    const cipher = createCipheriv(algorithm, key, nonce());
    return { text: cipher.update(bytes), last: cipher.final(), tag: cipher.getAuthTag() };
  };
  if (operation === 'seal') {
    return (count) => {
      for (let i = 0; i < count; i++) sink = seal(message);
    };
  }
  const fixed = Buffer.alloc(12);
  const cipher = createCipheriv(algorithm, key, fixed);
  const text = Buffer.concat([cipher.update(message), cipher.final()]);
  const tag = cipher.getAuthTag();
  return (count) => {
    for (let i = 0; i < count; i++) {
      const decipher = createDecipheriv(algorithm, key, fixed);
      decipher.setAuthTag(tag);
      sink = { text: decipher.update(text), last: decipher.final() };
    }
  };
}

async function webCrypto({ algorithm, operation, message }) {
  if (!['aes-128-gcm', 'aes-256-gcm'].includes(algorithm)) return undefined;
  const { subtle } = globalThis.crypto;
  const raw = new Uint8Array(algorithm === 'aes-128-gcm' ? 16 : 32).fill(1);
  const key = await subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']);
  const nonce = counter(12);
  if (operation === 'seal') {
    return async (count) => {
      for (let i = 0; i < count; i++) sink = await subtle.encrypt({ name: 'AES-GCM', iv: nonce() }, key, message);
    };
  }
  const fixed = new Uint8Array(12);
  const sealed = await subtle.encrypt({ name: 'AES-GCM', iv: fixed }, key, message);
  return async (count) => {
    for (let i = 0; i < count; i++) sink = await subtle.decrypt({ name: 'AES-GCM', iv: fixed }, key, sealed);
  };
}

async function nobleCiphers({ algorithm, operation, form, message }) {
  const { gcm, gcmsiv } = await import('./build/node_modules/@noble/ciphers/aes.js');
  const { chacha20poly1305, xchacha20poly1305 } = await import('./build/node_modules/@noble/ciphers/chacha.js');
  const fresh = { 'aes-128-gcm': gcm, 'aes-256-gcm': gcm, 'aes-256-gcm-siv': gcmsiv };
  const all = { 'chacha20-poly1305': chacha20poly1305, 'xchacha20-poly1305': xchacha20poly1305 };
  const cipher = form === 'fresh' ? (fresh[algorithm] ?? all[algorithm]) : all[algorithm];
  if (!cipher) return undefined;
  const key = new Uint8Array(algorithm === 'aes-128-gcm' ? 16 : 32).fill(1);
  const bytes = cipher === xchacha20poly1305 ? 24 : 12;
  const nonce = counter(bytes);
  const fixed = new Uint8Array(bytes);
  const sealed = cipher(key, fixed).encrypt(message);
  if (operation === 'seal' && form === 'fresh') {
    return (count) => {
      for (let i = 0; i < count; i++) sink = cipher(key, nonce()).encrypt(message);
    };
  }
  if (operation === 'open' && form === 'fresh') {
    return (count) => {
      for (let i = 0; i < count; i++) sink = cipher(key, fixed).decrypt(sealed);
    };
  }
  const buffer = new Uint8Array(message.length + 16);
  const start = buffer.subarray(0, message.length);
  start.set(message);
  if (operation === 'seal') {
    const from = form === 'in-place' ? start : message;
    return (count) => {
      for (let i = 0; i < count; i++) sink = cipher(key, nonce()).encrypt(from, buffer);
    };
  }
  if (form === 'into') {
    return (count) => {
      for (let i = 0; i < count; i++) sink = cipher(key, fixed).decrypt(sealed, start);
    };
  }
  return (count) => {
    for (let i = 0; i < count; i++) {
      buffer.set(sealed);
      sink = cipher(key, fixed).decrypt(buffer, start);
    }
  };
}

async function libsodium({ algorithm, operation, message }) {
  const { default: sodium } =
    await import('./build/node_modules/libsodium-wrappers-sumo/dist/modules-sumo-esm/libsodium-wrappers.mjs');
  await sodium.ready;
  const name = { 'chacha20-poly1305': 'chacha20poly1305_ietf', 'xchacha20-poly1305': 'xchacha20poly1305_ietf' }[algorithm];
  if (!name) return undefined;
  const encrypt = sodium[`crypto_aead_${name}_encrypt`];
  const decrypt = sodium[`crypto_aead_${name}_decrypt`];
  const bytes = algorithm === 'xchacha20-poly1305' ? 24 : 12;
  const key = new Uint8Array(32).fill(1);
  const nonce = counter(bytes);
  if (operation === 'seal') {
    return (count) => {
      for (let i = 0; i < count; i++) sink = encrypt(message, null, null, nonce(), key);
    };
  }
  const fixed = new Uint8Array(bytes);
  const sealed = encrypt(message, null, null, fixed, key);
  return (count) => {
    for (let i = 0; i < count; i++) sink = decrypt(null, sealed, null, fixed, key);
  };
}

const [provider, algorithm, operation, form, size] = process.argv.slice(2);
const forms = provider === 'noble-ciphers' ? ['in-place', 'into', 'fresh'] : ['fresh'];
if (process.argv.length !== 7) refuse('give PROVIDER ALGORITHM OPERATION FORM MESSAGE_BYTES');
if (!Object.hasOwn(LOOPS, provider)) refuse(`no provider ${provider}; there are ${Object.keys(LOOPS).join(', ')}`);
if (!['seal', 'open'].includes(operation) || !forms.includes(form)) refuse(`no ${operation} ${form} of ${provider} here`);
if (!/^[0-9]{1,10}$/.test(size) || Number(size) > 2 ** 30) refuse(`${size} is not 0 to ${2 ** 30} bytes`);
const message = new Uint8Array(Number(size)).map((_, i) => i);
const run = await LOOPS[provider]({ algorithm, operation, form, message });
if (!run) refuse(`no ${algorithm} ${form} of ${provider} here`);

for await (const line of createInterface({ input: process.stdin })) {
  const count = Number(line);
  if (!Number.isSafeInteger(count) || count < 1) refuse(`a line is not a count of iterations: ${line.slice(0, 40)}`);
  const begin = process.hrtime.bigint();
  const running = run(count);
  if (running) await running;
  const elapsed = process.hrtime.bigint() - begin;
  process.stdout.write(`${elapsed}\n`);
}
