// What a run of the page measures: the first screen's question, and all else with "measure longer".

import type { Form } from '../providers/provider';
import type { Operation } from '../worker/cell';

/** A block of a scenario (scenarios/README.md): every combination that a provider has is a cell. */
export interface Block {
  algorithms: string[];
  operations: Operation[];
  messages: number[];
  forms: Form[];
  providers: string[];
}

export interface Plan {
  /** Measured until the question has an answer. */
  first: Block[];
  /** Measured beside it from then on. */
  later: Block[];
}

/** A cell's key figures, as its record has them. */
export interface Cell {
  provider: string;
  algorithm: string;
  operation: Operation;
  form: Form;
  message: number;
}

export const KIB = 1024;
const PAIR = ['aes-256-gcm', 'chacha20-poly1305'];
const ALL = [...PAIR, 'xchacha20-poly1305', 'aes-256-gcm-siv', 'aegis-256-32'];
const SIZES = [64, KIB, 16 * KIB, 1024 * KIB];

/** From this step of the clock on, samples are so long that a run has time for two sizes alone. */
export const COARSE_NS = 50_000;
const SIZES_OF_COARSE = [KIB, 16 * KIB];

/** A provider, and two more workers of it. What is known to be equal shows what the page can tell apart. Both have the same to do: what else
 *  a worker has to do moves its calls, and moved those of a copy beside the provider itself. */
const COPIED = 'rustcrypto-wasm';
export const COPIES = [`${COPIED}.01`, `${COPIED}.02`];

export const FIRST = ['webcrypto', COPIED, 'libsodium-wasm'];
export const LATER = ['noble-ciphers', 'rustcrypto-wasm-scalar'];

/** What a test asks for in place of the page's own. */
export interface Wishes {
  providers?: string[];
  messages?: number[];
}

/** The plan for a clock of that step. */
export function planned(stepNs: number, wishes: Wishes = {}): Plan {
  const { providers = FIRST, messages = stepNs >= COARSE_NS ? SIZES_OF_COARSE : SIZES } = wishes;
  const question: Block = { algorithms: PAIR, operations: ['seal'], messages, forms: ['fresh'], providers };
  const copies: Block = { algorithms: ['aes-256-gcm'], operations: ['seal'], messages: [KIB], forms: ['fresh'], providers: COPIES };
  const all = [...providers, ...LATER];
  return {
    first: providers.includes(COPIED) ? [question, copies] : [question],
    later: [
      { algorithms: ALL, operations: ['seal', 'open'], messages, forms: ['fresh'], providers: all },
      { algorithms: PAIR, operations: ['seal'], messages: messages.filter((bytes) => bytes <= 16 * KIB), forms: ['batch'], providers: all },
    ],
  };
}

/** The cells of some blocks that a provider's offers allow, each once. */
export function cells(blocks: Block[], provider: string, offered: { algorithm: string; forms: Form[] }[]): Cell[] {
  const found = new Map<string, Cell>();
  for (const block of blocks.filter((block) => block.providers.includes(provider))) {
    for (const { algorithm, forms } of offered.filter((offer) => block.algorithms.includes(offer.algorithm))) {
      for (const form of block.forms.filter((form) => forms.includes(form))) {
        for (const operation of block.operations) {
          for (const message of block.messages) {
            const cell = { provider, algorithm, operation, form, message };
            found.set(nameOf(cell), cell);
          }
        }
      }
    }
  }
  return [...found.values()];
}

/** Tells a cell from all others. */
export function nameOf({ provider, algorithm, operation, form, message }: Cell): string {
  return [provider, algorithm, operation, form, message].join(' ');
}

/** The group in which it is compared. */
export function groupOf({ operation, form, message }: Cell): string {
  return [operation, form, message].join(' ');
}

/** A size as scenarios write it: `64`, `16KiB`, `1MiB`. */
export function sizeOf(bytes: number): string {
  if (bytes >= 1024 * KIB && bytes % (1024 * KIB) === 0) return `${bytes / (1024 * KIB)}MiB`;
  return bytes >= KIB && bytes % KIB === 0 ? `${bytes / KIB}KiB` : String(bytes);
}
