// Puts the style into the page, so that its first paint needs one file, and allows what is inline by its hash alone.

import { createHash } from 'node:crypto';

const allowed = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export function inline() {
  return {
    name: 'inline',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const page = bundle['index.html'];
        page.source = page.source.replace(/<link rel="stylesheet"[^>]*href="\.\/([^"]+)">/, (_, name) => {
          const { source } = bundle[name];
          delete bundle[name];
          return `<style>${source}</style>`;
        });
        for (const element of ['style', 'script']) {
          const [, text] = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(page.source);
          page.source = page.source.replace(`'${element}'`, allowed(text));
        }
      },
    },
  };
}
