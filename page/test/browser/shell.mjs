// How soon the published page's button is there, and works, on a slow phone: Chromium, its CPU slowed down four times, 1.6 Mbit/s, 150 ms a
// request (`node test/browser/shell.mjs [TIMES]`). Milliseconds from opening; no test asserts them.

import { fileURLToPath } from 'node:url';
import { launch } from 'puppeteer-core';
import { serve } from '../server.mjs';

const times = Number(process.argv[2] ?? 5);
const host = await serve(fileURLToPath(new URL('../../build/site', import.meta.url)), { isolated: false });
const browser = await launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
for (let time = 0; time < times; time += 1) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const session = await page.createCDPSession();
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 200_000,
    uploadThroughput: 93_750,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.evaluateOnNewDocument(() => {
    const listen = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function (type, ...others) {
      if (this instanceof Element && this.id === 'start' && type === 'click') globalThis.works ??= performance.now();
      return listen.call(this, type, ...others);
    };
  });
  await page.goto(host.address, { waitUntil: 'load' });
  await page.waitForFunction(() => globalThis.works !== undefined && performance.getEntriesByType('paint').length > 0);
  const seen = await page.evaluate(() => {
    const paint = performance.getEntriesByName('first-contentful-paint')[0].startTime;
    return { paint, works: globalThis.works };
  });
  process.stdout.write(`button there ${seen.paint.toFixed(0)} ms, works ${seen.works.toFixed(0)} ms\n`);
  await context.close();
}
await browser.close();
host.stop();
