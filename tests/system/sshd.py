"""A real sshd at one end of a network, and the ssh of the other end: keys and configuration of the test's own."""

from __future__ import annotations

import contextlib
import getpass
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from network import LIMIT, End

PORT = 2222  # in a network of the test's own
HOST = "far"  # the name under which ssh finds it
# Where sshd gives up its rights, compiled in; a system that starts it makes it then.
SEPARATION = Path("/run/sshd")


def make_key(file: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file], check=True)
    return file


def descendants(process: int) -> list[int]:
    """The processes that it started, and those that they started."""
    said = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False).stdout
    return [pid for child in map(int, said.split()) for pid in (child, *descendants(child))]


class Sshd:
    """Listens at an end, and admits the one key that `ssh` has.

    `ssh -F config far COMMAND` reaches it from the other end. A program that starts plain `ssh` does so, too, with
    `environment`: its first folder in PATH has an `ssh` that reads this configuration and no other.
    """

    def __init__(self, home: Path, end: End, settings: str = "", port: int = PORT) -> None:
        self.home, self.end = home, end
        self.config, self.log = home / "ssh_config", home / "sshd.log"
        host, user = make_key(home / "host"), make_key(home / "user")
        (home / "known_hosts").write_text(f"[{end.ipv4}]:{port} {host.with_suffix('.pub').read_text()}")
        (home / "sshd_config").write_text(
            f"ListenAddress {end.ipv4}:{port}\nHostKey {host}\nAuthorizedKeysFile {user}.pub\nPidFile {home}/sshd.pid\n"
            "UsePAM no\nStrictModes no\nPermitRootLogin yes\nPasswordAuthentication no\n"
            f"KbdInteractiveAuthentication no\n{settings}"
        )
        self.config.write_text(
            f"Host {HOST}\nHostName {end.ipv4}\nPort {port}\nUser {getpass.getuser()}\nIdentityFile {user}\n"
            f"IdentitiesOnly yes\nIdentityAgent none\nUserKnownHostsFile {home}/known_hosts\n"
            "GlobalKnownHostsFile /dev/null\nStrictHostKeyChecking yes\nBatchMode yes\nLogLevel ERROR\n"
        )
        self.bin = home / "bin"
        self.bin.mkdir()
        program = self.bin / "ssh"
        real = subprocess.run(["sh", "-c", "command -v ssh"], capture_output=True, text=True, check=True).stdout.strip()
        program.write_text(f'#!/bin/sh\nexec {real} -F {shlex.quote(str(self.config))} "$@"\n')
        program.chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        """For a program that starts `ssh`."""
        return {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"}

    @contextlib.contextmanager
    def running(self) -> Iterator[Sshd]:
        SEPARATION.mkdir(mode=0o755, exist_ok=True)
        # By its whole path, or it does not start.
        command = ["/usr/sbin/sshd", "-D", "-e", "-f", self.home / "sshd_config"]
        with self.log.open("wb") as log:
            process = subprocess.Popen([*self.end.inside, *command], stdin=subprocess.DEVNULL, stderr=log)
        try:
            until = time.monotonic() + LIMIT
            while "Server listening on" not in self.log.read_text():
                assert process.poll() is None, self.log.read_text()
                assert time.monotonic() < until, "sshd doesn't listen"
                time.sleep(0.01)
            yield self
        finally:
            sessions = descendants(process.pid)
            process.terminate()
            process.wait(LIMIT)
            # One whose link is gone would wait for it for minutes.
            for session in sessions:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(session, signal.SIGKILL)

    def ssh(self, end: End, *command: str) -> subprocess.CompletedProcess:
        """Runs a command there, from this end."""
        words = [*end.inside, "ssh", "-F", self.config, HOST, *command]
        return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
