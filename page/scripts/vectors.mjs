// The known answers that the page carries: of the project's vectors for each of its algorithms (crates/meter/vectors) those that are short,
// spread evenly over valid and invalid ones. The module `virtual:vectors` has them.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../crates/meter/vectors/', import.meta.url));
const ALGORITHMS = ['aes-256-gcm', 'chacha20-poly1305', 'xchacha20-poly1305', 'aes-256-gcm-siv', 'aegis-256-32'];
/** At most so many characters a line, and so many lines of either kind: what a phone loads and tries in a moment. */
const LONGEST = 600;
const MOST = 60;

const unhyphened = (field) => (field === '-' ? '' : field);

/** The vectors of an algorithm, as the page's worker has them. */
export function read(algorithm) {
  const files = ['wycheproof', 'made'].map((source) => `${FOLDER}${source}/${algorithm}.txt`).filter(existsSync);
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  const all = lines
    .filter((line) => line !== '' && !line.startsWith('#') && line.length <= LONGEST)
    .map((line) => {
      const [id, key, nonce, aad, message, sealed, valid] = line.split(' ');
      return { id, key, nonce: unhyphened(nonce), aad: unhyphened(aad), message: unhyphened(message), sealed, valid: valid === 'valid' };
    });
  return [true, false].flatMap((valid) => spread(all.filter((vector) => vector.valid === valid)));
}

function spread(entries) {
  const every = Math.max(1, entries.length / MOST);
  return entries.filter((_, place) => Math.floor(place / every) !== Math.floor((place - 1) / every));
}

export function vectors() {
  const name = 'virtual:vectors';
  return {
    name: 'vectors',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load(id) {
      if (id !== `\0${name}`) return null;
      const all = Object.fromEntries(ALGORITHMS.map((algorithm) => [algorithm, read(algorithm)]));
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(all))});`;
    },
  };
}
