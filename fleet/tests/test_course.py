"""The course of a call, with a cluster that does what a test says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ciphermeter_fleet import members
from ciphermeter_fleet.course import Course
from ciphermeter_fleet.hosts import Host
from ciphermeter_fleet.problem import Problem
from ciphermeter_fleet.scenario import Scenario
from ciphermeter_fleet.state import State

ADDRESS = "tls://10.0.0.1:1"
MESSAGES = Scenario("messages", None, "hash", "messages (the default): AEADs")
FACTS = {"machine": "0" * 32, "binary": "a" * 64, "version": "0.1.0", "host": "web1", "worker": "w"}


class KilledWorker(Exception):
    """As Dask calls it."""


class Failed:
    """The future of a task whose worker died."""

    def __await__(self) -> Any:
        yield from asyncio.sleep(0).__await__()
        raise KilledWorker("web1")

    def release(self) -> None:
        pass


class Cluster:
    """One worker, which dies when it is to measure: Dask says so at once, and its scheduler forgets it."""

    def __init__(self, forgets: bool) -> None:
        self._is_there, self._forgets = True, forgets
        self.scheduler = self

    async def identity(self, n_workers: int) -> dict[str, Any]:
        worker = {"name": "web1", "status": "running", "nthreads": 1, "resources": {"ciphermeter": 1}}
        return {"id": "s", "workers": {ADDRESS: worker} if self._is_there else {}}

    async def run(self, *_: object, **__: object) -> dict[str, Any]:
        return {ADDRESS: FACTS}

    def submit(self, *_: object, **__: object) -> Any:
        self._is_there = not self._forgets
        return Failed()


class Remote:
    """Its ssh says why a while after Dask."""

    host = Host("web1", "web1")

    def why_ended(self) -> None:
        return None

    async def settled(self) -> str:
        await asyncio.sleep(1)
        return "the kernel ended it"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[State]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with State().locked() as state:
        yield state


@pytest.mark.parametrize("forgets", [True, False])
def test_worker_that_dies_is_lost_whoever_notices_first(state: State, forgets: bool):
    of_call = members.Members(state, MESSAGES)
    results: Any = SimpleNamespace(local=SimpleNamespace(stored=dict), waiting=None)

    async def waiting(_: Path) -> None:
        return None

    results.waiting = waiting
    client: Any = Cluster(forgets)
    remotes: Any = [Remote()]
    course = Course(client, of_call, results, state, remotes, again=False, expected=1, patience=60)
    asyncio.run(course.go())
    (member,) = of_call.call.members
    assert (member.state, member.reason) == ("lost", "the kernel ended it")


def test_machine_that_sends_the_run_of_another_is_lost(state: State):
    of_call = members.Members(state, MESSAGES)
    first, second = of_call.add("web1"), of_call.add("web2")
    of_call.know(first, FACTS)
    of_call.know(second, {**FACTS, "machine": "1" * 32})
    of_call.done(first, 1, "2026-11-30T12:00:00Z")
    nothing: Any = None
    course = Course(nothing, of_call, nothing, state, {}, again=False, expected=2, patience=60)
    with pytest.raises(Problem, match="sent the run of web1"):
        asyncio.run(course._finish(second, 1, "2026-11-30T12:00:00Z"))
    assert second.state == "pending"
