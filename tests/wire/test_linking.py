"""What an observer sees of two attempts of one transfer shows no more in common than two transfers do."""

from __future__ import annotations

import itertools
import time

from conftest import LIMIT
from tap import Tap

SIZE = 600_000
RUN = 8  # bytes: by chance two recordings have none of so many in common


def seen(tap: Tap) -> list[set[bytes]]:
    """Of each attempt, every run of bytes in it."""
    recordings = [[bytes(one) for one in attempt.values()] for attempt in tap.attempts]
    return [{one[at : at + RUN] for one in every for at in range(len(one) - RUN + 1)} for every in recordings]


def until(is_so) -> None:
    limit = time.monotonic() + LIMIT
    while not is_so():
        assert time.monotonic() < limit
        time.sleep(0.01)


def transfer(ours, cuts: int) -> Tap:
    """A transfer that is cut so often; the last time, both ends are ended and come back as new processes."""
    file = ours.home / "file"
    file.write_bytes(bytes(range(250)) * (SIZE // 250))
    recv, ticket = ours.recv()
    tap = Tap(ticket, cuts)
    send = ours.send(tap.ticket, "--streams", "2", "--limit", "400KiB" if cuts else "40MiB", file)
    if cuts:
        until(lambda: tap.cuts == 0)
        send.kill()
        recv = ours.restart(recv, ticket)
        send = ours.start("send", "--quiet", "--resume")
    ours.fine(send)
    ours.fine(recv)
    return tap


def test_nothing_in_clear_links_two_attempts(ours):
    one, other = transfer(ours, 2), transfer(ours.another("other"), 0)
    attempts, always = seen(one), set.union(*seen(other))
    assert len(attempts) >= 3 and all(len(attempt) > 10_000 for attempt in attempts)
    for first, second in itertools.combinations(attempts, 2):
        assert first & second <= always, sorted(first & second - always)[:5]
