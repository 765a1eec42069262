// A link that carries an answer in its fragment, which browsers send to no server: JSON, compressed. Whoever made it may have put anything
// there, so it is bounded and checked, shown as text alone, and never as this page's own.

import { Told } from './told';
import type { Shown } from './view/result';

const NAME = '#answer=';
/** At most so many characters of a fragment, and bytes of what comes out of it. */
const MOST_FRAGMENT = 16_384;
const MOST_BYTES = 65_536;
const MOST_LINES = 100;
const MOST_CELLS = 12;
const MOST_CHARACTERS = 1000;
/** Controls, and characters that hide or reorder others. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

/** What a link carries of what the page shows: sentences, wrong outputs, table, what it rests on. */
type Carried = [sentences: string[], wrong: string[], table: string[][], basis: string];

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  transform: CompressionStream | DecompressionStream,
  most: number,
): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough<Uint8Array>(transform).getReader();
  const out: number[] = [];
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    if (out.length + read.value.length > most) {
      await reader.cancel();
      throw new Error('it is too long');
    }
    out.push(...read.value);
  }
  return Uint8Array.from(out);
}

const isText = (value: unknown) => typeof value === 'string' && value.length <= MOST_CHARACTERS && !HIDDEN.test(value);
const isList = (value: unknown, most: number, is: (entry: unknown) => boolean) =>
  Array.isArray(value) && value.length <= most && value.every(is);
const isRow = (row: unknown) => isList(row, MOST_CELLS, isText);

function isCarried(value: unknown): value is Carried {
  if (!Array.isArray(value) || value.length !== 4) return false;
  const [sentences, wrong, table, basis] = value as unknown[];
  const lines = isList(sentences, MOST_LINES, isText) && isList(wrong, MOST_LINES, isText);
  return lines && isList(table, MOST_LINES, isRow) && isText(basis);
}

/** The link to what is shown. */
export async function linkTo({ sentences, wrong, table, basis }: Shown): Promise<string> {
  const carried: Carried = [sentences, wrong, table, basis];
  const bytes = new TextEncoder().encode(JSON.stringify(carried));
  const packed = await through(bytes, new CompressionStream('deflate-raw'), MOST_FRAGMENT);
  const text = btoa(String.fromCharCode(...packed))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  return `${location.origin}${location.pathname}${NAME}${text}`;
}

async function carried(text: string): Promise<Carried> {
  if (text.length > MOST_FRAGMENT) throw new Error('it is too long');
  const packed = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
  const bytes = await through(packed, new DecompressionStream('deflate-raw'), MOST_BYTES);
  const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  if (!isCarried(value)) throw new Error('it holds something else');
  return value;
}

/** What a fragment carries; null: it is not such a link. Throws a sentence. */
export async function linked(fragment: string): Promise<Shown | null> {
  if (!fragment.startsWith(NAME)) return null;
  try {
    const [sentences, wrong, table, basis] = await carried(fragment.slice(NAME.length));
    return { sentences, wrong, table, ciphers: null, notes: [], basis };
  } catch {
    throw new Told('the link holds no answer that this page can read; ask for it again');
  }
}
