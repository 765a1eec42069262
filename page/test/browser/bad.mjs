// What may go wrong around the page: each is one line that says so, never an empty page, and what can be measured is.

import { deflateRawSync } from 'node:zlib';
import { serve } from '../server.mjs';

/** A link's fragment that holds such an answer. */
export const linkOf = (...carried) => `#answer=${deflateRawSync(JSON.stringify(carried)).toString('base64url')}`;

export function badInput({ opened, measured, simulated, expect, site }) {
  const QUERY = 'providers=simulated-double&budget=1';

  /** The page's one line of what went wrong; the button is there all the same. */
  async function refused(page, says, what) {
    await page.waitForFunction(() => !document.getElementById('error').hidden);
    const [error, hasButton] = await page.evaluate(() => {
      const button = document.getElementById('start').getBoundingClientRect();
      return [document.getElementById('error').innerText, button.width > 0 && button.height > 0];
    });
    const isLine = error.startsWith('The page cannot go on: ') && error.length < 300 && !/[\n{}]/.test(error);
    expect(isLine && says.test(error) && hasButton, what, error);
  }

  /** The page as a host serves it that lacks some files. */
  async function lacking(lacks, during) {
    const host = await serve(site('test'), { lacks });
    try {
      const { page } = await opened(host.address, `?messages=64,1024&seed=7&${QUERY}#start`);
      await during(page);
      await page.close();
    } finally {
      host.stop();
    }
  }

  return {
    async 'links that are broken, of a megabyte or of something else are refused in one line, and the button works'({ test }) {
      const { page, seen } = await opened(test, `?messages=64,1024&seed=7&${QUERY}`);
      const fragments = [
        '',
        '%',
        'AAAA',
        'ü',
        linkOf(1).slice(8),
        linkOf([], [], [['x'.repeat(2000)]], '').slice(8),
        'A'.repeat(1_000_000),
      ];
      for (const fragment of fragments) {
        await page.evaluate((fragment) => (location.hash = `#answer=${fragment}`), fragment);
        await refused(page, /holds no answer that this page can read; ask for it again$/, fragment.slice(0, 20));
        await page.evaluate(() => (document.getElementById('error').hidden = true));
      }
      await page.click('#start');
      const { answer, error } = await measured(page);
      await page.close();
      expect(answer[0]?.startsWith('Use AES-256-GCM') && error === '' && seen.complaints.length === 0, 'the answer', [answer, error, seen]);
    },
    async 'markup in a link is shown as text'({ test }) {
      const markup = '<img src=x onerror=alert(1)><script>alert(1)</script>';
      const { page, seen } = await opened(
        test,
        linkOf(
          [markup],
          [markup],
          [
            ['', markup],
            [markup, markup],
          ],
          markup,
        ),
      );
      const { answer, rows } = await measured(page);
      const made = await page.evaluate(() => document.querySelectorAll('#result :is(img, script)').length);
      await page.close();
      expect(answer.join() === [markup, markup].join() && rows.flat().includes(markup), 'what it shows', [answer, rows]);
      expect(made === 0 && seen.complaints.length === 0, 'what it makes of it', [made, seen]);
    },
    async 'a browser that forbids storage measures, and does not open the page again and again'({ plain }) {
      const forbid = () => {
        const get = () => {
          throw new DOMException('The operation is insecure.', 'SecurityError');
        };
        for (const name of ['sessionStorage', 'localStorage', 'indexedDB']) Object.defineProperty(globalThis, name, { get });
      };
      const { answer, clock } = await simulated(plain, QUERY, undefined, forbid);
      expect(answer[0]?.startsWith('Use AES-256-GCM') && clock.includes('not cross-origin isolated'), 'the answer', [answer, clock]);
    },
    async 'a browser that forbids service workers measures'({ plain }) {
      const forbid = () => {
        // Pages that are not secure have none.
        if (!('serviceWorker' in navigator)) return;
        ServiceWorkerContainer.prototype.register = () => Promise.reject(new DOMException('The operation is insecure.', 'SecurityError'));
      };
      const { answer } = await simulated(plain, QUERY, undefined, forbid);
      expect(answer[0]?.startsWith('Use AES-256-GCM'), 'the answer', answer);
    },
    async 'a browser without room shows the answer, and says that it keeps nothing'({ test }) {
      const fill = () => {
        IDBObjectStore.prototype.put = () => {
          throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
        };
      };
      const { page, seen } = await opened(test, `?messages=64,1024&seed=7&${QUERY}#start`, fill);
      const { answer, error } = await measured(page);
      await page.waitForFunction(() => !document.getElementById('lost').hidden);
      await page.close();
      expect(answer[0]?.startsWith('Use AES-256-GCM') && error === '' && seen.complaints.length === 0, 'the answer', [answer, error, seen]);
    },
    async 'a database that never answers holds nothing up'({ test }) {
      const { answer } = await simulated(test, QUERY, undefined, () => {
        IDBFactory.prototype.open = () => ({});
      });
      expect(answer[0]?.startsWith('Use AES-256-GCM'), 'the answer', answer);
    },
    async 'what was kept by another version of the page is said, and measured anew'({ test }) {
      const query = `?messages=64,1024&seed=7&${QUERY}`;
      const { page: before } = await opened(test, query);
      await before.evaluate(async () => {
        const done = (request) => new Promise((resolve) => Object.assign(request, { onsuccess: () => resolve(request.result) }));
        const database = await done(indexedDB.open('ciphermeter', 1));
        await done(
          database
            .transaction('runs', 'readwrite')
            .objectStore('runs')
            .put({ schema: 1, run: { started: '2026' } }, 'last'),
        );
        database.close();
      });
      await before.close();
      const { page, seen } = await opened(test, query);
      await refused(page, /of another version of it; press the button to measure anew$/, 'the error');
      await page.click('#start');
      const { answer, error } = await measured(page);
      await page.close();
      expect(answer[0]?.startsWith('Use AES-256-GCM') && error === '' && seen.complaints.length === 0, 'the answer', [answer, error, seen]);
    },
    async 'a host that lacks a file has one line of it'() {
      await lacking(/index-/, (page) => refused(page, /its program did not load; load the page again/, 'without its program'));
      await lacking(/measuring-/, (page) => refused(page, /; load the page again$/, 'without what measures'));
      await lacking(/estimator-/, (page) =>
        refused(page, /cannot load .*estimator.*: the host says 404; load the page again$/, 'without the estimator'),
      );
      await lacking(/worker-/, (page) => refused(page, /its program did not load; load the page again$/, 'without workers'));
    },
    async 'stopped while it loads, it has no answer, and measures when it is asked again'({ test }) {
      const { page, seen } = await opened(test, `?messages=64,1024&seed=7&${QUERY}`);
      await page.evaluate(() => ['start', 'stop'].forEach((id) => document.getElementById(id).click()));
      const { answer, error } = await measured(page);
      await page.click('#start');
      await page.waitForFunction(
        () => document.getElementById('stop').hidden && /^Use AES/.test(document.getElementById('answer').innerText),
      );
      await page.close();
      expect(answer[0] === 'No answer: nothing was measured.' && error === '' && seen.complaints.length === 0, 'the answer', [
        answer,
        error,
        seen,
      ]);
    },
    async 'opened as a file it says to serve its folder'() {
      const { page } = await opened(`file://${site('site')}/`, 'index.html');
      await refused(page, /serve its folder, say with python3 -m http.server$/, 'the error');
      await page.close();
    },
    async 'an error of a script is one line'({ test }) {
      const { page } = await opened(test, '');
      await page.evaluate(() => {
        // What the page calls once the link has the focus.
        HTMLInputElement.prototype.select = undefined;
        for (const id of ['result', 'shared']) document.getElementById(id).hidden = false;
        document.getElementById('address').focus();
      });
      await refused(page, /select is not a function; load the page again/, 'the error');
      await page.close();
    },
  };
}
