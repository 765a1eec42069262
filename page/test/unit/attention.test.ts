import { expect, test } from 'vitest';
import { Attention } from '../../src/meter/attention';
import { Excluded } from '../../src/meter/excluded';

class Page extends EventTarget {
  hidden = false;
  turn(hidden: boolean): void {
    this.hidden = hidden;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

function attention(page: Page) {
  const clocks = { monotonic: 0, calendar: 0 };
  const own = new Attention(
    page as unknown as Document,
    () => clocks.monotonic,
    () => clocks.calendar,
  );
  return { own, clocks };
}

test('a round counts while the page is visible and both clocks go on', () => {
  const { own, clocks } = attention(new Page());
  own.begin();
  Object.assign(clocks, { monotonic: 500, calendar: 520 });
  expect(own.end()).toBeNull();
});

test('a round in which the page was hidden for a moment does not count', () => {
  const page = new Page();
  const { own } = attention(page);
  own.begin();
  page.turn(true);
  page.turn(false);
  expect(own.end()).toBe('hidden');
  own.begin();
  expect(own.end()).toBeNull();
});

test('a round in which one clock stood still does not count', () => {
  const { own, clocks } = attention(new Page());
  own.begin();
  Object.assign(clocks, { monotonic: 100, calendar: 9000 });
  expect(own.end()).toBe('suspended');
});

test('rounds that are left out are counted in words', () => {
  const excluded = new Excluded();
  excluded.add('hidden');
  excluded.add('hidden');
  excluded.add('suspended');
  expect(excluded.sentences()).toEqual([
    '2 rounds are left out: the page was hidden',
    '1 round is left out: the page or the device was suspended',
  ]);
});
