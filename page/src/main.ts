// The page: a button, or `#start` in the address; progress with the leader so far; the answer. What measures is loaded when it is asked for.

import type { Estimator } from './estimator';
import { keep, kept } from './kept';
import { linkTo, linked } from './link';
import { loadEstimator } from './load';
import type { Run } from './measuring';
import type { Exported } from './meter/document';
import { isAgain, prepared } from './offline/register';
import { Team } from './team';
import { Told } from './told';
import { at, share, show, showSent, shown } from './view/result';
import type { Shown } from './view/result';
import { say } from './view/said';

const BUDGET = 20;
const LONGER = 60;

/** What only tests ask for, by the address: `?providers=a,b&messages=64,1024&budget=5&seed=7`. */
const asked = new URLSearchParams(import.meta.env.MODE === 'test' ? location.search : '');

/** What is measured, with its seed, what measures it, and what says what it comes to. */
let measured: { run: Run; seed: number; measuring: typeof import('./measuring') } | null = null;
let estimator: Estimator | null = null;
let isMeasuring = false;
let isStopped = false;
let isSending = false;
/** The run that is shown, to be saved, and what is shown of it, to be linked to. */
let saved: Exported | null = null;
let seen: Shown | null = null;

const again = isAgain();
/** The server that serves the page is a team's; null: it is a plain host. */
const team = Team.here();
// A team's server sends the headers itself, and only it knows whether it still wants a token.
const ready = team === null ? prepared(again) : async () => {};

function progress(what: string, share: number): void {
  at('doing').textContent = what;
  at<HTMLProgressElement>('bar').value = share;
}

function forked(run: Run): void {
  if (estimator === null || measured === null) return;
  const sofar = measured.measuring.soFar(run, measured.seed, estimator);
  const lead = estimator.lead(sofar);
  at('leader').textContent = lead === null ? '' : `So far: ${lead}`;
  say(at('leader').textContent, true);
  void keep(sofar);
}

async function begin(): Promise<void> {
  progress('Loading', 0);
  await ready();
  const [own, measuring] = await Promise.all([estimator ?? loadEstimator(), import('./measuring')]);
  estimator = own;
  const [providers, messages] = [asked.get('providers')?.split(','), asked.get('messages')?.split(',').map(Number)];
  const wishes = { ...(providers === undefined ? {} : { providers }), ...(messages === undefined ? {} : { messages }) };
  const budget = Number(asked.get('budget') ?? BUDGET);
  const [run, seed] = await measuring.begun({ seed: asked.get('seed'), budget, progress, forked, wishes });
  measured = { run, seed, measuring };
}

/** Buttons that have to wait keep the keyboard's focus, so they are not disabled. */
function wait(is: boolean): void {
  isMeasuring = is;
  for (const id of ['start', 'longer', 'save', 'share', 'send']) at(id).ariaDisabled = String(is);
  const isFocused = document.activeElement === at('stop');
  for (const id of ['progress', 'stop']) at(id).hidden = !is;
  if (isFocused) at(measured === null ? 'start' : 'longer').focus();
}

/** Shows what is wrong; nothing is. */
function wrong(text: string): void {
  at('error').textContent = text;
  at('error').hidden = text === '';
}

function failed(cause: unknown): void {
  wrong(`The page cannot go on: ${(cause as Error).message}${cause instanceof Told ? '' : '; load the page again'}`);
}

/** Shows a run of this browser; `whose` says when, where that is not now. */
function present(document: Exported, own: Estimator, whose = ''): void {
  const decided = shown(own.decide(document), document.run.notes);
  [saved, seen] = [document, decided];
  offer(whose);
}

/** Shows what is seen, and what can be done with it. */
function offer(whose: string): void {
  if (seen !== null) show(seen, whose);
  at('longer').hidden = measured === null;
  at('save').hidden = saved === null;
  at('team').hidden = team === null || saved === null;
  at('sent').replaceChildren();
}

async function measure(what: () => Promise<void>): Promise<void> {
  wrong(team?.join() ?? '');
  at('leader').textContent = '';
  isStopped = false;
  wait(true);
  say('Measuring');
  try {
    await what();
    if (measured === null || estimator === null) return;
    const document = measured.measuring.written(measured.run, measured.seed, estimator);
    present(document, estimator);
    say([...(seen?.sentences ?? []), ...(seen?.wrong ?? [])].join(' '));
    const isolated = crossOriginIsolated ? '' : ' The page is not cross-origin isolated, so clocks are coarser than they could be.';
    at('clock').textContent = `The clock steps by ${measured.run.stepNs / 1000} µs.${isolated}`;
    // Browsers may take their time to say that they keep nothing.
    void keep(document).then((isKept) => (at('lost').hidden = isKept));
  } catch (cause) {
    failed(cause);
  } finally {
    wait(false);
  }
}

async function first(): Promise<void> {
  await begin();
  if (isStopped) measured?.run.stop();
  await measured?.run.first();
}

/** What the page opens with: the answer that a link carries, or what was measured here before. */
async function open(): Promise<void> {
  wrong(team?.join() ?? '');
  const other = await linked(location.hash);
  if (other !== null) {
    [measured, saved, seen] = [null, null, other];
    return offer("Someone's answer, as the link has it. This page did not measure it; press the button to measure here.");
  }
  const last = await kept();
  if (last === null) return;
  const own = await loadEstimator();
  // Another run may have begun meanwhile.
  if (measured !== null || isMeasuring) return;
  estimator = own;
  try {
    present(last, own, `Measured here before, ${last.run.started.replace('T', ' ').replace('Z', '')} UTC.`);
  } catch {
    throw new Told('what was measured here before is of another version of it; press the button to measure anew');
  }
}

function save(): void {
  if (saved === null || estimator === null) return;
  const file = new Blob([estimator.complete(saved)], { type: 'application/json' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `ciphermeter-${saved.run.started.replaceAll(':', '-')}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Sends what is saved, as its owner has just asked. */
async function send(): Promise<void> {
  if (team === null || saved === null || estimator === null || isSending) return;
  isSending = true;
  try {
    wrong(team.join());
    say('Sending');
    const sent = await team.send(estimator.complete(saved), at<HTMLInputElement>('device').value.trim());
    showSent(sent);
    say(sent.sentence);
  } finally {
    isSending = false;
  }
}

/** What a button does, where it does not have to wait. */
function pressed(id: string, act: () => Promise<void> | void): void {
  at(id).addEventListener('click', () => {
    if (!isMeasuring) void (async () => act())().catch(failed);
  });
}

pressed('start', () => measure(first));
pressed('longer', () => measure(async () => measured?.run.longer(Number(asked.get('longer') ?? LONGER))));
pressed('save', save);
pressed('send', send);
if (team !== null) at('send').textContent = `Send to ${team.host}`;
pressed('share', async () => {
  if (seen !== null) await share(await linkTo(seen));
});
at('stop').addEventListener('click', () => {
  isStopped = true;
  measured?.run.stop();
});
at<HTMLInputElement>('address').addEventListener('focus', ({ target }) => (target as HTMLInputElement).select());
addEventListener('hashchange', () => !isMeasuring && void open().catch(failed));
// Pressed before this was here: index.html says so.
const isPressed = document.documentElement.dataset['pressed'] !== undefined;
if (again || isPressed || location.hash === '#start') void measure(first);
else void open().catch(failed);
