"""Ends a test that hangs, so that the others go on."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

LIMIT, DEEP = 300, 1200  # seconds, as tests/rust has them


class Hangs(BaseException):
    """What a test that takes too long fails with. The test's own `except Exception` lets it pass."""


@contextlib.contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raises Hangs where the block is after so many seconds."""

    def end(*_: object) -> None:
        raise Hangs(f"it hangs: ended after {seconds} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
