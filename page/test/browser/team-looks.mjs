// The team's pages as people see and use them: each in light and dark, from 320 px on and with twice as large text, on paper, by the keyboard alone
// and without script.

import { join } from 'node:path';
import { faultless, onPaper, tabbed, withAxe } from './access.mjs';
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
          for (const width of [320, 900]) {
            await page.setViewport({ width, height: 700 });
            await withAxe(page);
            await faultless(page, `${name}, ${scheme}, ${width} px`);
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
        expect(ink.every((part) => part < 128) && buttons === 0, `${name}, on paper`, [ink, buttons]);
      });
    },
    async 'by the keyboard alone a reader goes from the machines to a comparison'(given) {
      const { page } = await reading(opened, given.proxy.address, given.tokens.read);
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
      await until((href) => href.startsWith('/runs/'));
      await followed();
      await until((href) => href.endsWith('/report'));
      await followed();
      expect(page.url().endsWith('/report'), 'where it leads', page.url());
      await page.close();
    },
    async 'without script every page but that for phones can be read'(given) {
      const { page, paths } = await pages(given);
      await page.setJavaScriptEnabled(false);
      for (const [name, path] of Object.entries(paths)) {
        const answer = await page.goto(given.proxy.address + path);
        const text = await answer.text();
        // Of scripts, only the report's own is there, and it is not needed.
        if (name === 'the page for phones') expect(text.includes('<noscript>'), name, text.length);
        else expect(!/<script/.test(text) || name === 'report' || name === 'comparison', name, text.length);
        const title = await page.title();
        expect(/Ciphermeter/i.test(title), name, title);
      }
      await page.close();
    },
    async 'what docs/team.md shows'(given) {
      const { folder, kind, proxy, pushed } = given;
      const { page } = await reading(opened, proxy.address, given.tokens.read);
      await page.setViewport({ width: 1000, height: 620 });
      await page.goto(`${proxy.address}/`);
      await page.screenshot({ path: join(folder, `team-${kind}-machines.png`) });
      await page.goto(`${proxy.address}/compare?a=${pushed[0]}&b=${pushed[1]}`);
      await page.screenshot({ path: join(folder, `team-${kind}-compare.png`) });
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
      await faultless(page, 'the page for phones, measured');
      await page.focus('#device');
      const after = await tabbed(page, 1);
      expect(after.join() === 'send', 'the order', after);
      await page.close();
    },
  };
}
