// A run that is under way: its page changes as the run goes on, without script it says to reload, and it ends with a link to the run.

import { join } from 'node:path';
import { home, served } from '../team-server.mjs';
import { faultless, until, withAxe } from './access.mjs';
import { LIMIT_MS, expect } from './browser.mjs';

const RUN = ['run', '--provider', 'ring', '--algorithm', 'aes-256-gcm,chacha20-poly1305', '--message', '1KiB,16KiB', '--budget', '30s'];
const LEAD = () => document.getElementById('lead').textContent;

export function live({ opened, darkly }) {
  return {
    async 'a run under way is seen without reloading, and its page leads to the run once it has ended'({ folder, kind }) {
      const own = home();
      const server = await served(own, []);
      let run = null;
      try {
        const { page, seen } = await opened(server.address, '/live');
        expect((await page.evaluate(LEAD)) === 'No run is under way here.', 'before', await page.evaluate(LEAD));
        await page.evaluate(() => {
          globalThis.heard = [];
          globalThis.isSame = true;
          const said = document.getElementById('heard');
          new MutationObserver(() => heard.push(said.textContent)).observe(said, { childList: true });
        });
        run = own.measuring(RUN);
        await page.waitForFunction(() => document.getElementById('lead').textContent.startsWith('So far: '), { timeout: LIMIT_MS });
        await page.waitForFunction(() => document.querySelectorAll('#table tbody tr').length === 2, { timeout: LIMIT_MS });
        await withAxe(page);
        await faultless(page, 'while it measures');
        const { page: dark } = await darkly(server.address, '/live');
        await dark.setViewport({ width: 320, height: 700 });
        await withAxe(dark);
        await faultless(dark, 'dark, while it measures', { scrolls: true });
        await dark.close();
        await page.setViewport({ width: 900, height: 700 });
        await page.screenshot({ path: join(folder, `team-${kind}-live.png`) });
        const { text, regions } = await page.evaluate(() => ({
          text: document.getElementById('text').textContent,
          regions: document.querySelectorAll('[aria-live], [role="status"], [role="log"]').length,
        }));
        expect(/\d of 2 comparisons are decided\. Run 1, /.test(text) && regions === 1, 'what it says', [text, regions]);
        // Another one who opens it meanwhile has all of it at once, and a machines page that leads there.
        const { page: other } = await opened(server.address, '/');
        await Promise.all([other.waitForNavigation(), other.click('a[href="/live"]')]);
        expect((await other.evaluate(LEAD)).startsWith('So far: '), 'what another one sees', await other.evaluate(LEAD));
        await other.close();
        await page.waitForFunction(() => document.getElementById('lead').textContent === 'The run has ended.', { timeout: LIMIT_MS });
        const { heard, isSame } = await page.evaluate(() => ({ heard: globalThis.heard, isSame: globalThis.isSame }));
        expect(isSame && heard.at(-1) === 'The run has ended.' && heard.length <= 30, 'what is heard', heard);
        await Promise.all([page.waitForNavigation(), page.click('#text a')]);
        const answer = await page.evaluate(() => document.querySelector('.answer').textContent);
        expect(/^Use |equal here|^No answer yet/.test(answer) && page.url().includes('/runs/'), 'the run', [answer, page.url()]);
        expect(seen.complaints.length === 0 && seen.hosts.length === 0, 'complaints', seen);
        await page.close();
      } finally {
        run?.stop();
        await run?.ended;
        await server.stop();
        own.remove();
      }
    },
    async 'a server that goes away is said, and its page comes back with it'() {
      const own = home();
      const first = await served(own, []);
      try {
        const { page } = await opened(first.address, '/live');
        await until(page, () => document.getElementById('lost').hidden);
        await first.stop();
        await until(page, () => !document.getElementById('lost').hidden);
        const port = new URL(first.address).port;
        const second = await served(own, [], `127.0.0.1:${port}`);
        await until(page, () => document.getElementById('lost').hidden);
        await page.close();
        await second.stop();
      } finally {
        own.remove();
      }
    },
  };
}
