"""What is known of a fleet between two calls: which machines are pending, running, done, lost. One file in XDG state.

Nothing that a machine says chooses a name in that folder: files are named by hashes made here.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from . import files, lock
from .problem import Problem, clean

PENDING, RUNNING, DONE, LOST = "pending", "running", "done", "lost"
MOST_BYTES = 64 << 20
PATIENCE = 1.0
"""Seconds for which `status` may hold the lock."""


@dataclass
class Member:
    """A machine of a call."""

    name: str
    state: str = PENDING
    since: str = ""
    reason: str = ""
    machine: str = ""
    binary: str = ""
    version: str = ""
    run: int | None = None
    started: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What a run belongs to: a machine with a binary."""
        return self.machine, self.binary

    def become(self, state: str, reason: str = "") -> None:
        self.state, self.reason, self.since = state, reason, now()


@dataclass
class Call:
    """The last call for a scenario, and what is done of the scenario, also by calls before it."""

    scenario: str
    began: str
    members: list[Member] = field(default_factory=list)
    done: list[Member] = field(default_factory=list)

    def found(self, member: Member) -> Member | None:
        """What the same machine has done already with the same binary."""
        return next((other for other in self.done if other.key == member.key), None)

    def owner(self, member: Member, run: int, started: str) -> Member | None:
        """The other machine, or binary, that has this run already."""
        same = (other for other in self.done if (other.run, other.started) == (run, started))
        return next((other for other in same if other.key != member.key), None)

    def finish(self, member: Member) -> None:
        """Puts a machine that is done in the place of what it had done before."""
        self.done = [other for other in self.done if other.key != member.key] + [member]


def now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class State:
    """The folder of the state, and what its file holds: a call for each scenario, by the scenario's hash."""

    def __init__(self) -> None:
        self.folder = files.xdg("XDG_STATE_HOME", ".local/state") / "ciphermeter" / "fleet"
        self.calls: dict[str, Call] = {}
        self._file = self.folder / "state.json"

    def read(self) -> State:
        """Reads the file, if there is one."""
        try:
            with self._file.open("rb") as opened:
                text = opened.read(MOST_BYTES)
            self.calls = {scenario: _call(call) for scenario, call in json.loads(text)["scenarios"].items()}
        except FileNotFoundError:
            self.calls = {}
        except OSError as error:
            raise Problem(f"cannot read {self._file}: {error.strerror}; give it back to this user") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Problem(f"{self._file} is damaged ({clean(error, 60)}): remove it; runs stay in the store") from error
        return self

    def write(self) -> None:
        """Replaces the file as a whole."""
        calls = {scenario: asdict(call) for scenario, call in self.calls.items()}
        files.replace(self._file, json.dumps({"schema": 1, "scenarios": calls}, indent=1).encode())

    @contextmanager
    def locked(self) -> Iterator[State]:
        """Keeps other fleets of this user away: two would measure one machine at once."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as opened:
            try:
                lock.take(opened.fileno(), fcntl.LOCK_EX, threading.Event(), time.monotonic() + PATIENCE)
            except lock.Busy as error:
                raise Problem(
                    "another `ciphermeter fleet run` is under way: wait for it; `ciphermeter fleet status`"
                ) from error
            yield self.read()

    def is_locked(self) -> bool:
        """Whether a fleet is being measured."""
        try:
            with (self.folder / "lock").open("r") as opened:
                fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False

    def waiting(self, scenario: str, machine: str, binary: str) -> Path:
        """Where the export of a machine waits until the store has it."""
        key = hashlib.sha256(f"{scenario} {machine} {binary}".encode()).hexdigest()
        return self.folder / f"{key}.z"


def _call(read: dict[str, Any]) -> Call:
    members, done = ([Member(**member) for member in read[name]] for name in ("members", "done"))
    return Call(read["scenario"], read["began"], members, done)
