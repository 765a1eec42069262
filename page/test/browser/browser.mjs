// A real browser, headless, over loopback, driven by WebDriver BiDi, and what all checks with one need: pages whose complaints are collected, and a
// line a check.

import { mkdirSync } from 'node:fs';
import { launch } from 'puppeteer-core';

const PROGRAMS = { chrome: process.env.CHROMIUM ?? '/usr/bin/chromium', firefox: process.env.FIREFOX ?? '/usr/bin/firefox-esr' };
/** A name of this machine that browsers trust as little as another machine's. */
export const LAN = 'page.test';
const ARGUMENTS = { chrome: ['--no-sandbox', `--host-resolver-rules=MAP ${LAN} 127.0.0.1`], firefox: [] };
/** A page on a busy machine takes several times what it takes on an idle one. */
export const LIMIT_MS = 240_000;

export function expect(is, what, seen) {
  if (is) return;
  throw new Error(`${what}: ${JSON.stringify(seen).slice(0, 600)}`);
}

/** Starts it, preferring light or dark pages. Certificates that nobody signed are accepted, as a person accepts them. */
export async function started(kind, { prefersDark = false } = {}) {
  const browser = await launch({
    browser: kind,
    executablePath: PROGRAMS[kind],
    args: ARGUMENTS[kind],
    extraPrefsFirefox: { 'network.dns.localDomains': LAN, 'layout.css.prefers-color-scheme.content-override': prefersDark ? 0 : 1 },
    protocol: 'webDriverBiDi',
    protocolTimeout: LIMIT_MS,
    acceptInsecureCerts: true,
  });

  /** Opens an address; what the page complains of, and which other hosts it asks, is collected. */
  async function opened(address, path, before = () => {}) {
    const page = await browser.newPage();
    if (prefersDark && kind === 'chrome') await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    const seen = { complaints: [], hosts: [], files: [] };
    page.on('console', (message) => message.type() === 'error' && seen.complaints.push(message.text()));
    page.on('pageerror', (error) => seen.complaints.push(String(error)));
    page.on('request', (request) => {
      const { host, pathname, protocol } = new URL(request.url());
      seen.files.push(pathname);
      if (protocol.startsWith('http') && host !== new URL(address).host) seen.hosts.push(host);
    });
    // What is saved is read from where it was put, as no folder for downloads is asked for.
    await page.evaluateOnNewDocument(() => {
      const create = URL.createObjectURL.bind(URL);
      URL.createObjectURL = (blob) => {
        if (blob instanceof Blob) globalThis.saved = blob.text();
        return create(blob);
      };
    });
    await page.evaluateOnNewDocument(before);
    await page.goto(`${address}${path}`);
    return { page, seen };
  }

  return { browser, opened };
}

/** What a page shows once it has measured. */
export async function measured(page) {
  const isDone = () => {
    const [stop, error, result] = ['stop', 'error', 'result'].map((id) => document.getElementById(id));
    return !error.hidden || (stop.hidden && !result.hidden);
  };
  await page.waitForFunction(isDone, { timeout: LIMIT_MS });
  return page.evaluate(() => {
    const text = (id) => document.getElementById(id).innerText;
    const lines = (id) => [...document.querySelectorAll(`#${id} p`)].map((line) => line.textContent);
    const rows = [...document.querySelectorAll('#table tr')].map((row) => [...row.cells].map((cell) => cell.textContent));
    return { error: text('error'), answer: lines('answer'), notes: lines('notes'), rows, clock: text('clock') };
  });
}

export async function exported(page) {
  return page.evaluate(() => {
    document.getElementById('save').click();
    return globalThis.saved;
  });
}

/** Runs the checks whose names have the text, a line each, and a last one that adds up; how many failed. */
export async function ran(kind, checks, only, given) {
  let failed = 0;
  const chosen = Object.entries(checks).filter(([name]) => name.includes(only));
  for (const [name, check] of chosen) {
    const began = performance.now();
    try {
      await check(given);
      process.stdout.write(`ok ${kind}: ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)\n`);
    } catch (cause) {
      failed += 1;
      process.stdout.write(`FAILED: ${kind}: ${name}: ${String(cause?.message ?? cause).slice(0, 800)}\n`);
    }
  }
  process.stdout.write(`${chosen.length - failed} passed, ${failed} failed, 0 skipped\n`);
  return failed;
}

/** The browser, the folder for what it shows, and the checks that a command line asks for. */
export function asked() {
  const [, , kind, folder, only = ''] = process.argv;
  mkdirSync(folder, { recursive: true });
  return { kind, folder, only };
}
