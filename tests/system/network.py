"""Two network namespaces with a shaped link between them.

`lab link` carries the packets, because many kernels lack `tc netem`. All that is made here has names of its own and is
removed at the end: processes by their id, then the namespaces with their devices.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LIMIT = 60  # seconds
DEVICE = "link0"
# Each network has these to itself: nothing outside a namespace sees them.
NETS = ("10.77.0.{}/24", "fd77:7::{}/64", "fe80::{}/64")
# Linux's own defaults, whatever this machine's are, and no memory of earlier connections: each turn stands alone.
SETTINGS = {
    "tcp_rmem": "4096 131072 6291456",
    "tcp_wmem": "4096 16384 4194304",
    "tcp_no_metrics_save": "1",
}
numbers = itertools.count()


def ip(*words: object) -> None:
    done = subprocess.run(["ip", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, f"ip {' '.join(map(str, words))}: {done.stderr}"


@dataclass
class End:
    """One of the namespaces, and its addresses on the link."""

    name: str
    ipv4: str
    ipv6: str  # unique local
    link_local: str  # as the other end writes it, with its own device

    @property
    def inside(self) -> tuple[str, ...]:
        """Before a command: starts it in this namespace. The process is the command's own."""
        return ("ip", "netns", "exec", self.name)

    @classmethod
    def make(cls, name: str, number: int, congestion: str) -> End:
        ip("netns", "add", name)
        ip("-n", name, "link", "set", "lo", "up")
        ip("-n", name, "tuntap", "add", DEVICE, "mode", "tun")
        # What waits for the link's program waits here, and must not be lost: losing is the program's part.
        ip("-n", name, "link", "set", DEVICE, "mtu", 1500, "txqueuelen", 10_000, "addrgenmode", "none", "up")
        ends = [net.format(number) for net in NETS]
        for end, net in zip(ends, NETS):
            ip("-n", name, "address", "add", end, "dev", DEVICE, "noprefixroute", *(["nodad"] if ":" in end else []))
            # By route: the setting of a namespace takes only what the machine allows to everyone.
            ip("-n", name, "route", "add", net.format(0), "dev", DEVICE, "congctl", congestion)
        made = cls(name, *(end.split("/")[0] for end in ends))
        made.link_local += f"%{DEVICE}"
        for setting, value in SETTINGS.items():
            write = ["sh", "-c", 'echo "$2" >"/proc/sys/net/ipv4/$1"', "sh", setting, value]
            subprocess.run([*made.inside, *write], check=True)
        return made


class Network:
    """Two ends, `here` and `there`, and what is between them."""

    def __init__(self, congestion: str) -> None:
        number = next(numbers)
        self.names = [f"cm-{os.getpid()}-{number}-{end}" for end in ("here", "there")]
        self.congestion, self.link = congestion, None

    def make(self) -> None:
        self.here, self.there = (End.make(name, number, self.congestion) for number, name in enumerate(self.names, 1))

    def connect(self, *shape: object) -> None:
        """`shape` as `lab link` takes it: `--delay`, `--rate`, `--queue`, `--loss`, `--seed`."""
        self.shape = shape
        command = [os.environ["LAB"], "link", *self.names, "--device", DEVICE, *map(str, shape)]
        self.link = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.link.stdout.readline()
        assert line.startswith("up: "), line

    def cut(self) -> str:
        """Ends the link as if a cable had been pulled, and returns what it counted."""
        link, self.link = self.link, None
        try:
            counted, _ = link.communicate(timeout=LIMIT)
        finally:
            link.kill()
            link.wait()
        return counted

    def mend(self) -> None:
        self.connect(*self.shape)

    def remove(self) -> None:
        with contextlib.ExitStack() as stack:
            for name in self.names:
                if Path("/run/netns", name).exists():
                    stack.callback(ip, "netns", "delete", name)
            if self.link:
                stack.callback(self.cut)


@contextlib.contextmanager
def network_of(congestion: str = "cubic") -> Iterator[Network]:
    """Without a link yet; processes that were started inside must have ended before the end."""
    network = Network(congestion)
    try:
        network.make()
        yield network
    finally:
        network.remove()
