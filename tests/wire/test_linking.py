"""What an observer sees of two attempts of one transfer shows no more in common than two transfers do."""

from __future__ import annotations

import itertools
import time

from conftest import LIMIT
from tap import Tap

SIZE = 600_000
RUN = 8  # bytes: by chance two recordings have none of so many in common
# A random byte beside what is always there is the same in two of many connections now and then, and so are three.
BY_CHANCE = 3
CLIENT_HELLO, RECORD, FRAME, OPENS = 1, 5, 5, 54


def extensions(hello: bytes) -> list[bytes]:
    """What a client's hello consists of: its extensions come in any order."""
    at = 4 + 2 + 32
    fixed = [hello[4:at]]
    for size in 1, 2, 1:  # session, suites, compressions
        length = int.from_bytes(hello[at : at + size], "big")
        fixed.append(hello[at : at + size + length])
        at += size + length
    at += 2
    while at < len(hello):
        length = int.from_bytes(hello[at + 2 : at + 4], "big")
        fixed.append(hello[at : at + 4 + length])
        at += 4 + length
    return fixed


def parts(recording: bytes) -> list[bytes]:
    """What one end said on a connection, without the lengths that stand before each record or frame."""
    is_tls = recording[:1] in (b"\x16", b"\x14")
    at = 0 if is_tls else OPENS
    found = [recording[:at]]
    while at < len(recording):
        length = int.from_bytes(recording[at + 3 : at + RECORD] if is_tls else recording[at + 1 : at + FRAME], "big")
        body = recording[at + RECORD : at + RECORD + length]
        is_hello = is_tls and recording[at] == 22 and body[:1] == bytes([CLIENT_HELLO])
        found += extensions(body) if is_hello else [body]
        at += RECORD + length
    return found


def seen(tap: Tap) -> list[set[bytes]]:
    """Of each attempt, every run of bytes in what was said."""
    said = [[part for one in attempt.values() for part in parts(bytes(one))] for attempt in tap.attempts]
    return [{one[at : at + RUN] for one in every for at in range(len(one) - RUN + 1)} for every in said]


def until(is_so) -> None:
    limit = time.monotonic() + LIMIT
    while not is_so():
        assert time.monotonic() < limit
        time.sleep(0.01)


def transfer(ours, cuts: int) -> Tap:
    """A transfer that is cut so often; the last time, both ends are ended and come back as new processes."""
    file = ours.home / "file"
    file.write_bytes(bytes(range(250)) * (SIZE // 250))
    recv, ticket = ours.recv(restarts=True)
    tap = Tap(ticket, cuts)
    send = ours.send(tap.ticket, "--streams", "2", "--limit", "200KiB" if cuts else "40MiB", file)
    if cuts:
        until(lambda: tap.cut == cuts)
        send.kill()
        recv = ours.restart(recv, ticket)
        send = ours.start("send", "--quiet", "--resume")
    ours.fine(send)
    ours.fine(recv)
    return tap


def test_nothing_in_clear_links_two_attempts(ours):
    one, other = transfer(ours, 2), transfer(ours.another("other"), 0)
    always = set.union(*seen(other))
    # Before it is ended, a process may begin an attempt of which there is no more than a handshake.
    attempts = [attempt for attempt in seen(one) if len(attempt) > 10_000]
    assert len(attempts) >= 3
    for first, second in itertools.combinations(attempts, 2):
        linking = first & second - always
        assert len(linking) <= BY_CHANCE, sorted(linking)[:5]
