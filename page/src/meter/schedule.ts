// The order of a round (METHODOLOGY.md, point 3): groups in shuffled order, in each its libraries, in each of these its ciphers, which so
// stay next to each other. What is slow joins every k-th round.

import { groupOf } from './plan';
import type { Cell } from './plan';
import { shuffled } from './random';

export interface Turn {
  id: number;
  cell: Cell;
  /** Nanoseconds that a sample takes, all that stands around it included. */
  costs: number;
}

/** A group that takes over so many times the median group's time is slow. */
const SLOW = 4;

function grouped<T>(entries: readonly T[], key: (entry: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const group = groups.get(key(entry)) ?? [];
    group.push(entry);
    groups.set(key(entry), group);
  }
  return [...groups.values()];
}

/** In how many rounds each group joins once, beside its turns. */
export function rhythm(turns: readonly Turn[]): { every: number; turns: Turn[] }[] {
  const groups = grouped(turns, (turn) => groupOf(turn.cell));
  const costs = groups.map((group) => group.reduce((sum, turn) => sum + turn.costs, 0));
  const middle = [...costs].sort((a, b) => a - b)[Math.floor((costs.length - 1) / 2)] ?? 1;
  return groups.map((group, place) => {
    const share = (costs[place] ?? 0) / (SLOW * middle);
    return { every: share > 1 ? Math.ceil(share) : 1, turns: group };
  });
}

/** The turns of a round. */
export function order(turns: readonly Turn[], round: number, draw: () => number): Turn[] {
  const joining = rhythm(turns).filter(({ every }) => round % every === 0);
  return shuffled(joining, draw).flatMap((group) => {
    const libraries = grouped(group.turns, (turn) => turn.cell.provider);
    return shuffled(libraries, draw).flatMap((library) => shuffled(library, draw));
  });
}
