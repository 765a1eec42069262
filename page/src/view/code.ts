// A QR code, drawn here.

import { encode } from 'uqr';
import { shape } from './figure';

/** The code of a text; null: it is too long for one. */
export function code(text: string): SVGElement | null {
  let squares: boolean[][];
  try {
    squares = encode(text, { border: 4 }).data;
  } catch {
    return null;
  }
  const size = squares.length;
  const path = squares.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  const svg = shape('svg', { viewBox: `0 0 ${size} ${size}`, role: 'img', class: 'code', 'aria-label': 'The link as a QR code' });
  // Dark on light in every theme: cameras read nothing else.
  svg.append(shape('rect', { width: size, height: size, fill: '#fff' }), shape('path', { d: path, fill: '#000' }));
  return svg;
}
