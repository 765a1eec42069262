// Known answers (METHODOLOGY.md, point 1): valid vectors seal and open, forged, truncated and flipped ones are rejected.

import { sizesOf } from '../providers/provider';
import type { Bytes, Keyed, Offer } from '../providers/provider';

/** A line of the project's vectors (crates/meter/vectors). */
export interface Vector {
  id: string;
  key: string;
  nonce: string;
  aad: string;
  message: string;
  sealed: string;
  valid: boolean;
}

export interface Verified {
  /** How many vectors it was tried on. */
  tried: number;
  /** What was wrong first; null: nothing. */
  wrong: string | null;
}

export function bytes(hex: string): Bytes {
  const out = new Uint8Array(hex.length / 2);
  for (let i = 0; i < out.length; i += 1) out[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return out;
}

export function equal(a: Bytes, b: Bytes): boolean {
  return a.length === b.length && a.every((byte, place) => byte === b[place]);
}

/** A valid vector with a bit of ciphertext, of tag and of aad changed, and with its last byte cut off. */
function forgeries(vector: Vector): [string, Bytes, Bytes][] {
  const [aad, sealed] = [bytes(vector.aad), bytes(vector.sealed)];
  const flipped = (text: Bytes, place: number) => text.map((byte, at) => (at === place ? byte ^ 1 : byte));
  return [
    ['its first byte flipped', aad, flipped(sealed, 0)],
    ['a byte of its tag flipped', aad, flipped(sealed, sealed.length - 1)],
    ['another aad', new Uint8Array([...aad, 0]), sealed],
    ['its last byte cut off', aad, sealed.slice(0, -1)],
  ];
}

async function isRejected(offer: Offer, open: () => Bytes | Promise<Bytes>): Promise<boolean> {
  try {
    await open();
    return false;
  } catch (cause) {
    return offer.rejects(cause);
  }
}

/** Libraries may refuse what is shorter than a tag as wrong use; the page only asks that nothing opens. */
async function opens(open: () => Bytes | Promise<Bytes>): Promise<boolean> {
  try {
    await open();
    return true;
  } catch {
    return false;
  }
}

async function wrongIn(vector: Vector, offer: Offer, keyed: Keyed): Promise<string | null> {
  const [nonce, aad, message, sealed] = [vector.nonce, vector.aad, vector.message, vector.sealed].map(bytes) as [
    Bytes,
    Bytes,
    Bytes,
    Bytes,
  ];
  if (!vector.valid) {
    return (await isRejected(offer, () => keyed.open(nonce, aad, sealed))) ? null : 'it did not reject a forged text';
  }
  if (!equal(await keyed.seal(nonce, aad, message), sealed)) return 'sealing gives another text';
  if (!equal(await keyed.open(nonce, aad, sealed), message)) return 'opening gives another message';
  for (const [what, otherAad, forged] of forgeries(vector)) {
    if (await opens(() => keyed.open(nonce, otherAad, forged))) return `it opened the text with ${what}`;
  }
  return null;
}

/** Tries an offer on every vector that has the nonce's length with which cells are timed. */
export async function verify(offer: Offer, vectors: readonly Vector[]): Promise<Verified> {
  const { nonce } = sizesOf(offer.algorithm);
  let tried = 0;
  for (const vector of vectors.filter((vector) => vector.nonce.length === 2 * nonce)) {
    let wrong: string | null;
    try {
      wrong = await wrongIn(vector, offer, await offer.keyed(bytes(vector.key)));
    } catch (cause) {
      wrong = `it failed: ${String(cause)}`;
    }
    tried += 1;
    if (wrong !== null) return { tried, wrong: `${vector.id}: ${wrong}` };
  }
  return { tried, wrong: tried > 0 ? null : 'there is no vector of it' };
}
