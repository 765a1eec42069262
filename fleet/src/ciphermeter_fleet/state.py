"""What is known of a fleet between two calls: which machines are pending, running, done, lost. One file in XDG state.

Nothing that a machine says chooses a name in that folder: files are named by hashes made here.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from . import files
from .problem import Problem, clean

PENDING, RUNNING, DONE, LOST = "pending", "running", "done", "lost"
MOST_BYTES = 64 << 20


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

    def become(self, state: str, reason: str = "") -> None:
        self.state, self.reason, self.since = state, reason, now()


@dataclass
class Call:
    """The last call for a scenario, and what is done of the scenario, also by calls before it."""

    scenario: str
    began: str
    members: list[Member] = field(default_factory=list)
    done: list[Member] = field(default_factory=list)

    def found(self, machine: str, binary: str) -> Member | None:
        """What has been done already: a machine with a binary."""
        return next((member for member in self.done if (member.machine, member.binary) == (machine, binary)), None)

    def finish(self, member: Member) -> None:
        """Puts a machine that is done in the place of what it had done before."""
        own = (member.machine, member.binary)
        self.done = [other for other in self.done if (other.machine, other.binary) != own] + [member]


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
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
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
