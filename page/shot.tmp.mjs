import { launch } from 'puppeteer-core';
const browser = await launch({ browser: 'chrome', executablePath: '/usr/bin/chromium', args: ['--no-sandbox'], protocol: 'webDriverBiDi' });
const page = await browser.newPage();
const [,, width, ...urls] = process.argv;
await page.setViewport({ width: Number(width), height: 900 });
for (const [k, url] of urls.entries()) { await page.goto(url); await new Promise(r => setTimeout(r, 700)); await page.screenshot({ path: `/tmp/w/shot-${width}-${k}.png`, fullPage: false }); }
await browser.close();
