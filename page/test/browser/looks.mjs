// What people see and use: the first paint, contrast, narrow and enlarged, the keyboard, a screen reader, print. Colours and sizes are those that
// the browser computes.

import { serve } from '../server.mjs';
import { faultless, focused, inBoth, onPaper, tabbed, until, withAxe } from './access.mjs';
import { linkOf } from './bad.mjs';

const QUERY = '?messages=64,1024&seed=7&providers=simulated-double';
const WIDEST = 'ChaCha20-Poly1305 12.15× ±16.2 %';
/** An answer whose table has the longest words, as a link carries it. */
const LONG = linkOf(
  ['With rustcrypto-wasm, use ChaCha20-Poly1305.'],
  ['WRONG OUTPUT: rustcrypto-wasm-scalar aes-256-gcm, 2 cells: expected 00, came 01'],
  [
    ['library', 'size', 'AES-256-GCM, GB/s', 'ChaCha20-Poly1305, GB/s', 'faster'],
    ['rustcrypto-wasm 0.11.1 and 0.11.0', '16 KiB', '0.0221', '0.0491', WIDEST],
    ['rustcrypto-wasm 0.11.1 and 0.11.0', '1 MiB', '–', '12.25', 'no answer yet'],
  ],
  '6 forks, 20 s. Measured on Chromium 156 on Linux, 2 cores.',
);

