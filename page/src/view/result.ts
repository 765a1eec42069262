// The answer on the page: sentences, table, figures and notes are the estimator's, word for word.

import type { Decided } from '../estimator';

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

function table(rows: string[][]): HTMLTableElement | string {
  const [titles, ...body] = rows;
  // Titles alone are no table.
  if (titles === undefined || body.length === 0) return '';
  const made = element('table');
  const head = made.createTHead().insertRow();
  for (const title of titles) {
    const cell = element('th', title);
    cell.scope = 'col';
    head.append(cell);
  }
  const lines = made.createTBody();
  for (const row of body) {
    const line = lines.insertRow();
    for (const text of row) line.append(element('td', text));
  }
  return made;
}

export function show({ answer, table: rows, basis }: Decided): void {
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
  const left = answer.left_out.filter(({ is }) => is !== 'wrong-output').map(({ sentence }) => `Not measured: ${sentence}.`);
  const lines = [...answer.notes, ...left, `${basis} Measured on ${answer.measured_on}.`.trim()];
  at('notes').replaceChildren(...lines.map((line) => element('p', line)));
}
