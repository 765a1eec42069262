"""What the tests share: the binary, in folders of the test's own, ended with all that a test started."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from advice import Advisor
from network import Network, network_of
from sshd import Sshd
from suites import Certificate

pytest_plugins = ["hangs"]
LIMIT = 60  # seconds


class Ours:
    """Starts the binary with a home of its own, and ends what a test leaves."""

    def __init__(self, home: Path) -> None:
        self.home, self.started = home, []
        names = {"HOME": "home", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache", "XDG_DATA_HOME": "data"}
        self.environment = {**os.environ, **{variable: str(self.folder(name)) for variable, name in names.items()}}

    def folder(self, name: str) -> Path:
        (self.home / name).mkdir(mode=0o700)
        return self.home / name

    def start(self, *arguments: object, prefix: tuple[str, ...] = ()) -> subprocess.Popen:
        """`prefix` is a command that starts the binary elsewhere: in a network namespace, say."""
        command = [*prefix, os.environ["CIPHERMETER"], *map(str, arguments)]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, env=self.environment, cwd=self.home, umask=0o022, **pipes)
        self.started.append(process)
        return process

    def appears(self, file: Path, process: subprocess.Popen) -> None:
        """Waits for a line in a file that the process writes."""
        until = time.monotonic() + LIMIT
        while not (file.exists() and file.read_text().endswith("\n")):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until, f"there is no {file.name}"
            time.sleep(0.002)

    def end(self) -> None:
        for process in self.started:
            process.kill()
            process.communicate()
        self.started.clear()


@pytest.fixture
def ours(tmp_path: Path) -> Iterator[Ours]:
    ours = Ours(tmp_path)
    yield ours
    ours.end()


@pytest.fixture
def network(ours: Ours) -> Iterator[Network]:
    """Asks for `ours`, so that it goes only when what was started in it has ended."""
    with network_of() as network:
        yield network
        ours.end()


@pytest.fixture
def sshd(network: Network, ours: Ours) -> Iterator[Sshd]:
    """At the far end of a link without loss."""
    network.connect("--delay", "0.005s")
    with Sshd(ours.folder("sshd"), network.there).running() as sshd:
        yield sshd


@pytest.fixture(scope="session")
def advisor(tmp_path_factory: pytest.TempPathFactory) -> Advisor:
    return Advisor(tmp_path_factory.mktemp("advice"))


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return Certificate(tmp_path_factory.mktemp("certificate"))
