// What the page loads before it measures: the modules, compiled once and handed to each worker.

import ciphersUrl from '../build/wasm/ciphers.wasm?url';
import ciphersSimdUrl from '../build/wasm/ciphers-simd.wasm?url';
import estimatorUrl from '../build/wasm/estimator.wasm?url';
import { Estimator } from './estimator';
import type { Modules } from './providers/provider';

async function fetched(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`cannot load ${url}: ${response.status}; load the page again`);
  return response.arrayBuffer();
}

export interface Loaded {
  modules: Modules;
  estimator: Estimator;
}

export async function load(): Promise<Loaded> {
  if (typeof WebAssembly === 'undefined') {
    throw new Error('this browser runs no WebAssembly, which the page measures with; use another, or its usual mode');
  }
  const [ciphers, simd, estimator] = await Promise.all([ciphersUrl, ciphersSimdUrl, estimatorUrl].map(fetched));
  if (ciphers === undefined || simd === undefined || estimator === undefined) throw new Error('the page is incomplete');
  const hasVectors = WebAssembly.validate(simd);
  return {
    modules: {
      ciphers: await WebAssembly.compile(ciphers),
      ciphersSimd: hasVectors ? await WebAssembly.compile(simd) : null,
    },
    estimator: new Estimator(await WebAssembly.compile(estimator)),
  };
}
