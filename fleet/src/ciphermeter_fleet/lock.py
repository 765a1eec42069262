"""The locks of a host, so that nothing else of Ciphermeter runs beside a measurement.

One is the fleet's own. The other is the lock of this user's store, which `ciphermeter run` holds while it measures. The
kernel frees both when the last process that has them open ends, so a measurement whose Dask worker was killed still
holds them.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

NAME = "ciphermeter-fleet.lock"
PATIENCE = 3600.0
"""Seconds after which the others on this host are no longer waited for."""


class Busy(Exception):
    """The host was never free."""


def files() -> list[Path]:
    """The files of the locks."""
    return [_runtime() / NAME, *_store()]


def _runtime() -> Path:
    """Where files live until the host stops: of root for all, of other users for each."""
    if os.geteuid() == 0 and Path("/run").is_dir():
        return Path("/run")
    folders = [os.environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{os.geteuid()}"]
    for folder in map(Path, folders):
        if folder.is_absolute() and folder.is_dir() and folder.stat().st_uid == os.geteuid():
            return folder
    folder = data("XDG_STATE_HOME", ".local/state") / "ciphermeter"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def data(variable: str, below_home: str) -> Path:
    """A folder of the XDG base directories."""
    named = Path(os.environ.get(variable, ""))
    return named if named.is_absolute() else Path.home() / below_home


def _store() -> list[Path]:
    folder = data("XDG_DATA_HOME", ".local/share") / "ciphermeter"
    return [folder / "runs.db.lock"] if folder.is_dir() else []


@contextmanager
def held(stopped: threading.Event, patience: float = PATIENCE) -> Iterator[list[int]]:
    """Holds the locks, whose open files may be inherited. Waits for others, until it is stopped."""
    until = time.monotonic() + patience
    with ExitStack() as stack:
        opened = [_opened(file, stack) for file in files()]
        for file in opened:
            _take(file, stopped, until)
        yield opened


def _opened(file: Path, stack: ExitStack) -> int:
    opened = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    stack.callback(os.close, opened)
    return opened


def _take(opened: int, stopped: threading.Event, until: float) -> None:
    while True:
        try:
            return fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pass
        if stopped.wait(0.2):
            raise Busy("it was stopped before the host was free")
        if time.monotonic() > until:
            raise Busy("another measurement kept the host busy; repeat when that has ended")
