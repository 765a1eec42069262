"""The Dask cluster of a call: one that is started over ssh and taken down again, or one that stands."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import security
from .hosts import Host
from .problem import Problem, clean
from .quiet import NOWHERE
from .ssh import Remote

if TYPE_CHECKING:
    from distributed import Client
    from distributed.security import Security

_ADDRESS = re.compile(r"(tls|tcp)://(\[[0-9a-fA-F:.%\w]+\]|[A-Za-z0-9_.-]+):\d{1,5}")
PATIENCE = 10
"""Seconds within which a scheduler answers."""


@dataclass
class Cluster:
    """A client of the scheduler, and the hosts whose workers were started."""

    client: Client
    remotes: list[Remote] = field(default_factory=list)


@dataclass(frozen=True)
class Ports:
    """What a firewall may have to let pass; 0: any port."""

    scheduler: int = 0
    worker: int = 0


@contextlib.asynccontextmanager
async def over_ssh(hosts: list[Host], program: str, address: str | None, ports: Ports) -> AsyncIterator[Cluster]:
    """A scheduler here and a worker on each host, with a certificate that is made for them."""
    from distributed import Client, Scheduler

    own = security.for_this_run()
    remotes = [Remote(host) for host in hosts]
    try:
        scheduler = Scheduler(
            protocol="tls", port=ports.scheduler, security=own, dashboard=False, dashboard_address=NOWHERE
        )
        await scheduler
    except OSError as error:
        raise Problem(
            f"cannot listen on port {ports.scheduler}: {error.strerror}; choose another one with --port"
        ) from error
    async with scheduler:
        listening = next(iter(scheduler.listeners)).bound_address[1]
        async with Client(
            f"tls://127.0.0.1:{listening}", security=own, asynchronous=True, name="ciphermeter-fleet"
        ) as client:
            sent = {**security.texts(own), "port": listening, "address": address, "worker_port": ports.worker}
            try:
                # A few at a time: each asks for a process, and perhaps for a word at a jump host.
                turns = asyncio.Semaphore(16)
                await asyncio.gather(*(_started(remote, turns, program, sent) for remote in remotes))
                yield Cluster(client, remotes)
            finally:
                await asyncio.gather(*(remote.end() for remote in remotes))


async def _started(remote: Remote, turns: asyncio.Semaphore, program: str, sent: dict[str, Any]) -> None:
    async with turns:
        await remote.start(program, sent)


@contextlib.asynccontextmanager
async def standing(address: str, own: Security | None) -> AsyncIterator[Cluster]:
    """A cluster that was running before and stays."""
    from distributed import Client

    try:
        client = await Client(address, security=own, asynchronous=True, timeout=PATIENCE, name="ciphermeter-fleet")
    except (OSError, asyncio.TimeoutError) as error:
        why = "it does not answer; see that it runs, and that both have the same certificates"
        raise Problem(f"cannot reach the scheduler at {clean(address, 80)}: {why}") from error
    try:
        yield Cluster(client)
    finally:
        await client.close()


def check_address(address: str, without_tls: bool) -> str:
    """A scheduler's address. Without TLS anybody on the network could run programs on its workers."""
    if not _ADDRESS.fullmatch(address):
        raise Problem(f"{clean(address, 80)!r} is no scheduler: write tls://HOST:8786")
    if address.startswith("tcp://") and not without_tls:
        raise Problem(
            f"{address} lets anybody on its network run programs on the workers: use tls://, or --without-tls"
        )
    return address
