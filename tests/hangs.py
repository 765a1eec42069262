"""A plugin for pytest: a test that hangs fails with what it printed and where it was, and the others go on."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from alarm import DEEP, LIMIT, at_most


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    with at_most(DEEP if item.get_closest_marker("deep") else LIMIT):
        return (yield)
