// What a screen reader is told: progress now and then, the answer once.

import { at } from './result';

const RARELY_MS = 10_000;
/** What was heard is not read a second time where it stands. */
const HEARD_MS = 5_000;
let last = 0;

/** Says a text that is news; progress only if there was silence for a while. */
export function say(text: string, isProgress = false): void {
  const now = performance.now();
  if (text === '' || text === at('said').textContent || (isProgress && now - last < RARELY_MS)) return;
  last = now;
  at('said').textContent = text;
  setTimeout(() => last === now && (at('said').textContent = ''), HEARD_MS);
}
