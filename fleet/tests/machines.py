"""Machines in namespaces: each with a network, a host name, a machine id and a /run of its own; some with an sshd.

Everything made here has names of its own and is removed at the end: what runs in a namespace by its id, then the
namespace with its devices.
"""

from __future__ import annotations

import contextlib
import getpass
import itertools
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from fleet import LIMIT, PROGRAM, until

NET = "10.78.0"
numbers = itertools.count()

# The first words of a machine: its own /run and machine id, seen by nobody else.
OWN = """
set -e
echo "$1" >/proc/sys/kernel/hostname
mount --bind "$2" /etc/machine-id
mount -t tmpfs tmpfs /run
mkdir -m 755 /run/sshd
shift 2
exec "$@"
"""


def own(folder: Path, name: str) -> tuple[object, ...]:
    """Before a command: runs it on a machine of its own, on this network."""
    file = folder / f"{name}.machine-id"
    if not file.exists():
        file.write_text(secrets.token_hex(16) + "\n")
    return ("unshare", "--mount", "--uts", "sh", "-c", OWN, "sh", name, file)


def ip(*words: object) -> None:
    done = subprocess.run(["ip", *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ip {' '.join(map(str, words))}: {done.stderr}"


class Network:
    """A bridge in a namespace, `hub`, from which the test starts the fleet; machines hang on it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._prefix = f"cmf-{os.getpid()}-{next(numbers)}"
        self.hub = self._prefix
        self._names: list[str] = []
        self.machines: dict[str, Machine] = {}

    @contextlib.contextmanager
    def running(self) -> Iterator[Network]:
        try:
            self._make(self.hub)
            ip("-n", self.hub, "link", "add", "bridge", "type", "bridge")
            ip("-n", self.hub, "link", "set", "bridge", "up")
            ip("-n", self.hub, "address", "add", f"{NET}.1/24", "dev", "bridge")
            subprocess.run(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.home / "user"], check=True
            )
            yield self
        finally:
            for name in reversed(self._names):
                _end_all_of(name)
                with contextlib.suppress(AssertionError):
                    ip("netns", "delete", name)

    @property
    def inside(self) -> tuple[object, ...]:
        """Before a command: runs it in the hub."""
        return ("ip", "netns", "exec", self.hub)

    def add(self, name: str, settings: str = "") -> Machine:
        """A machine with an sshd, whose configuration has these lines, too."""
        place = len(self.machines) + 2
        namespace = f"{self._prefix}-{name}"
        self._make(namespace)
        ip("-n", self.hub, "link", "add", f"to-{place}", "type", "veth", "peer", "name", "eth0", "netns", namespace)
        ip("-n", self.hub, "link", "set", f"to-{place}", "master", "bridge", "up")
        ip("-n", namespace, "address", "add", f"{NET}.{place}/24", "dev", "eth0")
        ip("-n", namespace, "link", "set", "eth0", "up")
        machine = Machine(self, name, namespace, f"{NET}.{place}", settings)
        self.machines[name] = machine
        return machine

    def _make(self, name: str) -> None:
        ip("netns", "add", name)
        self._names.append(name)
        ip("-n", name, "link", "set", "lo", "up")

    def ssh(self) -> dict[str, str]:
        """Variables with which `ssh` knows these machines alone."""
        hosts = "".join(
            f"Host {machine.name}\nHostName {machine.address}\nUser {getpass.getuser()}\n"
            for machine in self.machines.values()
        )
        keys = "".join(f"{machine.address} {machine.key}\n" for machine in self.machines.values())
        (self.home / "known_hosts").write_text(keys)
        config = self.home / "ssh_config"
        config.write_text(
            f"{hosts}Host *\nIdentityFile {self.home}/user\nIdentitiesOnly yes\nIdentityAgent none\nLogLevel ERROR\n"
            f"UserKnownHostsFile {self.home}/known_hosts\nGlobalKnownHostsFile /dev/null\nStrictHostKeyChecking yes\n"
        )
        program = self.home / "bin" / "ssh"
        if not program.exists():
            program.parent.mkdir()
            real = subprocess.run(
                ["sh", "-c", "command -v ssh"], capture_output=True, text=True, check=True
            ).stdout.strip()
            program.write_text(f'#!/bin/sh\nexec {real} -F {config} "$@"\n')
            program.chmod(0o755)
        return {"PATH": f"{program.parent}:{os.environ['PATH']}"}


class Machine:
    """One of them, and its sshd."""

    def __init__(self, network: Network, name: str, namespace: str, address: str, settings: str) -> None:
        self.name, self.address = name, address
        self._namespace = namespace
        self._folder = network.home / name
        self._folder.mkdir()
        host = self._folder / "host"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", host], check=True)
        self.key = host.with_suffix(".pub").read_text().strip()
        data = self._folder / "data"
        data.mkdir()
        (self._folder / "sshd_config").write_text(
            f"ListenAddress {address}\nHostKey {host}\nAuthorizedKeysFile {network.home}/user.pub\nPidFile none\n"
            "UsePAM no\nStrictModes no\nPermitRootLogin yes\nPasswordAuthentication no\n"
            "KbdInteractiveAuthentication no\n"
            f"SetEnv XDG_DATA_HOME={data} {settings}\n"
        )
        self._own = own(self._folder, name)

    def start(self, *before: str) -> None:
        """Starts its sshd; `before` are lines of its configuration for one test."""
        config = self._folder / "sshd_config"
        config.write_text(config.read_text() + "".join(f"{line}\n" for line in before))
        log = self._folder / "sshd.log"
        command = ["ip", "netns", "exec", self._namespace, *self._own, "/usr/sbin/sshd", "-D", "-e", "-f", config]
        with log.open("wb") as errors:
            subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stderr=errors, start_new_session=True
            )
        until(f"sshd of {self.name}", lambda: "Server listening on" in log.read_text())

    def processes(self, word: str) -> list[int]:
        """The ids of what runs there with this word in its command."""
        return [pid for pid in _of(self._namespace) if word in _command(pid)]

    def kill_worker(self) -> None:
        """Kills the Dask worker, as the kernel does when memory runs out."""
        for pid in self.processes("--from-ssh"):
            if PROGRAM.rpartition("/")[2] in _command(pid) and "sh -c" not in _command(pid):
                os.kill(pid, signal.SIGKILL)


def _of(namespace: str) -> list[int]:
    said = subprocess.run(["ip", "netns", "pids", namespace], capture_output=True, text=True, check=False).stdout
    return [int(pid) for pid in said.split()]


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    return ""


def _end_all_of(namespace: str) -> None:
    end = time.monotonic() + LIMIT
    while (pids := _of(namespace)) and time.monotonic() < end:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
