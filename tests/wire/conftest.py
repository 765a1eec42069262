"""Our binary as a test's other end: in the test's own folders, on this machine's own address, never for long."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from ports import free_port

from wire import Ticket

pytest_plugins = ["hangs"]
LIMIT = 60  # seconds
SSH_LINE = "ciphermeter-ssh 1 "  # before the request and the answer
# Says its host, as `ssh -G` does, or reads the request: a line behind an empty one.
FAKE_SSH = """#!/bin/sh
for word; do
    if [ "$word" = -G ]; then echo "user me"; echo "hostname 127.0.0.1"; exit 0; fi
done
read -r nothing
read -r request
"""


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every name under a folder, and what it holds; without the receiver's own state."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    own = ".ciphermeter-"
    return {name: None if path.is_dir() else path.read_bytes() for name, path in paths.items() if own not in name}


def is_plain(text: str) -> bool:
    """Whether a terminal only shows it: no controls but newlines, nothing invisible, nothing that changes direction."""
    return all(unicodedata.category(one) not in ("Cc", "Cf", "Zl", "Zp") for one in text.replace("\n", ""))


class Ours:
    """Starts `ciphermeter recv` and `ciphermeter send`, and ends what a test leaves."""

    def __init__(self, home: Path) -> None:
        self.home, self.started, self.held = home, [], []
        self.into = self.folder("into")
        names = {"HOME": "home", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache", "XDG_DATA_HOME": "data"}
        self.environment = {**os.environ, **{variable: str(self.folder(name)) for variable, name in names.items()}}
        self.environment.pop("SSH_CONNECTION", None)  # it would say where to listen

    def folder(self, name: str) -> Path:
        (self.home / name).mkdir(mode=0o700)
        return self.home / name

    def another(self, name: str) -> Ours:
        """For a test with more than one transfer."""
        other = Ours(self.folder(name))
        other.started, other.held = self.started, self.held
        return other

    def start(self, *arguments: object, **pipes: object) -> subprocess.Popen:
        command = [os.environ["CIPHERMETER"], *map(str, arguments)]
        pipes = pipes or {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, env=self.environment, cwd=self.home, umask=0o022, **pipes)
        self.started.append(process)
        return process

    def ticket(self, process: subprocess.Popen) -> Ticket:
        file, until = self.home / "ticket", time.monotonic() + LIMIT
        while not (file.exists() and file.read_text().endswith("\n")):
            assert process.poll() is None and time.monotonic() < until, "there is no ticket"
            time.sleep(0.002)
        return Ticket.read(file.read_text())

    def recv(
        self, *more: object, quiet: bool = True, straight: bool = True, restarts: bool = False
    ) -> tuple[subprocess.Popen, Ticket]:
        """`straight` into the folder, however many names there are. `restarts`: on a port of its own."""
        more = [*(["--listen", f"127.0.0.1:{free_port()}"] if restarts else []), *more]
        more = [*(["--quiet"] if quiet else []), *(["--no-folder"] if straight else []), *more]
        process = self.start("recv", "--yes", "--ticket-file", self.home / "ticket", "--into", self.into, *more)
        return process, self.ticket(process)

    def restart(self, process: subprocess.Popen, ticket: Ticket) -> subprocess.Popen:
        """Ends `recv` as a failing machine would, and resumes in its place."""
        process.kill()
        process.wait(LIMIT)
        process, until = (
            self.start("recv", "--resume", "--yes", "--hidden", "--quiet", "--into", self.into),
            time.monotonic() + LIMIT,
        )
        while True:
            assert process.poll() is None and time.monotonic() < until, "it doesn't resume"
            with contextlib.suppress(ConnectionRefusedError):
                socket.create_connection(ticket.addresses[0]).close()
                return process
            time.sleep(0.002)

    def send(self, ticket: Ticket, *more: object, quiet: bool = True) -> subprocess.Popen:
        file = self.home / "ticket"
        file.touch(mode=0o600)
        file.write_text(f"{ticket}\n")
        return self.start("send", *(["--quiet"] if quiet else []), "--ticket-file", file, *more)

    def serve(self, *paths: object, **request: object) -> tuple[subprocess.Popen, Ticket]:
        """A sender that listens, as `recv HOST:PATH` starts it through ssh, which stays."""
        asked = {"paths": [str(path) for path in paths], "exclude": [], "patience_ms": 20_000, "quiet": True}
        absent = dict.fromkeys(["port", "cipher", "streams", "limit", "resume"])
        stdin, ssh = os.pipe()
        self.held.append(ssh)
        pipes = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = self.start("send", "--started-by-ssh", **pipes)
        os.close(stdin)
        os.write(ssh, f"\n{SSH_LINE}{json.dumps({**asked, **absent, **request})}\n".encode())
        lines = [process.stdout.readline().decode() for _ in range(2)]
        assert lines[1].startswith(SSH_LINE), lines
        return process, Ticket.read(json.loads(lines[1].removeprefix(SSH_LINE))["ticket"])

    def fetch(self, ticket: Ticket, *more: object) -> subprocess.Popen:
        """`recv HOST:PATH`."""
        return self.start("recv", "--quiet", "--ssh", self.fake_ssh(ticket), "--into", self.into, *more)

    def fake_ssh(self, ticket: Ticket) -> Path:
        """Answers with this ticket at once."""
        ssh = self.home / "ssh"
        ssh.write_text(f"{FAKE_SSH}echo '{SSH_LINE}{json.dumps({'ticket': str(ticket)})}'\n")
        ssh.chmod(0o755)
        return ssh

    def end(self, process: subprocess.Popen) -> tuple[int, str, str]:
        """Its exit code and what it printed."""
        out, err = (text.decode() for text in process.communicate(timeout=LIMIT))
        assert "panic" not in err and "Traceback" not in err, err
        assert is_plain(out + err), (out, err)
        return process.returncode, out, err

    def fine(self, process: subprocess.Popen) -> str:
        code, out, err = self.end(process)
        assert (code, err) == (0, ""), out + err
        return out

    def refuses(self, process: subprocess.Popen) -> str:
        """It ends with 5 and says why in a line or two; nothing has a final name."""
        code, out, err = self.end(process)
        assert code == 5, (code, out, err)
        assert 1 <= len(err.splitlines()) <= 2, err
        assert tree(self.into) == {}
        return err

    def went_into(self, process: subprocess.Popen) -> Path:
        """Where the names of a transfer went that was received with --json."""
        lines = [json.loads(line) for line in self.fine(process).splitlines()]
        assert lines[-1]["is"] == "received"
        return (self.home / lines[-1]["into"]).resolve()


@pytest.fixture
def ours(tmp_path: Path) -> Iterator[Ours]:
    ours = Ours(tmp_path)
    yield ours
    for process in ours.started:
        process.kill()
        process.communicate()
    for ssh in ours.held:
        os.close(ssh)
