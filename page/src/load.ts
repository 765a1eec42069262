// What the page loads before it measures: the modules, compiled once and handed to each worker.

import ciphersUrl from '../build/wasm/ciphers.wasm?url';
import ciphersSimdUrl from '../build/wasm/ciphers-simd.wasm?url';
import estimatorUrl from '../build/wasm/estimator.wasm?url';
import { Estimator } from './estimator';
import type { Modules } from './providers/provider';
import { Told } from './told';

async function fetched(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url).catch((cause: Error) => cause);
  if (response instanceof Response && response.ok) return response.arrayBuffer();
  const why = response instanceof Response ? `the host says ${response.status}` : response.message;
  throw new Told(`cannot load ${new URL(url, location.href).pathname}: ${why}; load the page again`);
}

export async function loadEstimator(): Promise<Estimator> {
  if (typeof WebAssembly === 'undefined') {
    throw new Told('this browser runs no WebAssembly, which the page measures with; use another, or its usual mode');
  }
  return new Estimator(await WebAssembly.compile(await fetched(estimatorUrl)));
}

export async function loadModules(): Promise<Modules> {
  const [ciphers, simd] = await Promise.all([fetched(ciphersUrl), fetched(ciphersSimdUrl)]);
  const hasVectors = WebAssembly.validate(simd);
  return {
    ciphers: await WebAssembly.compile(ciphers),
    ciphersSimd: hasVectors ? await WebAssembly.compile(simd) : null,
  };
}
