// The team's pages as people see and use them: each in light and dark, from 320 px on and with twice as large text, on paper, by the keyboard alone
// and without script.

import { faultless, inBoth, onPaper, tabbed, withAxe } from './access.mjs';
import { LIMIT_MS, expect, measured } from './browser.mjs';
import { reading } from './guests.mjs';

export function teamLooks({ opened, darkly }) {
  /** Every page that a reader opens. */
  const pages = async ({ proxy, pushed, tokens }, own = opened) => {
    const { page, seen } = await reading(own, proxy.address, tokens.admin);
    const cell = await page.evaluate(async (run) => {
      const text = await (await fetch(`/runs/${run}`)).text();
      return new DOMParser().parseFromString(text, 'text/html').querySelector('a[href^="/cell"]').getAttribute('href');
    }, pushed[0]);
    const [one, two] = pushed;
    const paths = {
      machines: '/',
      machine: '/machines/web-1',
      run: `/runs/${one}`,
      report: `/runs/${one}/report`,
      comparison: `/compare?a=${one}&b=${two}`,
      cell,
      movements: '/movements',
      token: '/token',
      'nothing there': '/runs/0123456789ab',
      'the code': '/join-code',
      'the page for phones': '/join/',
    };
    return { page, seen, paths };
  };

  /** Opens each page; those that this server does not have are left out. */
  async function each(given, own, during) {
    const { page, paths } = await pages(given, own);
    let count = 0;
    for (const [name, path] of Object.entries(paths)) {
      const answer = await page.goto(given.proxy.address + path);
      if (answer.status() === 404 && name === 'movements') continue;
      await during(page, name);
      count += 1;
    }
    await page.close();
    expect(count >= 10, 'pages', count);
  }

  return {
    async 'in light and dark, axe finds nothing on any page, and on paper neither'(given) {
      for (const [scheme, own] of [
        ['light', opened],
        ['dark', darkly],
      ]) {
        await each(given, own, async (page, name) => {
          const isDark = await page.evaluate(() => {
            const [back] = getComputedStyle(document.body).backgroundColor.match(/\d+/g) ?? ['255'];
            return Number(back) < 128;
          });
          expect(isDark === (scheme === 'dark'), `${name}: ${scheme}`, isDark);
          await withAxe(page);
          for (const width of [320, 900, 1400]) {
            await page.setViewport({ width, height: 700 });
            await faultless(page, `${name}, ${scheme}, ${width} px`, { scrolls: width < 1400 });
          }
        });
      }
    },
    async 'from 320 px on and with twice as large text no page is wider than the screen'(given) {
      await each(given, opened, async (page, name) => {
        for (const [width, size] of [
          [320, '100%'],
          [640, '200%'],
          [900, '100%'],
          [1400, '100%'],
        ]) {
          await page.setViewport({ width, height: 700 });
          const over = await page.evaluate((size) => {
            document.documentElement.style.fontSize = size;
            const { scrollWidth, clientWidth } = document.documentElement;
            return scrollWidth - clientWidth;
          }, size);
          expect(over <= 0, `${name}, ${width} px, text of ${size}`, over);
        }
      });
    },
    async 'on paper every page is dark on white, without buttons, and axe finds nothing'(given) {
      await each(given, darkly, async (page, name) => {
        await onPaper(page, given.kind === 'chrome');
        const { ink, buttons } = await page.evaluate(() => ({
          ink: getComputedStyle(document.body).color.match(/\d+/g).map(Number),
          buttons: [...document.querySelectorAll('button, input')].filter((part) => part.getClientRects().length > 0).length,
        }));
        // Those of the report are its figures' keys.
        const hasKeys = name === 'report' || name === 'comparison';
        expect(ink.every((part) => part < 128) && (hasKeys || buttons === 0), `${name}, on paper`, [ink, buttons]);
      });
    },
    async 'by the keyboard alone a reader goes from the machines to two runs side by side'({
      own,
      stores,
      certificate,
      plain,
      proxy,
      tokens,
    }) {
      for (const run of ['1', '8'])
        await own.serve(['push', run, '--store', stores.runs, '--to', plain.address, '--machine', 'web-1', '--certificate', certificate]);
      const { page } = await opened(plain.address, '/');
      const focus = () => page.evaluate(() => document.activeElement.getAttribute('href') ?? document.activeElement.textContent);
      const until = async (is) => {
        for (let time = 0; time < 80; time += 1) {
          const [id] = await tabbed(page, 1);
          expect(!id.endsWith('unseen'), 'what has the focus is seen', [id, await focus()]);
          if (is(await focus())) return;
        }
        throw new Error('the keyboard does not come there');
      };
      const followed = async () => Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      await until((href) => href === '/machines/web-1');
      await followed();
      await until((text) => text === 'Show A and B side by side');
      await followed();
      const text = await page.evaluate(() => document.body.textContent);
      expect(page.url().includes('/compare?') && /Side by side/.test(text), 'where it leads', [page.url(), text.slice(0, 200)]);
      await page.close();
      // Entering a token takes the keyboard alone, too.
      await (await reading(opened, proxy.address, tokens.read)).page.close();
    },
    async 'without script every page but that for phones can be read'(given) {
      const { page, paths } = await pages(given);
      // Firefox has no command for it: what it is given has no script.
      if (given.kind === 'chrome') await page.setJavaScriptEnabled(false);
      for (const [name, path] of Object.entries(paths)) {
        const answer = await page.goto(given.proxy.address + path);
        const text = await answer.text();
        // The report's own script only shows values at the pointer.
        const hasOwn = ['report', 'comparison', 'the page for phones'].includes(name);
        expect(hasOwn || !/<script/.test(text), `${name}: scripts`, text.length);
        const words = await page.evaluate(() => document.body.innerText);
        expect(name !== 'the page for phones' || text.includes('<noscript>'), name, words);
        expect(words.length > 60, `${name}: what it says`, words);
      }
      await page.close();
    },
    async 'a phone-sized join page has its button and its words on one screen'(given) {
      const { page } = await opened(given.plain.address, '/join/?messages=64,1024&seed=7&providers=simulated-double&budget=1#start');
      await page.setViewport({ width: 390, height: 844 });
      await measured(page);
      await page.waitForFunction(() => !document.getElementById('team').hidden, { timeout: LIMIT_MS });
      const [label, button] = await page.evaluate(() =>
        ['#team label', '#send'].map((part) => {
          const { height, width } = document.querySelector(part).getBoundingClientRect();
          return [height, width];
        }),
      );
      expect(button[0] >= 44 && button[1] <= 390 && label[0] > 0, 'its sizes', [label, button]);
      await withAxe(page);
      await page.click('#send');
      await page.waitForFunction(() => document.querySelector('#sent a') !== null, { timeout: LIMIT_MS });
      await inBoth(page, 'the page for phones, sent');
      await page.focus('#device');
      const after = await tabbed(page, 1);
      expect(after.join() === 'send', 'the order', after);
      await page.close();
    },
  };
}
