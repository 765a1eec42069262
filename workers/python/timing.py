"""The timed requests, sample and latency, and the output made anew for a digest."""

from __future__ import annotations

import time
from typing import NamedTuple

from arena import Arena
from cell import Cell
from facts import now
from loops import Loop, Parts
from messages import Failure

MAX_ANEW = 2**24  # iterations of a digest


class Sample(NamedTuple):
    ns: int
    cpu_ns: int
    first: int
    last: int
    output: Parts


def repeat(cell: Cell, loop: Loop, count: int) -> Parts:
    """The next `count` iterations. Their numbers are used up first, so that none comes twice even if one fails."""
    first = cell.last + 1
    cell.last += count
    return loop.repeat(first, cell.last)


def warm_up(cell: Cell, loop: Loop, ns: int) -> None:
    """Calls until at least `ns` have passed, in batches that double, so that the clock is read seldom."""
    begin, passed, batch = now(), 0, 1
    while passed < ns:
        repeat(cell, loop, batch)
        passed, batch = now() - begin, 2 * batch


def sample(cell: Cell, arena: Arena, warmup_ns: int, iterations: int) -> Sample:
    """One timed batch. Raises what the library raises."""
    loop = cell.arm(arena.at_least(cell.size))
    first = cell.last + 1
    warm_up(cell, loop, warmup_ns)
    cpu_begin = time.process_time_ns()
    begin = now()
    output = repeat(cell, loop, iterations)
    end = now()
    cpu_end = time.process_time_ns()
    return Sample(end - begin, cpu_end - cpu_begin, first, cell.last, output)


def latency(cell: Cell, arena: Arena, warmup_ns: int, count: int) -> list[int]:
    """The nanoseconds of single calls."""
    loop = cell.arm(arena.at_least(cell.size))
    warm_up(cell, loop, warmup_ns)
    first = cell.last + 1
    cell.last += count
    return loop.each(first, cell.last)


def anew(cell: Cell, scratch: Arena, first: int, iteration: int) -> Parts:
    """The output of an iteration. Where iterations work on each other's output, all from `first` on are run."""
    if not cell.chains:
        first = iteration
    if not 0 <= iteration - first < MAX_ANEW:
        raise Failure(f"{first} to {iteration} is not a range of 1 to {MAX_ANEW} iterations; send another first")
    return cell.arm(scratch.at_least(cell.size)).repeat(first, iteration)
