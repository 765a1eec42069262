"""The timed loops: each call's statements, compiled once into a loop with nothing else in it.

A Python function called from one common loop would cost more than some libraries need for a short message. timeit
solves it the same way. Only text of this program is compiled, never content of a line.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Callable, NamedTuple, Union

from calls.offers import Call
from facts import now

Parts = tuple[Union[bytes, memoryview], ...]

SOURCE = """
def make({names}):
    def repeat(first, last):
        for number in range(first, last + 1):
            {body}
        return ({output})

    def each(first, last):
        times = []
        for number in range(first, last + 1):
            begin = now()
            {body}
            end = now()
            times.append(end - begin)
        return times

    return repeat, each
"""

SET_NONCE = 'nonce = before + number.to_bytes(8, "big") + rest'
SET_SHORT_NONCE = 'nonce = number.to_bytes(8, "big") + rest'
SET_SECTOR = 'nonce = number.to_bytes(8, "little") + rest'
# Of cells whose calls go round several texts and keys.
TURN = "{names}, = {turns}[number % {turns}_count]"
SET_KEY = 'key = number.to_bytes(8, "big") + rest'


class Loop(NamedTuple):
    """A call with all its inputs, ready to be timed. Iterations are numbered, both ends included."""

    repeat: Callable[[int, int], Parts]
    """Runs iterations and returns the output of the last. Passes on what the library raises."""

    each: Callable[[int, int], list]
    """Runs iterations and returns the nanoseconds of each, between two readings of the clock."""


def loop(call: Call, names: Mapping[str, object], setting: str = "") -> Loop:
    """Makes the loop of `call`, whose every iteration begins with `setting`: another nonce or key."""
    make = compiled(call, setting, tuple(sorted(names)))
    return Loop(*make(**names))


def rotating_loop(
    call: Call,
    names: Mapping[str, object],
    setting: str,
    turns: Mapping[str, list[dict[str, object]]],
) -> Loop:
    """The same, where each iteration takes its names from the next entry of each list, the first one at number 0."""
    settings, given = [setting], dict(names)
    for name, entries in turns.items():
        own = sorted(entries[0])
        settings.append(TURN.format(names=", ".join(own), turns=name))
        given[name] = [tuple(entry[key] for key in own) for entry in entries]
        given[f"{name}_count"] = len(entries)
    return loop(call, given, "\n            ".join(filter(None, settings)))


@cache  # as many as there are offers, operations and forms
def compiled(call: Call, setting: str, names: tuple[str, ...]) -> Callable:
    body = "\n            ".join(filter(None, [setting, *call.do.splitlines()]))
    output = call.output and call.output + ","
    made: dict[str, Callable] = {"now": now}
    exec(SOURCE.format(names=", ".join(names), body=body, output=output), made)
    return made["make"]