export function looks({ opened, measured, expect, site, isChromium }) {
  const shared = () => !document.getElementById('shared').hidden;

  return {
    async 'its first paint needs one file, and its button two'() {
      // A host of its own, so that nothing was measured there before.
      const host = await serve(site('site'));
      const { page, seen } = await opened(host.address, '');
      const [isThere, isStyled] = await page.evaluate(() => {
        const button = document.getElementById('start');
        return [button.getBoundingClientRect().height >= 44, document.styleSheets[0].ownerNode.localName === 'style'];
      });
      await page.close();
      host.stop();
      // The service worker, which asks for all files, comes after them; the icon is no file.
      const files = seen.files.filter((file) => file.startsWith('/'));
      expect(isThere && isStyled && files[0] === '/' && /^\/assets\/index-.*\.js$/.test(files[1]), 'what it asks for first', files);
      expect(
        files.slice(2).every((file) => file === '/service.js'),
        'what it asks for besides',
        files,
      );
    },
    async 'in light and dark, axe finds nothing, from the first paint to the link'({ test }) {
      const { page, seen } = await opened(test, `${QUERY}&budget=12`);
      await withAxe(page);
      await inBoth(page, 'opened');
      await page.click('#start');
      await until(page, () => document.getElementById('leader').textContent !== '');
      await inBoth(page, 'while it measures');
      await page.click('#stop');
      await measured(page);
      await inBoth(page, 'measured');
      await page.click('#share');
      await until(page, shared);
      await inBoth(page, 'with its link');
      await page.evaluate((long) => (location.hash = long), LONG);
      await until(page, () => document.querySelector('.wrong') !== null);
      await inBoth(page, 'with what is wrong');
      await page.evaluate(() => (location.hash = '#answer='));
      await until(page, () => !document.getElementById('error').hidden);
      await inBoth(page, 'with an error');
      const scheme = await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
      if (isChromium) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
        await faultless(page, 'where dark is preferred');
        expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor !== 'rgb(255, 255, 255)'), 'dark', scheme);
      }
      await page.close();
      expect(scheme === 'light dark' && seen.complaints.length === 0, 'the scheme', [scheme, seen.complaints]);
    },
    async 'from 320 px on and with twice as large text nothing is cut off, and ratios stay whole'({ test }) {
      const { page } = await opened(test, LONG);
      await measured(page);
      await page.click('#share');
      await until(page, shared);
      for (const [width, size] of [
        [320, '100%'],
        [640, '200%'],
        [710, '100%'],
        [900, '100%'],
      ]) {
        await page.setViewport({ width, height: 700 });
        const found = await page.evaluate((size) => {
          document.documentElement.style.fontSize = size;
          const over = ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth;
          const lines = [...document.querySelectorAll('#table :is(span, th[scope="row"])')].map((part) => part.getClientRects().length);
          return { page: over(document.documentElement), table: over(document.getElementById('table')), lines: Math.max(...lines) };
        }, size);
        // A table may move within itself where text alone is enlarged.
        expect(found.page <= 0 && (found.table <= 0 || size !== '100%') && found.lines === 1, `${width} px, text of ${size}`, found);
      }
      const texts = await page.evaluate(() => [...document.querySelectorAll('#table td:last-child')].map(({ textContent }) => textContent));
      expect(texts[0] === WIDEST, 'the cell', texts);
      await page.close();
    },
    async 'its button stays where it is, and nothing moves by itself'({ test }) {
      const { page } = await opened(test, QUERY + '&budget=12');
      const place = () => page.evaluate(() => JSON.stringify(document.getElementById('start').getBoundingClientRect()));
      const before = await place();
      await page.click('#start');
      await until(page, () => document.getElementById('leader').textContent !== '');
      const moves = await page.evaluate(() => {
        const parts = [...document.querySelectorAll('body *')].map((part) => getComputedStyle(part));
        const moving = parts.filter(({ animationName, transitionDuration }) => animationName !== 'none' || transitionDuration !== '0s');
        return moving.length + document.getAnimations().length;
      });
      const during = await place();
      await page.click('#stop');
      await measured(page);
      expect(moves === 0 && before === during && before === (await place()), 'its places', [moves, before, during]);
      await page.close();
    },
    async 'by the keyboard alone it is started, stopped, gone on with, saved and linked to'({ test }) {
      const { page, seen } = await opened(test, `${QUERY}&budget=12&longer=1`);
      expect((await tabbed(page, 1)).join() === 'start', 'the first stop', await focused(page));
      await page.keyboard.press('Enter');
      await until(page, () => document.getElementById('leader').textContent !== '');
      // One press more does not begin again.
      await page.keyboard.press('Enter');
      expect((await tabbed(page, 1)).join() === 'stop', 'while it measures', await focused(page));
      await page.keyboard.press('Enter');
      await measured(page);
      expect((await focused(page)) === 'longer', 'once it is stopped', await focused(page));
      await page.keyboard.press('Enter');
      await until(page, () => !document.getElementById('stop').hidden);
      await measured(page);
      expect((await focused(page)) === 'longer', 'once it has measured longer', await focused(page));
      const after = await tabbed(page, 2);
      await page.keyboard.press('Enter');
      await until(page, shared);
      expect(after.join() === 'save,share' && (await focused(page)) === 'address', 'the buttons', [after, await focused(page)]);
      await page.evaluate(() => document.activeElement.blur());
      await page.evaluate(() => document.getElementById('start').focus());
      const all = await tabbed(page, 6);
      expect(all.slice(0, 5).join() === 'table,longer,save,share,address' && all[5] !== 'address', 'the order', all);
      await page.close();
      expect(seen.complaints.length === 0, 'complaints', seen);
    },
    async 'a screen reader hears progress rarely and the answer once, and the table and figures have names'({ test }) {
      const { page } = await opened(test, `${QUERY}&budget=1`);
      await page.evaluate(() => {
        globalThis.heard = [];
        const said = document.getElementById('said');
        new MutationObserver(() => said.textContent === '' || heard.push(said.textContent)).observe(said, { childList: true });
      });
      const began = performance.now();
      await page.click('#start');
      const { answer, rows } = await measured(page);
      const most = 2 + (performance.now() - began) / 10_000;
      const { heard, regions, caption, heads, names } = await page.evaluate(() => ({
        heard: globalThis.heard,
        regions: document.querySelectorAll('[aria-live], [role="status"], [role="log"]').length,
        caption: document.querySelector('#table caption').textContent,
        heads: [...document.querySelectorAll('#table th')].map(({ scope }) => scope),
        names: [...document.querySelectorAll('svg')].map(
          (drawing) => `${drawing.getAttribute('role')}: ${drawing.getAttribute('aria-label')}`,
        ),
      }));
      const said = heard.filter((text) => text.includes(answer[0]));
      expect(heard[0] === 'Measuring' && said.length === 1 && said[0] === heard.at(-1) && heard.length <= most, 'what is said', heard);
      expect(regions === 1 && caption !== '' && heads.length === 4 + 1 + rows.length - 2, 'the table', [regions, caption, heads]);
      expect(names.length === 1 && /^img: How fast .*the table has the figures/.test(names[0]), 'the figures', names);
      await page.close();
    },
    async 'on paper it is dark on white, without buttons, and its link can be read'({ test }) {
      const { page } = await opened(test, LONG);
      await measured(page);
      await page.click('#share');
      await until(page, shared);
      await onPaper(page, isChromium);
      await withAxe(page);
      await faultless(page, 'on paper');
      const { paper, buttons, link } = await page.evaluate(() => {
        const isSeen = (part) => part.getClientRects().length > 0;
        const link = document.getElementById('printed');
        return {
          paper: getComputedStyle(document.body).backgroundColor,
          buttons: [...document.querySelectorAll('button, progress, input')].filter(isSeen).length,
          link: isSeen(link) && link.textContent === document.getElementById('address').value,
        };
      });
      expect(paper === 'rgb(255, 255, 255)' && buttons === 0 && link, 'what is printed', [paper, buttons, link]);
      await page.close();
    },
  };
}
