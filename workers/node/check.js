// check: one vector, in separate buffers.

import { ALGORITHMS, openedBytes, pieces, refuse, sealedBytes } from './algorithms.js';
import { answer, Rejected, reason, Unsupported } from './message.js';

/** The longest input in bytes. */
const INPUT = 16 * 1024;

/**
 * @param {import('./message.js').Request} request
 * @param {(request: import('./message.js').Request) => import('./requests.js').Found} find
 */
export async function check(request, find) {
  const raw = request.bytes('key');
  const input = request.bytes('input');
  const nonce = request.bytes('nonce', false);
  const aad = request.bytes('aad', false);
  if (input.length > INPUT) throw new Error(`an input of ${input.length} bytes; send at most ${INPUT}`);
  const { offer, operation, form } = find(request);
  const sizes = ALGORITHMS[offer.algorithm];
  if (operation === 'key-setup') throw new Unsupported('key-setup cannot be checked');
  if (raw.length !== sizes.key) throw new Unsupported(`key of ${raw.length} bytes; ${offer.algorithm} takes ${sizes.key}`);
  if (nonce.length !== sizes.nonce && !offer.anyNonce) {
    throw new Unsupported(`nonce of ${nonce.length} bytes; ${offer.algorithm} takes ${sizes.nonce}`);
  }
  refuse(offer.algorithm, input.length);
  const key = offer.expand ? await offer.expand(raw) : raw;
  if (nonce.length !== sizes.nonce) await tryNonce(offer, { key, nonce, aad, src: new Uint8Array(0) });

  const seals = operation === 'seal' || operation === 'encrypt';
  if (!seals && input.length < sizes.tag) throw new Rejected();
  const length = seals ? sealedBytes(offer.algorithm, input.length) : openedBytes(offer.algorithm, input.length);
  const same = new Uint8Array(Math.max(input.length, length));
  same.set(input);
  const dst = { fresh: undefined, into: new Uint8Array(length), 'in-place': same.subarray(0, length) }[form];
  const job = { key, nonce, aad, src: same.subarray(0, input.length), dst };
  const output = await (seals ? offer.seal(job)() : open(offer, job));
  return answer('output', { output: Buffer.concat(pieces(output)).toString('hex') });
}

/** Nonce sizes that the library refuses are unsupported; an empty message is sealed to find out. */
async function tryNonce(offer, job) {
  try {
    await offer.seal(job)();
  } catch (cause) {
    throw new Unsupported(`nonce of ${job.nonce.length} bytes: ${reason(cause)}`);
  }
}

async function open(offer, job) {
  try {
    return await offer.open(job)();
  } catch (cause) {
    throw offer.rejects(cause) ? new Rejected() : cause;
  }
}
