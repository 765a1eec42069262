"""`worker`: one machine of a fleet. It joins a scheduler, measures when asked, and ends with what started it."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import machine, quiet, security
from .problem import FINE, NOTHING, Problem, clean

if TYPE_CHECKING:
    from distributed import Worker
    from distributed.security import Security

MOST_OF_ORDERS = 64 << 10
"""Bytes of what comes through ssh."""
PATIENCE = 60
"""Seconds after which a scheduler is not there."""


@dataclass(frozen=True)
class Joining:
    """Where a worker joins, under which name, and where it listens."""

    scheduler: str
    name: str | None
    host: str | None
    port: int
    security: Security | None
    through_ssh: bool = False


def orders(descriptor: int = 0) -> Joining:
    """What `run --hosts` sends through ssh: a line of JSON. The certificate is in no file and no list of processes."""
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(descriptor, MOST_OF_ORDERS)
        line += part
        if not part or len(line) > MOST_OF_ORDERS:
            raise Problem("this command is for `ciphermeter fleet run --hosts`, which starts it over ssh")
    try:
        return _joining(json.loads(line))
    except (ValueError, KeyError, TypeError) as error:
        raise Problem(
            "what came through ssh is not of this version; install the same ciphermeter-fleet there"
        ) from error


def _joining(sent: dict[str, Any]) -> Joining:
    near, far = _ends(os.environ.get("SSH_CONNECTION", ""))
    address = sent["address"] or far
    if not address:
        raise Problem("ssh does not say where it comes from; name this machine's address with --address")
    scheduler = f"tls://{_in_brackets(address)}:{int(sent['port'])}"
    own = security.of_texts(sent["ca"], sent["cert"], sent["key"])
    return Joining(scheduler, sent["name"], near, int(sent["worker_port"]), own, through_ssh=True)


def _ends(connection: str) -> tuple[str | None, str | None]:
    """The address of this end and of the other one: `CLIENT PORT SERVER PORT`."""
    words = connection.split()
    return (words[2], words[0]) if len(words) == 4 else (None, None)


def _in_brackets(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def run(joining: Joining, verbose: bool) -> int:
    """Serves until the scheduler ends it, or the other end of ssh is gone."""
    quiet.configure(verbose)
    with tempfile.TemporaryDirectory(prefix="ciphermeter-worker-") as folder:
        try:
            return asyncio.run(_served(joining, folder))
        finally:
            machine.stop()


async def _served(joining: Joining, folder: str) -> int:
    from distributed import Worker

    worker = Worker(
        joining.scheduler,
        name=joining.name,
        nthreads=1,
        resources={machine.RESOURCE: 1},
        security=joining.security,
        host=_in_brackets(joining.host) if joining.host else None,
        port=joining.port,
        protocol=joining.scheduler.partition("://")[0],
        local_directory=folder,
        memory_limit=0,  # it is not watched, which would take time
        dashboard_address=quiet.NOWHERE,
        death_timeout=PATIENCE,
    )
    try:
        await asyncio.wait_for(worker, PATIENCE + 10)
    except Exception as error:
        await worker.close(reason="not started")
        raise Problem(_why(joining.scheduler, error), NOTHING) from error
    ends = [asyncio.ensure_future(_end_of(worker))]
    if joining.through_ssh:
        ends.append(asyncio.ensure_future(_end_of_input()))
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        # What is measured is called off first: Dask waits for the thread that measures.
        machine.stop()
        await worker.close(reason="fleet-ended")
    return FINE


def _why(scheduler: str, error: Exception) -> str:
    where = clean(scheduler, 80)
    if isinstance(error, (asyncio.TimeoutError, OSError)) or "timed out" in str(error).lower():
        return f"cannot reach the scheduler at {where}: let its firewall pass that port, or choose one with --port"
    return f"cannot join the scheduler at {where}: {clean(error)}; see that both have the same certificates and Dask"


async def _end_of(worker: Worker) -> None:
    """Waits until the worker begins to end, as it does when its scheduler is gone."""
    while worker.status.name in ("running", "paused"):
        await asyncio.sleep(0.5)


async def _end_of_input() -> None:
    """Waits until nobody is at the other end of standard input."""
    gone, loop = asyncio.Event(), asyncio.get_running_loop()

    def look() -> None:
        if not os.read(0, 4096):
            gone.set()

    loop.add_reader(0, look)
    try:
        await gone.wait()
    finally:
        loop.remove_reader(0)
