"""A cell in use: the timed requests, sample and latency, and digests of their output or of recomputed output."""

from __future__ import annotations

import time
from typing import NamedTuple

from calls.arena import Arena
from calls.beside import Watch
from calls.cell import Cell
from calls.loops import Loop, Parts
from facts import now, suffices
from kinds import Layout
from messages import Failure, Unsupported, Value
from stream import sha256

MAX_ANEW = 2**24  # iterations of a digest


class Left(NamedTuple):
    """The latest sample's output in the buffers."""

    cell: Timed
    first: int
    last: int
    output: Parts


class Bench:
    """What all cells of a process share: the arena, and the cell whose output is in it."""

    def __init__(self) -> None:
        self.arena = Arena()
        self.left: Left | None = None
        self.watch = Watch()
        self.cells: set[Timed] = set()


class Timed:
    """A cell with its memory."""

    def __init__(self, cell: Cell, bench: Bench) -> None:
        self.cell, self.bench = cell, bench

    def open(self) -> None:
        suffices(self.cell.need)
        self.cell.make_keys()
        self.bench.cells.add(self)

    def close(self) -> None:
        self.bench.cells.discard(self)
        if self.bench.left and self.bench.left.cell is self:
            self.bench.left = None
        if not self.bench.cells:  # a large cell's memory must not affect later measurements
            self.bench.left = None
            self.bench.arena.free()

    def move_to(self, layout: Layout) -> None:
        self.cell.move_to(layout)

    def sample(self, warmup_ns: int, iterations: int) -> dict[str, Value]:
        cell, loop = self.cell, self.arm()
        first = cell.last + 1
        warm_up(cell, loop, warmup_ns)
        self.bench.watch.begin()
        cpu_begin = time.process_time_ns()
        begin = now()
        output = repeat(cell, loop, iterations)
        end = now()
        cpu_end = time.process_time_ns()
        beside = self.bench.watch.end()
        self.bench.left = Left(self, first, cell.last, output)
        return {"ns": end - begin, "cpu_ns": cpu_end - cpu_begin, "first": first, "last": cell.last, **beside}

    def latency(self, warmup_ns: int, count: int) -> list[int]:
        cell, loop = self.cell, self.arm()
        warm_up(cell, loop, warmup_ns)
        first = cell.last + 1
        cell.last += count
        return loop.each(first, cell.last)

    def arm(self) -> Loop:
        """The loop to time, in the arena, whose former content is lost."""
        self.bench.left = None
        return self.cell.arm(self.bench.arena.at_least(self.cell.size))

    def digest(self, first: int, iteration: int) -> str:
        if self.cell.operation == "key-setup":
            raise Unsupported("key-setup has no digest")
        left = self.bench.left
        if left and (left.cell, left.first, left.last) == (self, first, iteration):
            output = left.output
        else:  # not in the bench's arena, where a sample's output may still wait for its digest
            output = anew(self.cell, Arena(), first, iteration)
        digest = sha256()
        for part in output:
            digest.update(part)
        return digest.hexdigest()


def repeat(cell: Cell, loop: Loop, count: int) -> Parts:
    """The next `count` iterations. Their numbers are used up first, so none occurs twice even if one fails."""
    first = cell.last + 1
    cell.last += count
    return loop.repeat(first, cell.last)


def warm_up(cell: Cell, loop: Loop, ns: int) -> None:
    """Calls until at least `ns` have passed, in batches, so that the clock is read rarely, and of all keys."""
    begin, passed, batch, first = now(), 0, 1, cell.last
    while passed < ns:
        repeat(cell, loop, batch)
        before, passed = passed, now() - begin
        # Batches double, but do not go far beyond the end, as in all workers.
        batch = max(min(2 * batch, (ns - passed) * batch // max(passed - before, 1) + 1), 1)
    owed = cell.round - (cell.last - first)
    if ns and owed > 0:
        repeat(cell, loop, owed)


def anew(cell: Cell, scratch: Arena, first: int, iteration: int) -> Parts:
    """The output of an iteration. Where iterations work on each other's output, all from `first` on are run."""
    if not cell.chains:
        first = iteration
    if not 0 <= iteration - first < MAX_ANEW:
        raise Failure(f"{first} to {iteration} is not a range of 1 to {MAX_ANEW} iterations; send another first")
    loop = cell.arm(scratch.at_least(cell.size))
    if cell.texts == 1:
        return loop.repeat(first, iteration)
    for number in range(first + (iteration - first) % cell.texts, iteration, cell.texts):  # each text has its own chain
        loop.repeat(number, number)
    return loop.repeat(iteration, iteration)
