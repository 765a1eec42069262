// What a provider is to the page: a library that seals and opens under a key. Each has a file of its own here.

/** How calls are made: each awaited before the next (`fresh`), or 32 in flight at once (`batch`), PROTOCOL.md. */
export type Form = 'fresh' | 'batch';

export type Bytes = Uint8Array<ArrayBuffer>;

/** A key that is set up. `open` throws, or its promise is rejected, where the tag is wrong. */
export interface Keyed {
  seal(nonce: Bytes, aad: Bytes, message: Bytes): Bytes | Promise<Bytes>;
  open(nonce: Bytes, aad: Bytes, sealed: Bytes): Bytes | Promise<Bytes>;
}

export interface Offer {
  algorithm: string;
  forms: Form[];
  version: string;
  /** The code path, `unknown` where the library does not say. */
  path: string;
  /** The address of the file that has the library; null: the browser itself is it. */
  file: string | null;
  /** Whether the key is set up inside each timed call. */
  setup: 'inside' | 'outside';
  /** Whether calls return promises. */
  awaits: boolean;
  keyed(key: Bytes): Keyed | Promise<Keyed>;
  /** Whether an error means that the tag was wrong, and not that something broke. */
  rejects(cause: unknown): boolean;
}

/** What a page loads once and hands to each worker. */
export interface Modules {
  ciphers: WebAssembly.Module;
  /** The same with vectors, where the browser has them. */
  ciphersSimd: WebAssembly.Module | null;
}

export interface Provider {
  name: string;
  /** What it offers here; throws with the reason where it cannot run. */
  offers(modules: Modules): Offer[] | Promise<Offer[]>;
}

/** Bytes of an algorithm's key, nonce and tag. */
export interface Sizes {
  key: number;
  nonce: number;
  tag: number;
}

/** PROTOCOL.md, "Algorithms": what the page measures of them. */
export const ALGORITHMS: Readonly<Record<string, Sizes>> = {
  'aes-256-gcm': { key: 32, nonce: 12, tag: 16 },
  'chacha20-poly1305': { key: 32, nonce: 12, tag: 16 },
  'xchacha20-poly1305': { key: 32, nonce: 24, tag: 16 },
  'aes-256-gcm-siv': { key: 32, nonce: 12, tag: 16 },
  'aegis-256-32': { key: 32, nonce: 32, tag: 32 },
};

export function sizesOf(algorithm: string): Sizes {
  const sizes = ALGORITHMS[algorithm];
  if (sizes === undefined) throw new Error(`the page knows no algorithm ${algorithm}`);
  return sizes;
}
