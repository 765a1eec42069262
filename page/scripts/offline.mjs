// Tells the service worker of which files the page consists, once these are known.

import { createHash } from 'node:crypto';

const NAME = 'service.js';

export function offline() {
  return {
    name: 'offline',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const files = Object.keys(bundle).filter((name) => name !== NAME && name !== 'index.html');
        // The names of the others have hashes of their contents.
        const hash = createHash('sha256').update(JSON.stringify(files)).update(bundle['index.html'].source);
        const known = { hash: hash.digest('hex').slice(0, 16), files };
        bundle[NAME].code = bundle[NAME].code.replace('__FILES__', () => JSON.stringify(known));
      },
    },
  };
}
