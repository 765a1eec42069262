// Measures with the page in a real browser, headless, over loopback, driven by WebDriver BiDi: `node test/browser/run.mjs chrome|firefox FOLDER [TEXT]`,
// of the checks those whose name has the text. A line a check; what Chromium and Firefox show, and what a run exports, lies in FOLDER afterwards.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '../server.mjs';
import { badInput } from './bad.mjs';
import { LAN, LIMIT_MS, asked, expect, exported, measured, ran, started } from './browser.mjs';
import { looks } from './looks.mjs';

const { kind, folder, only } = asked();
const site = (name) => fileURLToPath(new URL(`../../build/${name}`, import.meta.url));
const { browser, opened } = await started(kind);

/** Opens the page, measures and closes it. */
async function simulated(address, query, during = async () => {}, before = () => {}) {
  const { page, seen } = await opened(address, `?messages=64,1024&seed=7&${query}#start`, before);
  await during(page);
  const shown = await measured(page);
  const run = JSON.parse((await exported(page)) ?? 'null');
  await page.close();
  expect(seen.complaints.length === 0 && seen.hosts.length === 0, 'the page complains, or asks others', seen);
  expect(shown.error === '', 'the page cannot measure', shown.error);
  return { ...shown, run };
}

/** Tells paced providers to take `pace(share)` times as long, where `share` of the bar is over. */
const paced = (pace) => (page) =>
  page.evaluate(async (text) => {
    const [pace, told] = [Function(`return ${text}`)(), new BroadcastChannel('pace')];
    for (const over = () => document.getElementById('stop').hidden; !over();) {
      // Workers come and go, so that each has to hear it.
      told.postMessage(pace(document.getElementById('bar').value));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }, String(pace));

/** What holds of a planted 2:1, whatever else is planted: the right answer, or none yet. */
const isRight = ([first]) => first?.startsWith('Use AES-256-GCM. It is faster') || first?.startsWith('No answer yet');
const IS_DOUBLE = /^AES-256-GCM (1\.9[5-9]|2\.0[0-5]|2)|^no answer yet/;

/** A clock that steps by a millisecond, as Safari's, at moments that it draws, as Tor Browser's. */
const coarse = () => {
  const [fine, drawn] = [performance.now.bind(performance), new Map()];
  performance.now = () => {
    const [time, step] = [fine(), Math.floor(fine())];
    if (!drawn.has(step)) drawn.set(step, Math.random());
    return time - step < drawn.get(step) ? step : step + 1;
  };
};

const CHECKS = {
  async 'one cipher that is twice as fast is recommended'({ test }) {
    const { answer, rows } = await simulated(test, 'providers=simulated-double&budget=1');
    expect(answer[0]?.startsWith('Use AES-256-GCM. It is faster than ChaCha20-Poly1305'), 'the answer', answer);
    expect(rows.length === 4 && rows.slice(2).every((row) => IS_DOUBLE.test(row.at(-1))), 'the table', rows);
  },
  async 'each library has its file and hash, and two runs of one browser have them alike'({ test }) {
    const runs = [];
    for (const name of ['before', 'after']) {
      const { run } = await simulated(test, 'providers=simulated-double,libsodium-wasm,webcrypto&budget=1');
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(run));
      runs.push(
        run.records.map(({ provider, version, runtime, library, sha256, program }) => [
          provider,
          version,
          runtime,
          library,
          sha256,
          program,
        ]),
      );
    }
    const [before] = runs;
    expect(JSON.stringify(before) === JSON.stringify(runs[1]), 'both', runs);
    const isHash = (text) => /^[0-9a-f]{64}$/.test(text);
    const isKnown = ([provider, , , library, sha256, program]) =>
      isHash(program) && (provider === 'webcrypto' ? library === null && sha256 === null : isHash(sha256) && /\.(js|wasm)$/.test(library));
    expect(
      before.length > 6 && before.every(isKnown),
      'the code',
      before.find((code) => !isKnown(code)),
    );
    expect(new Set(before.map(([, , , , sha256]) => sha256)).size === 3, 'hashes', before);
  },
  async 'two that are equal are called equal'({ test }) {
    const { answer } = await simulated(test, 'providers=simulated-equal&budget=1');
    expect(answer[0]?.includes('are equal here'), 'the answer', answer);
  },
  async 'where a device slows down in the middle, the answer is right, and rounds before are left out and counted'({ test }) {
    const throttled = paced((share) => (share < 0.5 ? 1 : 1.7));
    for (const [truth, said] of [
      ['double', 'Use AES-256-GCM.'],
      ['equal', 'are equal here'],
    ]) {
      const { answer, run } = await simulated(test, `providers=simulated-paced-${truth}&budget=2`, throttled);
      expect(answer[0]?.includes(said), 'the answer', answer);
      expect(
        run.run.notes.some((note) => /rounds are left out: the device slowed down after them/.test(note)),
        'notes',
        run.run.notes,
      );
    }
  },
  async 'a device that becomes slower and slower gets no wrong answer'({ test }) {
    for (const most of [1.2, 2]) {
      const slower = paced(`(share) => 1 + ${most - 1} * share`);
      const { answer, rows } = await simulated(test, 'providers=simulated-paced-double&budget=2', slower);
      expect(isRight(answer) && rows.slice(2).every((row) => IS_DOUBLE.test(row.at(-1))), 'the answer', [answer, rows]);
    }
  },
  async 'a clock of 1 ms leaves two sizes, and no wrong answer'({ test }) {
    for (const [truth, isSo] of [
      ['coarse', isRight],
      ['coarse-equal', ([first]) => !first?.startsWith('Use')],
    ]) {
      const { answer, clock, run } = await simulated(test, `providers=simulated-${truth}&budget=4`);
      expect(isSo(answer) && clock.includes('1000 µs'), 'the answer', [answer, clock]);
    }
  },
  async 'a coarse clock of the browser itself leaves two sizes, and no wrong answer'() {
    const host = await serve(site('test'), { worker: `(${coarse})();` });
    try {
      const { page, seen } = await opened(host.address, '?seed=7&budget=5&providers=rustcrypto-wasm#start', coarse);
      const { answer, clock, rows } = await measured(page);
      await page.close();
      // As WebAssembly, ChaCha20-Poly1305 is several times faster.
      expect(/^Use ChaCha20-Poly1305|^No answer yet/.test(answer[0]) && clock.includes('1000 µs'), 'the answer', [answer, clock]);
      expect(rows.length === 4 && seen.complaints.length === 0, 'the table', [rows, seen]);
    } finally {
      host.stop();
    }
  },
  async 'what the browser tells of the battery is said and exported'({ test }) {
    const unplugged = () => {
      let level = 0.31;
      Navigator.prototype.getBattery = async () => ({ charging: false, level: (level -= 0.01) });
    };
    const { notes, run } = await simulated(test, 'providers=simulated-double&budget=1', undefined, unplugged);
    expect(
      notes.some((note) => note.includes('on its battery (30 % to 29 %)')),
      'notes',
      notes,
    );
    expect(run.host['power supply'] === 'battery' && run.host.battery === '30 % to 29 %', 'the host', run.host);
  },
  async 'rounds in which two clocks ran apart are left out and counted'({ test }) {
    const jump = (page) =>
      page.evaluate(async () => {
        const own = Date.now;
        const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
        while (document.getElementById('doing').textContent !== 'Measuring') await wait(20);
        for (let turns = 1; turns <= 10; turns += 1) {
          Date.now = () => own() + 1000 * turns;
          await wait(200);
        }
      });
    const { run, answer } = await simulated(test, 'providers=simulated-double&budget=4', jump);
    expect(
      run.run.notes.some((note) => /left out: the page or the device was suspended/.test(note)),
      'notes',
      run.run.notes,
    );
    expect(answer[0]?.startsWith('Use AES-256-GCM'), 'the answer', answer);
  },
  async 'a provider with wrong outputs is not timed'({ test }) {
    const { answer, run } = await simulated(test, 'providers=simulated-double,simulated-wrong&budget=1');
    const wrong = run.records.filter((record) => record.provider === 'simulated-wrong');
    expect(
      wrong.length === 4 && wrong.every((record) => record.outcome.is === 'wrong-output' && record.samples.length === 0),
      'records',
      wrong,
    );
    expect(answer.some((line) => line.startsWith('WRONG OUTPUT')) && run.run.status === 'partial', 'the answer', answer);
  },
  async 'a provider that opens forged texts is not timed'({ test }) {
    const { run } = await simulated(test, 'providers=simulated-double,simulated-forger&budget=1');
    const forger = run.records.filter((record) => record.provider === 'simulated-forger');
    expect(forger.length === 4 && forger.every((record) => /open|reject/.test(record.outcome.why)), 'records', forger[0]?.outcome);
  },
  async 'a provider whose timed calls put out something else is found'({ test }) {
    const { run } = await simulated(test, 'providers=simulated-double,simulated-late-wrong&budget=1');
    const late = run.records.filter((record) => record.provider === 'simulated-late-wrong' && record.parameters.message >= 1024);
    expect(
      late.length === 2 && late.every((record) => record.outcome.is === 'wrong-output'),
      'records',
      late.map((record) => record.outcome),
    );
  },
  async 'rounds of a hidden page are left out and counted'({ test }) {
    const hide = (page) =>
      page.evaluate(async () => {
        let isHidden = false;
        Object.defineProperty(document, 'hidden', { get: () => isHidden });
        const turn = (is) => {
          isHidden = is;
          document.dispatchEvent(new Event('visibilitychange'));
        };
        const text = (id) => document.getElementById(id).textContent;
        const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
        while (text('doing') !== 'Measuring') await wait(20);
        // Most of these moments fall into a round.
        for (let turns = 0; turns < 20 && !document.getElementById('stop').hidden; turns += 1) {
          turn(true);
          await wait(50);
          turn(false);
          await wait(200);
        }
      });
    const { run, answer } = await simulated(test, 'providers=simulated-double&budget=4', hide);
    expect(
      run.run.notes.some((note) => /left out: the page was hidden/.test(note)),
      'notes',
      run.run.notes,
    );
    expect(answer[0]?.startsWith('Use AES-256-GCM'), 'the answer', answer);
  },
  async 'a run can be stopped, and what was measured is kept'({ test }) {
    const stop = (page) =>
      page.evaluate(async () => {
        const leads = () => document.getElementById('leader').textContent.startsWith('So far: ');
        while (!leads()) await new Promise((resolve) => setTimeout(resolve, 20));
        document.getElementById('stop').click();
      });
    const { run } = await simulated(test, 'providers=simulated-double&budget=30', stop);
    expect(run.run.status === 'interrupted' && run.records.some((record) => record.samples.length > 0), 'status', run.run);
  },
  async 'measuring longer adds forks'({ test }) {
    const longer = async (page) => {
      await measured(page);
      await page.click('#longer');
    };
    const { run, notes } = await simulated(test, 'providers=simulated-double&budget=1&longer=1', longer);
    expect(
      run.records.every((record) => record.samples.length === 12),
      'forks',
      run.records[0]?.samples.length,
    );
    expect(notes.some((line) => line.startsWith('12 forks')) && run.run.status === 'complete', 'what it rests on', notes);
  },
  async 'it measures the real providers, and exports what it shows'({ published }) {
    const began = performance.now();
    const { page, seen } = await opened(published, '');
    await page.setViewport({ width: 320, height: 640 });
    await page.click('#start');
    const shown = await measured(page);
    const seconds = (performance.now() - began) / 1000;
    const document = await exported(page);
    writeFileSync(join(folder, `${kind}.json`), document);
    writeFileSync(join(folder, `${kind}.txt`), shown.answer.join('\n'));
    const overflow = await page.evaluate(() => globalThis.document.documentElement.scrollWidth - innerWidth);
    // docs/page-narrow.png and docs/page-wide.png are Chromium's.
    await page.setViewport({ width: 320, height: 760 });
    await page.screenshot({ path: join(folder, `${kind}-narrow.png`) });
    await page.setViewport({ width: 900, height: 760 });
    await page.screenshot({ path: join(folder, `${kind}-wide.png`) });
    const run = JSON.parse(document);
    process.stdout.write(`   ${seconds.toFixed(1)} s; ${shown.answer.join(' ')} ${shown.clock}\n   ${run.run.notes.join(' ')}\n`);
    expect(seen.complaints.length === 0 && seen.hosts.length === 0, 'the page complains, or asks others', seen);
    expect(shown.error === '' && overflow <= 0, 'the page cannot measure, or is too wide', [shown.error, overflow]);
    const outcomes = run.records.filter((record) => record.outcome.is !== 'measured' && record.outcome.is !== 'left-out');
    expect(outcomes.length === 0 && run.records.length >= 18, 'records', outcomes.length === 0 ? run.records.length : outcomes[0]);
    expect(shown.answer.join(' ') === run.answer.sentences.join(' '), 'what is shown and what is exported', run.answer.sentences);
    const words = await page.evaluate(() => globalThis.document.body.textContent);
    expect(!/--|ciphermeter [a-z]/.test(words), 'words of the command line', words);
    await page.close();
  },
  async 'without isolation it says so, and measures'({ plain }) {
    const without = () => delete Navigator.prototype.serviceWorker;
    const { answer, clock } = await simulated(plain, 'providers=simulated-double&budget=1', undefined, without);
    expect(clock.includes('not cross-origin isolated') && answer.length > 0, 'the clock', clock);
  },
  async 'its service worker isolates it where the host does not, and it works offline from then on'() {
    const host = await serve(site('test'), { isolated: false });
    const query = 'providers=simulated-double&budget=1';
    try {
      const { clock } = await simulated(host.address, query);
      expect(!clock.includes('not cross-origin isolated'), 'the clock', clock);
      host.stop();
      const offline = await simulated(host.address, query);
      expect(offline.answer[0]?.startsWith('Use AES-256-GCM') && offline.clock === clock, 'what it says without a network', offline);
    } finally {
      host.stop();
    }
  },
  async 'a tab that is closed at half has what it measured on return'({ test }) {
    const query = '?messages=64,1024&seed=7&providers=simulated-double&budget=30';
    const { page } = await opened(test, `${query}#start`);
    const isKept = async () => {
      const done = (request) => new Promise((resolve) => Object.assign(request, { onsuccess: () => resolve(request.result) }));
      const database = await done(indexedDB.open('ciphermeter', 1));
      const last = await done(database.transaction('runs').objectStore('runs').get('last'));
      database.close();
      return last?.records.every((record) => record.samples.length > 0);
    };
    const leads = () => document.getElementById('leader').textContent.startsWith('So far: ');
    await page.waitForFunction(leads, { timeout: LIMIT_MS });
    while (!(await page.evaluate(isKept))) await new Promise((resolve) => setTimeout(resolve, 100));
    await page.close();
    const { page: second, seen } = await opened(test, query);
    const shown = await measured(second);
    const { run, records } = JSON.parse(await exported(second));
    const whose = await second.evaluate(() => document.getElementById('whose').textContent);
    await second.close();
    expect(whose.startsWith('Measured here before, 20') && shown.answer.length > 0, 'what is shown', [whose, shown]);
    expect(run.status === 'interrupted' && records.every((record) => record.samples.length > 0), 'the run', run);
    expect(seen.complaints.length === 0, 'complaints', seen);
  },
  async 'a link carries the answer, and a code of it'({ test }) {
    const { page, seen } = await opened(test, '?messages=64,1024&seed=7&providers=simulated-double&budget=1#start');
    const shown = await measured(page);
    await page.click('#share');
    await page.waitForFunction(() => !document.getElementById('shared').hidden);
    const [link, isDrawn] = await page.evaluate(() => [
      document.getElementById('address').value,
      document.querySelector('.code path') !== null,
    ]);
    expect(link.startsWith(`${test}#answer=`) && link.length < 2000 && isDrawn, 'the link', [link, isDrawn]);
    await page.close();
    const { page: second, seen: other } = await opened(test, link.slice(test.length));
    const again = await measured(second);
    const whose = await second.evaluate(() => document.getElementById('whose').textContent);
    await second.close();
    expect(
      again.answer.join() === shown.answer.join() && JSON.stringify(again.rows) === JSON.stringify(shown.rows),
      'what it shows',
      again,
    );
    expect(whose.startsWith("Someone's answer"), 'whose it is', whose);
    expect([...seen.complaints, ...other.complaints, ...other.hosts].length === 0, 'the page complains, or asks others', [seen, other]);
  },
  async 'a link that holds something else is refused in one line'({ test }) {
    const { page, seen } = await opened(test, '#answer=AAAA');
    const { error } = await measured(page);
    await page.close();
    expect(error.includes('holds no answer that this page can read') && seen.complaints.length === 0, 'the error', [error, seen]);
  },
  async 'over plain HTTP it says why a provider is missing, and measures the others'({ test }) {
    const lan = test.replace('127.0.0.1', LAN);
    const { answer, notes } = await simulated(lan, 'providers=simulated-double,webcrypto&budget=1');
    expect(answer[0]?.startsWith('Use AES-256-GCM'), 'the answer', answer);
    expect(
      notes.some((note) => /webcrypto is not measured: .*HTTPS/.test(note)),
      'notes',
      notes,
    );
  },
  async 'without WebAssembly it says so'({ test }) {
    const { page, seen } = await opened(test, '#start', () => delete globalThis.WebAssembly);
    const { error } = await measured(page);
    await page.close();
    expect(error.includes('runs no WebAssembly') && seen.complaints.length === 0, 'the error', [error, seen]);
  },
  ...badInput({ opened, measured, simulated, expect, site }),
  ...looks({ opened, measured, expect, site, isChromium: kind === 'chrome' }),
};

const [test, published, plain] = await Promise.all([serve(site('test')), serve(site('site')), serve(site('test'), { isolated: false })]);
const addresses = { test: test.address, published: published.address, plain: plain.address };
const failed = await ran(kind, CHECKS, only, addresses);
await browser.close();
for (const { stop } of [test, published, plain]) stop();
process.exit(failed > 0 ? 1 : 0);
