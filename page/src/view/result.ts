// The answer on the page: sentences, table, figures and notes are the estimator's, word for word.

import type { Ciphers, Decided } from '../estimator';
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

/** The table; rows of one library stand below its name. */
function table(rows: string[][]): HTMLTableElement | string {
  const [titles, ...body] = rows;
  // Titles alone are no table.
  if (titles === undefined || body.length === 0) return '';
  const made = element('table');
  const head = made.createTHead().insertRow();
  for (const title of titles.slice(1)) {
    const cell = element('th', title);
    cell.scope = 'col';
    head.append(cell);
  }
  let lines = made.createTBody();
  let before: string | undefined;
  for (const [library, ...figures] of body) {
    if (library !== before) {
      before = library;
      lines = made.createTBody();
      const name = element('th', library);
      name.scope = 'rowgroup';
      name.colSpan = figures.length;
      lines.insertRow().append(name);
    }
    lines.insertRow().append(...figures.map((text) => element('td', text)));
  }
  return made;
}

/** Shows what a run decides; `said` are the run's own notes. */
export function show({ answer, table: rows, basis }: Decided, said: string[]): void {
  at('result').hidden = false;
  const wrong = answer.left_out
    .filter(({ is }) => is === 'wrong-output')
    .map(({ sentence }) => {
      const line = element('p', `WRONG OUTPUT: ${sentence}`);
      line.className = 'wrong';
      return line;
    });
  at('answer').replaceChildren(...answer.sentences.map((sentence) => element('p', sentence)), ...wrong);
  at('table').replaceChildren(table(rows));
  at('figures').replaceChildren(...(answer.about?.is === 'ciphers' ? drawn(answer.about as Ciphers) : []));
  // What has no cells says so itself, and so does the run's note of it.
  const left = answer.left_out
    .filter(({ is }) => is !== 'wrong-output')
    .map(({ cells, sentence }) => (cells.length === 0 ? `${sentence}.` : `Not measured: ${sentence}.`));
  const own = said.filter((note) => !left.some((line) => line.includes(note)));
  const lines = [...answer.notes, ...left, ...own, `${basis} Measured on ${answer.measured_on}.`.trim()];
  at('notes').replaceChildren(...lines.map((line) => element('p', line)));
}
