"""A cluster that stands: Dask's own scheduler on loopback, and machines of their own that join it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from fleet import PROGRAM, Fleet, ended, until
from machines import own
from ports import free_port

DASK = str(Path(PROGRAM).with_name("dask"))


class Cluster:
    """Its scheduler can be ended and started again at the same address."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet, self.folder = fleet, fleet.home
        assert fleet.run("certificate", "tls").code == 0
        files = {"--tls-ca-file": "ca.pem", "--tls-cert": "cert.pem", "--tls-key": "key.pem"}
        self.tls = [word for option, file in files.items() for word in (option, fleet.home / "tls" / file)]
        self.port = free_port()
        self.address = f"tls://127.0.0.1:{self.port}"
        self._scheduler: subprocess.Popen[bytes] | None = None
        self._workers: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        where = ["--host", "127.0.0.1", "--port", self.port, "--protocol", "tls", "--no-dashboard"]
        log = self.folder / "scheduler.log"
        log.write_bytes(b"")
        words = ["sh", "-c", 'exec "$@" 2>>"$0"', log, DASK, "scheduler", *where, "--dashboard-address", "127.0.0.1:0"]
        self._scheduler = self._fleet.process([*words, *self.tls])
        until("the scheduler", lambda: "Scheduler at" in log.read_text())

    def end(self) -> None:
        assert self._scheduler is not None
        ended(self._scheduler)

    def join(
        self, name: str, plant: Path, stand_in: Path, gate: str = "", inside: Sequence[object] = (), port: int = 0
    ) -> subprocess.Popen[bytes]:
        """A machine of its own, whose binary is a stand-in that gives this export; or another worker inside of one."""
        more = {"CIPHERMETER_PROGRAM": str(stand_in), "PLANT": str(plant), "CALLS": str(self.calls(name)), "GATE": gate}
        data = self.folder / f"{name}.data"
        data.mkdir(exist_ok=True)
        words = ["worker", self.address, "--name", name, *self.tls, *(["--port", port] if port else [])]
        prefix = inside or own(self.folder, name)
        self._workers[name] = self._fleet.start(*words, prefix=prefix, XDG_DATA_HOME=str(data), **more)
        return self._workers[name]

    def inside(self, name: str) -> tuple[object, ...]:
        """Before a command: runs it on a machine that has joined; nothing if that has not."""
        worker = self._workers[name]
        is_there = Path("/proc", str(worker.pid), "root", "run", "sshd").exists() and PROGRAM in _command(worker.pid)
        return ("nsenter", "--target", worker.pid, "--mount", "--uts", "--wd=.") if is_there else ()

    def calls(self, name: str) -> Path:
        """A line for each measurement there."""
        return self.folder / f"{name}.calls"

    def run(self, *words: object) -> tuple[object, ...]:
        return ("run", "messages", "--scheduler", self.address, *self.tls, *words)


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")


def interrupt(process: subprocess.Popen[bytes]) -> None:
    os.kill(process.pid, signal.SIGINT)
