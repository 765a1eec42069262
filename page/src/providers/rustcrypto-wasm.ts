// RustCrypto as WebAssembly, of the versions that the binary measures (page/ciphers), with vectors where the browser has them.

import ciphersUrl from '../../build/wasm/ciphers.wasm?url';
import ciphersSimdUrl from '../../build/wasm/ciphers-simd.wasm?url';
import { Ciphers, NUMBERED, Rejected } from './ciphers';
import { sizesOf } from './provider';
import type { Bytes, Modules, Offer } from './provider';

export const name = 'rustcrypto-wasm';

function offersOf(module: WebAssembly.Module, path: string, file: string): Offer[] {
  const instance = (algorithm: string) => {
    const own = new Ciphers(module);
    return (key: Bytes) => own.keyed(algorithm, key, sizesOf(algorithm).tag);
  };
  return NUMBERED.map((algorithm) => ({
    algorithm,
    forms: ['fresh'],
    version: __RUSTCRYPTO__[algorithm] ?? 'unknown',
    path,
    file,
    setup: 'outside',
    awaits: false,
    keyed: instance(algorithm),
    rejects: (cause) => cause instanceof Rejected,
  }));
}

export function offers({ ciphers, ciphersSimd }: Modules): Offer[] {
  return ciphersSimd === null ? offersOf(ciphers, 'wasm', ciphersUrl) : offersOf(ciphersSimd, 'wasm-simd128', ciphersSimdUrl);
}

/** The same without vectors, where the browser has them. */
export const withoutSimd = {
  name: 'rustcrypto-wasm-scalar',
  offers({ ciphers, ciphersSimd }: Modules): Offer[] {
    if (ciphersSimd === null) throw new Error('this browser has no vectors in WebAssembly, so rustcrypto-wasm is the same');
    return offersOf(ciphers, 'wasm', ciphersUrl);
  },
};
