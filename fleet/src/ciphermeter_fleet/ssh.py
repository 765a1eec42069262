"""Workers that are started over ssh, one a host, and that end with it.

Dask's own SSHCluster hands its configuration over on the command line, where every user of the host can read a
certificate's key. So this starts the user's own `ssh`, with what it knows of hosts, keys and jumps, and sends the key
through its standard input. The worker ends when that input does: after Ctrl-C, a failure, or a kill of this process.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
from typing import Any

from .hosts import Host
from .problem import Problem, clean, last_line

OPTIONS = [
    "-T",
    "-o",
    "BatchMode=yes",
    "-o",
    "ConnectTimeout=30",
    "-o",
    "ServerAliveInterval=15",
    "-o",
    "ServerAliveCountMax=4",
]
MOST_OF_ERRORS = 4096
PATIENCE = 5
"""Seconds for an end that should follow at once."""


class Remote:
    """A host's worker, as this end of ssh sees it."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._said = b""

    async def start(self, program: str, sent: dict[str, Any]) -> None:
        """Starts ssh and sends what the worker needs to know."""
        pipes: dict[str, Any] = {"stdin": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.PIPE}
        self._process = await asyncio.create_subprocess_exec(
            command(), *OPTIONS, "--", self.host.destination, program, "worker", "--from-ssh",
            stdout=asyncio.subprocess.DEVNULL, start_new_session=True, **pipes,
        )  # fmt: skip
        self._reader = asyncio.create_task(self._read())
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # why it has ended already, its errors say
            self._process.stdin.write(json.dumps({**sent, "name": self.host.name}).encode() + b"\n")
            await self._process.stdin.drain()

    async def _read(self) -> None:
        assert self._process is not None and self._process.stderr is not None
        while part := await self._process.stderr.read(MOST_OF_ERRORS):
            self._said = (self._said + part)[-MOST_OF_ERRORS:]
        await self._process.wait()

    def why_ended(self) -> str | None:
        """Why it ended and what to do; nothing while it runs."""
        if self._process is None or self._reader is None or not self._reader.done():
            return None
        said, where = last_line(self._said), self.host.destination
        match self._process.returncode:
            case 127:
                return f"{said}; install ciphermeter-fleet there, or say where it is with --remote-program"
            case 255:
                return f"{said or 'ssh ended'}; see that `ssh {where}` works without a password"
            case _:
                return said or "its worker ended; the host may lack memory, or somebody ended it"

    async def settled(self) -> str | None:
        """The same, if the end comes soon."""
        if self._reader is not None:
            await asyncio.wait([self._reader], timeout=PATIENCE)
        return self.why_ended()

    async def end(self) -> None:
        """Ends the worker by closing its input, or else ssh."""
        if self._process is None or self._reader is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        for signal in (self._process.terminate, self._process.kill):
            done, _ = await asyncio.wait([self._reader], timeout=PATIENCE)
            if done:
                break
            with contextlib.suppress(ProcessLookupError):
                signal()
        await self._reader


def command() -> str:
    """The program ssh."""
    found = shutil.which("ssh")
    if found is None:
        raise Problem("there is no ssh here: install OpenSSH's client (openssh-client), or use --scheduler")
    return found


def check_program(program: str) -> str:
    """What is started at the other end, as the shell there takes it."""
    if not program.strip() or program.startswith("-"):
        raise Problem(f"{clean(program, 60)!r} is no program: name one like /opt/ciphermeter/bin/ciphermeter-fleet")
    return program
