// The figure: for each library and size, how fast both ciphers are, as bars on one scale. What has no figure has no bar.

import type { Ciphers } from '../estimator';

const SVG = 'http://www.w3.org/2000/svg';
const [WIDTH, LABEL, BAR, GAP] = [320, 64, 9, 8];

/** An element of SVG. */
export function shape(name: string, attributes: { [name: string]: string | number }, text = ''): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
  made.textContent = text;
  return made;
}

/** `16 KiB` */
function size(bytes: number): string {
  const [unit, word] = bytes >= 2 ** 20 ? [2 ** 20, 'MiB'] : bytes >= 1024 ? [1024, 'KiB'] : [1, 'B'];
  return `${bytes / unit} ${word}`;
}

/** A figure for each library of a decision between ciphers. */
export function drawn({ first, second, libraries }: Ciphers): HTMLElement[] {
  const rates = libraries.flatMap(({ rows }) => rows.flatMap(({ figures }) => figures.map(({ gb_per_s: rate }) => rate ?? 0)));
  const most = Math.max(...rates);
  if (most <= 0) return [];
  return libraries.map(({ provider, rows }) => {
    const each = 2 * BAR + GAP;
    const svg = shape('svg', { viewBox: `0 0 ${WIDTH} ${rows.length * each}`, role: 'img', class: 'bars' });
    svg.setAttribute('aria-label', `How fast ${provider} is; the table has the figures.`);
    for (const [place, { message, figures }] of rows.entries()) {
      svg.append(shape('text', { x: LABEL - 8, y: place * each + 1.6 * BAR, 'text-anchor': 'end' }, size(message)));
      for (const [which, { gb_per_s: rate }] of figures.entries()) {
        const width = ((rate ?? 0) / most) * (WIDTH - LABEL);
        svg.append(
          shape('rect', { x: LABEL, y: place * each + which * BAR, width, height: BAR - 1, class: which === 0 ? 'first' : 'second' }),
        );
      }
    }
    const figure = document.createElement('figure');
    const caption = document.createElement('figcaption');
    const of = ({ algorithm }: { algorithm: string }) => algorithm.toUpperCase().replace('CHACHA20-POLY', 'ChaCha20-Poly');
    caption.textContent = `${provider}: ${of(first)} above, ${of(second)} below, to ${most.toPrecision(2)} GB/s`;
    figure.append(caption, svg);
    return figure;
  });
}
