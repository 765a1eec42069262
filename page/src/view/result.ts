// The answer on the page: sentences, table, figures and notes are the estimator's, word for word.

import type { Ciphers, Decided } from '../estimator';
import type { Sent } from '../team';
import { drawn } from './figure';

function element<K extends keyof HTMLElementTagNameMap>(name: K, text = ''): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/** An element of the page by its id. */
export function at<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found as T;
}

/** A cell whose lines break between words alone, never before a unit: `2.15× ±6.2 %`. */
function figure(text: string): HTMLTableCellElement {
  const cell = element('td');
  for (const word of text.split(/ (?![±%])/)) cell.append(...(cell.firstChild === null ? [] : [' ']), element('span', word));
  return cell;
}

/** The table; rows of one library stand below its name. */
function table(rows: string[][]): HTMLTableElement | string {
  const [titles, ...body] = rows;
  // Titles alone are no table.
  if (titles === undefined || body.length === 0) return '';
  const made = element('table');
  made.createCaption().textContent = 'Speed by size of message';
  const head = made.createTHead().insertRow();
  for (const title of titles.slice(1)) {
    const cell = element('th');
    // Browsers differ on where they break `AES-256-GCM`.
    for (const part of title.split(/(?<=-)/)) cell.append(...(cell.firstChild === null ? [] : [element('wbr')]), part);
    cell.scope = 'col';
    head.append(cell);
  }
  let lines: HTMLTableSectionElement | undefined;
  let before: string | undefined;
  for (const [library, size = '', ...figures] of body) {
    if (lines === undefined || library !== before) {
      before = library;
      lines = made.createTBody();
      const name = element('th', library);
      name.scope = 'rowgroup';
      name.colSpan = titles.length - 1;
      lines.insertRow().append(name);
    }
    const name = element('th', size);
    name.scope = 'row';
    lines.insertRow().append(name, ...figures.map(figure));
  }
  return made;
}

/** What the page shows of a run; texts alone, so that a link can carry it. */
export interface Shown {
  sentences: string[];
  wrong: string[];
  table: string[][];
  /** What the figure is of. */
  ciphers: Ciphers | null;
  notes: string[];
  /** What it rests on, and where it was measured. */
  basis: string;
}

/** What a run decides; `said` are the run's own notes. */
export function shown({ answer, table, basis }: Decided, said: readonly string[]): Shown {
  const isWrong = ({ is }: { is: string }) => is === 'wrong-output';
  // What has no cells says so itself, and so does the run's note of it.
  const left = answer.left_out
    .filter((entry) => !isWrong(entry))
    .map(({ cells, sentence }) => (cells.length === 0 ? `${sentence}.` : `Not measured: ${sentence}.`));
  const own = said.filter((note) => !left.some((line) => line.includes(note)));
  return {
    sentences: answer.sentences,
    wrong: answer.left_out.filter(isWrong).map(({ sentence }) => `WRONG OUTPUT: ${sentence}`),
    table,
    ciphers: answer.about?.is === 'ciphers' ? (answer.about as Ciphers) : null,
    notes: [...answer.notes, ...left, ...own],
    basis: `${basis} Measured on ${answer.measured_on}.`.trim(),
  };
}

/** Shows it; `whose` says that it is not of now, or not of this browser. */
export function show({ sentences, wrong, table: rows, ciphers, notes, basis }: Shown, whose: string): void {
  at('result').hidden = false;
  at('shared').hidden = true;
  at('whose').textContent = whose;
  const lines = wrong.map((sentence) => element('p', sentence));
  for (const line of lines) line.className = 'wrong';
  at('answer').replaceChildren(...sentences.map((sentence) => element('p', sentence)), ...lines);
  at('table').replaceChildren(table(rows));
  at('figures').replaceChildren(...(ciphers === null ? [] : drawn(ciphers)));
  at('notes').replaceChildren(...[...notes, basis].map((line) => element('p', line)));
}

/** Shows a link to what is shown, and its code. */
export async function share(link: string): Promise<void> {
  const { code } = await import('./code');
  at<HTMLInputElement>('address').value = link;
  at('printed').textContent = link;
  at('code').replaceChildren(code(link) ?? element('p', 'The link is too long for a QR code.'));
  at('shared').hidden = false;
  at('address').focus();
}

/** Shows what came of sending the run. */
export function showSent({ sentence, page }: Sent): void {
  at('sent').replaceChildren(sentence);
  if (page === null) return;
  const link = element('a', 'Its page, for those who may read it');
  link.href = page;
  at('sent').append(' ', link);
}
