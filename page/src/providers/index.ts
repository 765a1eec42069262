// The providers by name. Each is loaded by the worker that hosts it, so that none of the others is in its process.

import type { Provider } from './provider';

const LOADED: Record<string, () => Promise<Provider>> = {
  webcrypto: () => import('./webcrypto'),
  'rustcrypto-wasm': () => import('./rustcrypto-wasm'),
  'rustcrypto-wasm-scalar': async () => (await import('./rustcrypto-wasm')).withoutSimd,
  'libsodium-wasm': () => import('./libsodium-wasm'),
  'noble-ciphers': () => import('./noble-ciphers'),
};

/** The provider behind a name; behind a dot stands the number of a copy of the same. */
export async function provider(name: string): Promise<Provider> {
  const [base = name] = name.split('.');
  if (import.meta.env.MODE === 'test') {
    const simulated = (await import('./simulated')).simulated(base);
    if (simulated !== null) return simulated;
  }
  const load = LOADED[base];
  if (load === undefined) throw new Error(`there is no provider ${base}; there are ${Object.keys(LOADED).join(', ')}`);
  return load();
}
