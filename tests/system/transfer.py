"""A transfer between the ends of a network."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conftest import LIMIT, Ours
from network import Network


@dataclass
class Transfer:
    """`recv` there and `send` here, both started."""

    recv: subprocess.Popen
    send: subprocess.Popen

    def fine(self, limit: float = LIMIT) -> dict:
        """The sender's summary, once both have ended well."""
        (out, err), (_, other) = (process.communicate(timeout=limit) for process in (self.send, self.recv))
        assert (self.send.returncode, self.recv.returncode) == (0, 0), (err, other)
        return json.loads(out.splitlines()[0])


def begin(
    ours: Ours,
    network: Network,
    file: Path,
    into: Path | None,
    *more: object,
    address: str = "",
    patience: str = "60s",
) -> Transfer:
    """Sends a file to the other end's folder, or to nowhere; `more` is for the sender."""
    ticket = ours.home / "ticket"
    ticket.unlink(missing_ok=True)
    common = ["--quiet", "--json", "--ticket-file", ticket, "--patience", patience]
    place = ["--into", into] if into else ["--discard"]
    listen = ["--listen", address or network.there.ipv4]
    recv = ours.start("recv", "--yes", *common, *place, *listen, prefix=network.there.inside)
    ours.appears(ticket, recv)
    return Transfer(recv, ours.start("send", *common, *more, file, prefix=network.here.inside))


def waits(what: str, until: Callable[[], object]) -> None:
    end = time.monotonic() + LIMIT
    while not until():
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.02)


def is_recorded(process: subprocess.Popen, into: Path) -> None:
    def is_there() -> bool:
        assert process.poll() is None, process.communicate()
        return any(journal.stat().st_size for journal in into.glob(".ciphermeter-*/journal"))

    waits("something is recorded", is_there)
