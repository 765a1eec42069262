// Providers whose truth is known, for tests alone: the page that is published has none. Their outputs are RustCrypto's; their times are those
// of a clock that only their calls and the probe turn.

import { replaceClock } from '../worker/clock';
import { Ciphers } from './ciphers';
import * as rustcrypto from './rustcrypto-wasm';
import type { Bytes, Keyed, Modules, Provider } from './provider';

/** Nanoseconds of a call by cipher; `noise` is the share by which a sample's speed varies. */
interface Truth {
  aes: number;
  chacha: number;
  noise: number;
  /** How the clock steps, in milliseconds; 5 µs, as an isolated page's. */
  step?: number;
  /** Whether the test tells, on the channel `pace`, how many times as long everything takes. */
  isPaced?: boolean;
  /** Which byte of its outputs is wrong, if any. */
  wrong?: 'always' | 'when-timed';
  opensForgeries?: boolean;
}

const TRUTHS: Record<string, Truth> = {
  'simulated-double': { aes: 1000, chacha: 2000, noise: 0.01 },
  'simulated-equal': { aes: 1500, chacha: 1500, noise: 0.01 },
  'simulated-paced-double': { aes: 1000, chacha: 2000, noise: 0.01, isPaced: true },
  'simulated-paced-equal': { aes: 1500, chacha: 1500, noise: 0.01, isPaced: true },
  'simulated-coarse': { aes: 1e6, chacha: 2e6, noise: 0.01, step: 1 },
  'simulated-coarse-equal': { aes: 1e6, chacha: 1e6, noise: 0.01, step: 1 },
  'simulated-wrong': { aes: 1000, chacha: 1000, noise: 0.01, wrong: 'always' },
  'simulated-late-wrong': { aes: 1000, chacha: 1000, noise: 0.01, wrong: 'when-timed' },
  'simulated-forger': { aes: 1000, chacha: 1000, noise: 0.01, opensForgeries: true },
};

/** The clock: milliseconds that calls, the probe and readings have taken. */
let turned = 0;
const READING_MS = 0.0002;
const PROBE_STEP_MS = 2.5e-7;

let pace = 1;
const turn = (ms: number) => void (turned += ms * pace);

function plantClock(step: number): void {
  replaceClock(() => {
    turned += READING_MS;
    return Math.floor(turned / step) * step;
  });
  Ciphers.prototype.probe = (steps) => {
    turn(steps * PROBE_STEP_MS);
    return 0;
  };
}

/** Follows what the test tells, from the first time on. */
function paced(): Promise<void> {
  return new Promise((resolve) => {
    new BroadcastChannel('pace').onmessage = ({ data }: MessageEvent<number>) => {
      pace = data;
      resolve();
    };
  });
}

/** Deterministic noise: the same in every run of a test. */
let state = 1;
function noise(share: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return 1 + share * (state / 2 ** 31 - 1);
}

function planted(keyed: Keyed, truth: Truth, ns: number, tag: number): Keyed {
  const work = (bytes: number) => turn((ns * (1 + bytes / 1024) * noise(truth.noise)) / 1e6);
  const isWrong = (message: Bytes) => truth.wrong === 'always' || (truth.wrong === 'when-timed' && message.length >= 1024);
  return {
    seal(nonce, aad, message) {
      work(message.length);
      const sealed = keyed.seal(nonce, aad, message) as Bytes;
      return isWrong(message) ? sealed.map((byte, at) => (at === 0 ? byte ^ 1 : byte)) : sealed;
    },
    open(nonce, aad, sealed) {
      work(sealed.length);
      try {
        return keyed.open(nonce, aad, sealed);
      } catch (cause) {
        if (truth.opensForgeries === true) return sealed.slice(0, -tag);
        throw cause;
      }
    },
  };
}

/** The provider of that name, or null. */
export function simulated(name: string): Provider | null {
  const truth = TRUTHS[name];
  if (truth === undefined) return null;
  return {
    name,
    async offers(modules: Modules) {
      if (truth.isPaced === true) await paced();
      plantClock(truth.step ?? 0.005);
      const both = rustcrypto.offers(modules).filter(({ algorithm }) => ['aes-256-gcm', 'chacha20-poly1305'].includes(algorithm));
      return both.map((offer) => ({
        ...offer,
        version: 'simulated',
        keyed: async (key) => planted(await offer.keyed(key), truth, offer.algorithm === 'aes-256-gcm' ? truth.aes : truth.chacha, 16),
      }));
    },
  };
}
