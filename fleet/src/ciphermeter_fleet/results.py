"""What machines send: checked, kept on disk, taken into the store here, and pushed if that is asked."""

from __future__ import annotations

import asyncio
import json
import zlib
from dataclasses import dataclass
from pathlib import Path

from . import files
from .binary import Local
from .machine import MOST_BYTES
from .problem import Problem, clean
from .scenario import Scenario


def unpacked(packed: object) -> bytes:
    """An export as it was before a machine compressed it. It may be anyone's, so its length is limited."""
    if not isinstance(packed, bytes) or len(packed) > MOST_BYTES:
        raise Problem("it sent no export")
    unpacking = zlib.decompressobj()
    try:
        export = unpacking.decompress(packed, MOST_BYTES + 1)
    except zlib.error as error:
        raise Problem("what it sent is no compressed export") from error
    if len(export) > MOST_BYTES:
        raise Problem(f"its export is longer than {MOST_BYTES >> 20} MiB: measure with a shorter budget")
    if not unpacking.eof:
        raise Problem("its export did not come whole")
    return export


def started(export: bytes, scenario: Scenario) -> str:
    """When the run began, by which it is known again in the store; raises why the machine is not done with it."""
    try:
        run = json.loads(export)["run"]
        began, status, name = clean(run["started"], 40), run["status"], run["scenario"]["name"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Problem("what it sent is no export of a run") from error
    if status in ("interrupted", "open"):
        raise Problem("its run was interrupted: repeat to measure it")
    if not scenario.is_called(name):
        raise Problem(f"it sent a run of {clean(name, 60)}, not of {scenario.name}; see which ciphermeter it has")
    return began


@dataclass
class Push:
    """A team's server."""

    url: str
    certificate: str | None


class Results:
    """Where results go, one after the other: the store takes one writer."""

    def __init__(self, local: Local, scenario: Scenario, push: Push | None) -> None:
        self.local = local
        self._scenario, self._push = scenario, push
        self._turn = asyncio.Lock()

    async def take(self, packed: bytes, waiting: Path) -> tuple[int, str]:
        """The run's number in the store, and when it began. A file holds the run until the store has it."""
        export = unpacked(packed)
        began = started(export, self._scenario)
        async with self._turn:
            await asyncio.to_thread(files.replace, waiting, packed)
            return await self._stored(export, waiting), began

    async def waiting(self, waiting: Path) -> tuple[int, str] | None:
        """The same of what an earlier call could not put into the store."""
        try:
            export = unpacked(waiting.read_bytes())
        except FileNotFoundError:
            return None
        began = started(export, self._scenario)
        async with self._turn:
            return await self._stored(export, waiting), began

    async def _stored(self, export: bytes, waiting: Path) -> int:
        run = await asyncio.to_thread(self.local.take_in, export)
        waiting.unlink()
        return run

    async def push(self, run: int, machine: str) -> None:
        """Sends the run, if that is asked; raises why it waits."""
        if self._push is not None:
            async with self._turn:
                await asyncio.to_thread(self.local.push, run, self._push.url, machine, self._push.certificate)
