"""What runs on a machine of the fleet: its facts, one measurement, and its end.

A Dask worker calls these functions. What they return is plain data, which the other end checks: no path, and no text
that it would trust.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import platform
import signal
import subprocess
import tempfile
import threading
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import binary, lock
from .problem import Problem, clean, last_line

if TYPE_CHECKING:
    from distributed import Worker

RESOURCE = "ciphermeter"
"""What a worker has one of, so that it never measures twice at once."""
MOST_BYTES = 64 << 20
"""Bytes of the longest export, as a team's server takes it."""
_MEASURED = {0, 1, 3, 5}
"""Exit codes of `ciphermeter run` after which there is a run: answered, slower, wrong output in a cell, partial."""
_OF_DASK = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MALLOC_TRIM_THRESHOLD_")
_IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id")


@dataclass(eq=False)
class _Measurement:
    """One that is under way here, from waiting for its turn to its end."""

    stopped: threading.Event = field(default_factory=threading.Event)
    process: subprocess.Popen[bytes] | None = None

    def stop(self) -> None:
        self.stopped.set()
        # Its own workers end with it: their standard input does.
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)


_under_way: set[_Measurement] = set()


def facts(dask_worker: Worker) -> dict[str, Any]:
    """Which machine this is, and which binary it has; or what is missing. Dask says which worker."""
    found: dict[str, Any] = {"host": platform.node(), "worker": dask_worker.id}
    try:
        program = binary.find()
        found |= {"machine": _identity(), "binary": binary.sha256(program), "version": binary.version(program)}
    except (OSError, Problem) as error:
        found["problem"] = clean(error)
    return found


def _identity() -> str:
    """A hash of the machine's id, which should not leave the machine (machine-id(5))."""
    for file in _IDS:
        try:
            found = Path(file).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            continue
        if len(found) == 32:
            return hmac.new(found.encode(), b"ciphermeter fleet", hashlib.sha256).hexdigest()[:32]
    raise Problem(f"there is no machine id in {_IDS[0]}; make one with `systemd-machine-id-setup`")


def measure(order: dict[str, Any]) -> dict[str, Any]:
    """Measures once, alone on this machine; the run's export, compressed, or why there is none."""
    from distributed import get_worker

    if get_worker().id != order["worker"]:
        # Dask gives the task of a worker that died to the one that follows it.
        return {"problem": "the worker was replaced before it measured"}
    measurement = _Measurement()
    _under_way.add(measurement)
    try:
        program = binary.find()
        if _identity() != order["machine"] or binary.sha256(program) != order["binary"]:
            return {"problem": "the machine or its binary changed before it measured"}
        with lock.held(measurement.stopped) as held, tempfile.TemporaryDirectory(prefix="ciphermeter-fleet-") as folder:
            return _measured(measurement, program, order, Path(folder), held)
    except (OSError, Problem, lock.Busy) as error:
        return {"problem": clean(error)}
    finally:
        _under_way.discard(measurement)


def _measured(
    measurement: _Measurement, program: Path, order: dict[str, Any], folder: Path, held: list[int]
) -> dict[str, Any]:
    scenario, export = order["scenario"], folder / "run.json"
    if order["text"] is not None:
        scenario = str(folder / "scenario.toml")
        Path(scenario).write_text(order["text"], encoding="utf-8")
    command = [str(program), "run", scenario, "--quiet", "--store", str(folder / "runs.db"), "--json", str(export)]
    with (folder / "said").open("w+b") as said:
        pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": said}
        process = subprocess.Popen(
            command, cwd=folder, env=_environment(), pass_fds=held, start_new_session=True, **pipes
        )
        measurement.process = process
        if measurement.stopped.is_set():
            measurement.stop()
        code = process.wait()
        said.seek(max(0, said.seek(0, os.SEEK_END) - 4096))
        why = last_line(said.read())
    if measurement.stopped.is_set():
        return {"problem": "it was stopped while it measured"}
    if code not in _MEASURED or not export.exists():
        return {"problem": why or f"`ciphermeter run` ended with {code}"}
    if export.stat().st_size > MOST_BYTES:
        return {"problem": f"its export is longer than {MOST_BYTES >> 20} MiB: measure with a shorter budget"}
    return {"export": zlib.compress(export.read_bytes())}


def _environment() -> dict[str, str]:
    """Without what this user set for own runs, such as another budget, and what Dask sets for its tasks."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CIPHERMETER_")}
    for name in _OF_DASK:
        kept.pop(name, None)
    if workers := os.environ.get("CIPHERMETER_WORKERS"):
        kept["CIPHERMETER_WORKERS"] = workers
    return kept


def stop() -> None:
    """Ends what is measured here: it was called off, or the worker ends."""
    for measurement in list(_under_way):
        measurement.stop()
