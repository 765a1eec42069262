// Rounds that do not count, by their reasons, in words.

import type { Inattention } from './attention';

const WORDS: Readonly<Record<Inattention, string>> = {
  hidden: 'the page was hidden',
  suspended: 'the page or the device was suspended',
};

export class Excluded {
  private readonly counts = new Map<Inattention, number>();

  add(why: Inattention): void {
    this.counts.set(why, (this.counts.get(why) ?? 0) + 1);
  }

  /** `2 rounds are left out: the page was hidden.` */
  sentences(): string[] {
    return [...this.counts].map(([why, count]) => {
      const rounds = count === 1 ? '1 round is' : `${count} rounds are`;
      return `${rounds} left out: ${WORDS[why]}.`;
    });
  }
}
