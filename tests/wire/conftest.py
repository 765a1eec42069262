"""Our binary as a test's other end: in the test's own folders, on this machine's own address, never for long."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from wire import Ticket

LIMIT = 60  # seconds


class Ours:
    """Starts `ciphermeter recv` and `ciphermeter send`, and ends what a test leaves."""

    def __init__(self, home: Path) -> None:
        self.home, self.started = home, []
        self.into = self.folder("into")
        names = {"HOME": "home", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache", "XDG_DATA_HOME": "data"}
        self.environment = {**os.environ, **{variable: str(self.folder(name)) for variable, name in names.items()}}

    def folder(self, name: str) -> Path:
        (self.home / name).mkdir(mode=0o700)
        return self.home / name

    def start(self, *arguments: object) -> subprocess.Popen:
        command = [os.environ["CIPHERMETER"], *map(str, arguments)]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.started.append(subprocess.Popen(command, env=self.environment, cwd=self.home, text=True, **pipes))
        return self.started[-1]

    def recv(self, *more: str) -> tuple[subprocess.Popen, Ticket]:
        file = self.home / "ticket"
        process = self.start("recv", "--yes", "--quiet", "--ticket-file", file, "--into", self.into, *more)
        until = time.monotonic() + LIMIT
        while not (file.exists() and file.read_text().strip()):
            assert process.poll() is None and time.monotonic() < until, "there is no ticket"
            time.sleep(0.01)
        return process, Ticket.read(file.read_text())

    def send(self, ticket: Ticket, *more: object) -> subprocess.Popen:
        file = self.home / "ticket"
        file.touch(mode=0o600)
        file.write_text(f"{ticket}\n")
        return self.start("send", "--quiet", "--ticket-file", file, *more)

    def fine(self, process: subprocess.Popen) -> None:
        out, err = process.communicate(timeout=LIMIT)
        assert (process.returncode, err) == (0, ""), out + err

    def refuses(self, process: subprocess.Popen) -> str:
        """It ends with 5 and says why in a line or two; nothing has a final name."""
        out, err = process.communicate(timeout=LIMIT)
        assert process.returncode == 5, (process.returncode, out, err)
        assert 1 <= len(err.splitlines()) <= 2 and "panic" not in err, err
        assert not [path for path in self.into.iterdir() if not path.name.startswith(".")]
        return err


@pytest.fixture
def ours(tmp_path: Path) -> Iterator[Ours]:
    ours = Ours(tmp_path)
    yield ours
    for process in ours.started:
        process.kill()
        process.communicate()
