// A phone joins a team: it measures, and its run goes to the server when its owner presses the button, and never before.

import { join } from 'node:path';
import { LIMIT_MS, expect, exported, measured } from './browser.mjs';

const QUERY = '?messages=64,1024&seed=7&providers=simulated-double&budget=1';
const SENT = () => document.getElementById('sent').textContent !== '';

/** Presses the button; what the page says came of it. */
export async function sent(page) {
  await page.evaluate(() => document.getElementById('sent').replaceChildren());
  await page.click('#send');
  await page.waitForFunction(SENT, { timeout: LIMIT_MS });
  return page.evaluate(() => {
    const part = document.getElementById('sent');
    return { text: part.textContent, page: part.querySelector('a')?.getAttribute('href') ?? null };
  });
}

/** A page that may read: its browser has entered the token. */
export async function reading(opened, address, token) {
  const { page, seen } = await opened(address, '/token');
  await page.type('#token', token);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  const where = [page.url(), await page.evaluate(() => document.body.innerText.slice(0, 300))];
  expect(page.url() === `${address}/`, 'where a token leads', where);
  return { page, seen };
}

export function guests({ opened }) {
  /** The page of a team, once it has measured. */
  async function joined(address, behind, before) {
    const { page, seen } = await opened(address, `/join/${behind}`, before);
    await page.setViewport({ width: 390, height: 844, hasTouch: true, isMobile: false });
    await page.click('#start');
    const shown = await measured(page);
    expect(shown.error === '' && seen.hosts.length === 0, 'the page cannot measure, or asks others', [shown.error, seen]);
    return { page, seen, shown };
  }

  /** What the page says when a push ends so. */
  const refused = async (page, says, what) => {
    const { text, page: link } = await sent(page);
    const isLine = says.test(text) && text.endsWith('The run is kept here.') && text.length < 500 && !/[\n<]/.test(text);
    expect(isLine && link === null, what, text);
    expect(JSON.parse(await exported(page)).records.length > 0, `${what}: the run is kept`, text);
  };

  return {
    async 'a phone joins by its link, measures, and sends when its owner presses the button; the comparison is there'(given) {
      const { proxy, link, database, tokens, folder, kind, pushed } = given;
      const pushes = () => proxy.seen.asked.filter((line) => line.startsWith('POST /api/runs')).length;
      const before = pushes();
      const { page, seen, shown } = await joined(proxy.address, (await link(proxy, database)).slice(`${proxy.address}/join/`.length));
      const { href, isIsolated, controller, button, words } = await page.evaluate(() => ({
        href: location.href,
        isIsolated: globalThis.crossOriginIsolated,
        controller: navigator.serviceWorker?.controller ?? null,
        button: document.getElementById('send').textContent,
        words: document.querySelector('header p').textContent,
      }));
      expect(isIsolated && controller === null, 'isolation comes from the server, and no service worker does', [isIsolated, controller]);
      expect(href === `${proxy.address}/join/`, 'the token has left the address', href);
      expect(!proxy.seen.asked.some((line) => line.includes('ciphermeter_')), 'no token is in an address', proxy.seen.asked);
      expect(button === `Send to ${new URL(proxy.address).host}` && /unless you send it/.test(words), 'the button', [button, words]);
      expect(pushes() === before, 'nothing is sent before', proxy.seen.asked);
      await page.type('#device', 'phone');
      const first = await sent(page);
      expect(/^Sent: .* has the run, of phone\./.test(first.text) && pushes() === before + 1, 'what came of it', first);
      // docs/team-phone.png, team-machines.png and team-compare.png are Chromium's.
      await page.evaluate(() => scrollTo(0, 0));
      await page.screenshot({ path: join(folder, `team-${kind}-phone.png`) });
      const again = await sent(page);
      expect(/has the run already, of phone\./.test(again.text) && again.page === first.page, 'the same again', again);
      const document = JSON.parse(await exported(page));
      await page.close();
      expect(seen.complaints.length === 0, 'complaints', seen);

      const { page: reader } = await reading(opened, proxy.address, tokens.read);
      const machines = await reader.evaluate(() => [...document.querySelectorAll('tbody th a')].map((name) => name.textContent));
      expect(
        ['db-1', 'phone', 'web-1'].every((name) => machines.includes(name)),
        'the machines',
        machines,
      );
      await reader.setViewport({ width: 1000, height: 620 });
      await reader.screenshot({ path: join(folder, `team-${kind}-machines.png`) });
      await reader.goto(proxy.address + first.page);
      const said = await reader.evaluate(() => document.querySelector('.answer').textContent);
      expect(said === shown.answer[0] && document.answer.sentences[0] === said, 'its answer', [said, shown.answer]);
      await reader.goto(`${proxy.address}/compare?a=${pushed[0]}&b=${pushed[1]}`);
      const comparison = await reader.evaluate(() => ({
        text: document.body.textContent,
        figures: document.querySelectorAll('svg').length,
      }));
      expect(/A and B are of different machines/.test(comparison.text) && comparison.figures > 0, 'the comparison', comparison);
      await reader.setViewport({ width: 1000, height: 760 });
      await reader.evaluate(() => document.querySelector('h2').scrollIntoView());
      await reader.screenshot({ path: join(folder, `team-${kind}-compare.png`) });
      await reader.close();
    },
    async 'a link that is not whole, a token that is gone or missing, and a page without one are each one line'(given) {
      const { other, link, own } = given;
      const { page, seen } = await joined(other.address, QUERY);
      await refused(page, /has no right to send to .*: ask for a new link to join/, 'without a token');
      await page.evaluate(() => (location.hash = '#join=ciphermeter_12'));
      const isWrong = () =>
        document.getElementById('error').textContent === 'The link to join is not whole: scan its code again, or ask for another.';
      await page.waitForFunction(isWrong);
      // Opened in the tab that has the run.
      const fragment = (await link(other, other.database)).split('#')[1];
      await page.evaluate((fragment) => (location.hash = `#${fragment}`), fragment);
      await page.waitForFunction(() => location.hash === '' && document.getElementById('error').hidden);
      const tokens = await own.serve(['serve', 'token', 'list', ...other.database]);
      const names = tokens.split('\n').filter((line) => line.startsWith('join '));
      for (const line of names) await own.serve(['serve', 'token', 'remove', line.split(' join made ')[0], ...other.database]);
      await refused(page, /The right to send to .* has ended: ask for a new link/, 'with one that is gone');
      await page.close();
      // Firefox and Chromium both tell of the status.
      expect(
        seen.complaints.every((line) => /40[13]/.test(line)),
        'complaints',
        seen,
      );
    },
    async 'whatever a server or a proxy answers is one line, and the run is kept'(given) {
      const { other, link } = given;
      const { hash } = new URL(await link(other, other.database));
      const { page } = await joined(other.address, QUERY + hash);
      const [reason, long] = ['x'.repeat(10_000), 'x'.repeat(100_000)];
      for (const [status, body, says] of [
        [413, '<html>too large</html>', /The run is too long for .*: a proxy before it takes less/],
        [413, '{"error":"the run is longer than 64 MiB"}', /The run is too long for .*: the run is longer than 64 MiB/],
        [422, JSON.stringify({ error: `cannot take this run: ${reason}` }), /does not take the run: cannot take this run: x+/],
        [403, '{"error":"no"}', /does not let this page send: ask for a new link/],
        [200, '<html>a portal</html>', /gives an answer that this page does not know/],
        [200, '{"run":"../x","is_new":true,"machine":"m"}', /gives an answer that this page does not know/],
        [200, long, /gives an answer that this page does not know/],
        [409, '{"error":"it began in the future"}', /does not take the run now: it began in the future; press the button again later/],
        [503, '<html>a proxy</html>', /does not take the run now \(503\); press the button again later/],
      ]) {
        other.seen.answer = [status, body];
        try {
          await refused(page, says, `${status} ${body.slice(0, 40)}`);
        } finally {
          other.seen.answer = null;
        }
      }
      other.stop();
      await refused(page, /does not answer: press the button again when it does/, 'a server that is away');
      await other.again();
      const { text } = await sent(page);
      expect(/^Sent: |has the run already/.test(text), 'once it is back', text);
      await page.close();
    },
    async 'without tokens the button sends, and a page of a plain host has none'({ plain }) {
      const { page, seen } = await opened(plain.address, `/join/${QUERY}#start`);
      await measured(page);
      expect(plain.address.startsWith('https:') && (await page.evaluate(() => globalThis.crossOriginIsolated)), 'isolation', plain.address);
      const { text, page: link } = await sent(page);
      await page.goto(plain.address + link);
      const said = await page.evaluate(() => document.querySelector('.answer').textContent);
      await page.close();
      expect(/^Sent: /.test(text) && said.startsWith('Use AES-256-GCM'), 'what came of it', [text, said]);
      expect(seen.complaints.length === 0, 'complaints', seen);
    },
    async 'an administrator makes a link on the page, as a code that a phone reads'(given) {
      const { proxy, tokens, folder, kind } = given;
      const { page, seen } = await reading(opened, proxy.address, tokens.admin);
      await page.goto(`${proxy.address}/join-code`);
      await Promise.all([page.waitForNavigation(), page.click('main button')]);
      const { link, isDrawn } = await page.evaluate(() => ({
        link: document.querySelector('main a').href,
        isDrawn: document.querySelector('svg.code path') !== null,
      }));
      await page.screenshot({ path: join(folder, `team-${kind}-code.png`) });
      const isLink = link.startsWith(`${proxy.address}/join/#join=ciphermeter_`) && isDrawn;
      expect(isLink && seen.complaints.length === 0, 'the link', [link, isDrawn, seen]);
      await page.goto(`${proxy.address}/token`);
      await page.type('#token', tokens.read);
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      await page.goto(`${proxy.address}/join-code`);
      const words = await page.evaluate(() => document.querySelector('main').innerText);
      expect(/Your token cannot make one/.test(words), 'with a token that reads', words);
      await page.close();
    },
  };
}
