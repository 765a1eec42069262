// Rounds that do not count, by their reasons, in words.

import type { Inattention } from './attention';

export type Reason = Inattention | 'slowed';

const WORDS: Readonly<Record<Reason, string>> = {
  hidden: 'the page was hidden',
  suspended: 'the page or the device was suspended',
  slowed: 'the device slowed down after them',
};

export class Excluded {
  private readonly counts = new Map<Reason, number>();

  add(why: Reason, rounds = 1): void {
    this.counts.set(why, (this.counts.get(why) ?? 0) + rounds);
  }

  /** `2 rounds are left out: the page was hidden` */
  sentences(): string[] {
    return [...this.counts].map(([why, count]) => {
      const rounds = count === 1 ? '1 round is' : `${count} rounds are`;
      return `${rounds} left out: ${WORDS[why]}`;
    });
  }
}
