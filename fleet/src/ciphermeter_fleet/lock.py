"""The locks of a host, so that nothing else of Ciphermeter runs beside a measurement.

One is the fleet's own, which one measurement holds alone. The other is the lock of this user's store, which
`ciphermeter run` holds alone while it measures, and which fleets share, as several hosts may have one home folder. The
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

from .files import xdg
from .identity import identity

NAME = "ciphermeter-fleet.lock"
PATIENCE = 3600.0
"""Seconds after which the others on this host are no longer waited for."""


class Busy(Exception):
    """The host was never free."""


def files() -> list[tuple[Path, int]]:
    """The files of the locks, and how each is held."""
    own = [(_own(), fcntl.LOCK_EX)]
    store = xdg("XDG_DATA_HOME", ".local/share") / "ciphermeter"
    return [*own, (store / "runs.db.lock", fcntl.LOCK_SH)] if store.is_dir() else own


def _own() -> Path:
    """Where files live until the host stops: of root for all, of other users for each."""
    if os.geteuid() == 0 and Path("/run").is_dir():
        return Path("/run") / NAME
    folders = [os.environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{os.geteuid()}"]
    for folder in map(Path, folders):
        if folder.is_absolute() and folder.is_dir() and folder.stat().st_uid == os.geteuid():
            return folder / NAME
    folder = xdg("XDG_STATE_HOME", ".local/state") / "ciphermeter"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Other hosts may have the same home folder.
    return folder / f"{identity()}-{NAME}"


@contextmanager
def held(stopped: threading.Event, patience: float = PATIENCE) -> Iterator[list[int]]:
    """Holds the locks, whose open files may be inherited. Waits for others, until it is stopped."""
    until = time.monotonic() + patience
    with ExitStack() as stack:
        opened = [(_opened(file, stack), how) for file, how in files()]
        for file, how in opened:
            take(file, how, stopped, until)
        yield [file for file, _ in opened]


def _opened(file: Path, stack: ExitStack) -> int:
    opened = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    stack.callback(os.close, opened)
    return opened


def take(opened: int, how: int, stopped: threading.Event, until: float) -> None:
    """Locks an open file; raises why it could not."""
    while True:
        try:
            return fcntl.flock(opened, how | fcntl.LOCK_NB)
        except BlockingIOError:
            pass
        if stopped.wait(0.2):
            raise Busy("it was stopped before the host was free")
        if time.monotonic() > until:
            raise Busy("another measurement kept the host busy; repeat when that has ended")
