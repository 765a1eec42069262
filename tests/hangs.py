"""A plugin for pytest: a test that hangs fails with what it printed and where it was, and the others go on."""

from __future__ import annotations

import signal
from collections.abc import Generator

import pytest

LIMIT, DEEP = 300, 1200  # seconds, as tests/rust has them


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    limit = DEEP if item.get_closest_marker("deep") else LIMIT

    def end(*_: object) -> None:
        pytest.fail(f"it hangs: ended after {limit} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(limit)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
