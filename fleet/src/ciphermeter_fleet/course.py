"""One fleet, from the workers that join to the last machine: each measures once, pinned, and what ended is kept.

A task is bound to one worker's address, to its one unit of a resource, and never retried. A worker that goes takes its
task with it: Dask would give it to the next worker of that address, which refuses it (`machine.measure`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import machine
from .members import Members, Same, name_of
from .problem import PARTIAL, Problem, clean
from .results import Results
from .ssh import Remote
from .state import Member, State

if TYPE_CHECKING:
    from distributed import Client

LOOK = 0.25
"""Seconds between two looks at who is there."""
LATE = "it did not join in time; give it longer with --patience"
WITHOUT_SCHEDULER = "the scheduler went away"
ANSWER = 60
"""Seconds within which a part of the cluster answers."""


@dataclass(eq=False)
class Seat:
    """A worker of this call, and what is done with it."""

    address: str
    name: str
    remote: Remote | None
    task: asyncio.Task[None] | None = None
    member: Member | None = None
    gone: str = ""
    """Why its worker is gone, once it is."""


class Course:
    """The machines of one call on one cluster."""

    def __init__(
        self, client: Client, members: Members, results: Results, state: State, remotes: list[Remote], *,
        again: bool, expected: int, patience: float,
    ) -> None:  # fmt: skip
        self._client, self._members, self._results, self._state = client, members, results, state
        self._remotes = {remote.host.name: remote for remote in remotes}
        self._again, self._expected, self._until = again, expected, time.monotonic() + patience
        self._seats: dict[str, Seat] = {}
        self._stored: dict[int, str] = {}
        self._scheduler = ""
        self.unpushed = 0

    async def go(self) -> None:
        """Comes back when every machine is done or lost."""
        self._stored = await asyncio.to_thread(self._results.local.stored)
        for name in self._remotes:
            self._members.add(name)
        try:
            while await self._look():
                await asyncio.sleep(LOOK)
        finally:
            await self._call_off()

    async def _look(self) -> bool:
        """Seats workers that came, and drops those that left; whether there is more to wait for."""
        seen = await self._seen()
        for address, worker in seen.items():
            if address not in self._seats and worker.get("status") == "running":
                self._seat(address, worker)
        for seat in self._seats.values():
            if seat.address not in seen and not seat.gone:
                seat.gone = "its worker went away"
                if seat.task and not seat.task.done():
                    seat.task.cancel()
            if seat.task and seat.task.done() and seat.member:
                # It has an end in any case; otherwise this call would have none.
                self._members.lose(seat.member, seat.gone or "its worker ended without a result")
        is_late = time.monotonic() > self._until
        seated = {seat.name for seat in self._seats.values()}
        for name, remote in self._remotes.items():
            why = remote.why_ended() or (LATE if is_late else None)
            if why and name not in seated:
                self._lose_pending(name, why)
        is_busy = any(seat.task and not seat.task.done() for seat in self._seats.values())
        is_missing = len(self._members.call.members) < self._expected and not is_late
        return is_busy or is_missing or bool(self._members.open())

    async def _seen(self) -> dict[str, Any]:
        """The workers that the scheduler has, by their addresses."""
        try:
            scheduler = await asyncio.wait_for(self._client.scheduler.identity(n_workers=-1), ANSWER)
        except (OSError, asyncio.TimeoutError) as error:
            raise self._without_scheduler() from error
        if self._scheduler not in ("", scheduler["id"]):
            raise self._without_scheduler()
        self._scheduler = scheduler["id"]
        return dict(scheduler["workers"])

    def _without_scheduler(self) -> Problem:
        """What its workers measure is lost with it: nobody has their tasks any more."""
        for member in self._members.open():
            self._members.lose(member, WITHOUT_SCHEDULER)
        return Problem("the scheduler went away: when it is back, repeat; only what is missing is measured", PARTIAL)

    def _lose_pending(self, name: str, why: str) -> None:
        for member in self._members.open():
            if member.name == name:
                self._members.lose(member, why)

    def _seat(self, address: str, worker: dict[str, Any]) -> None:
        name = str(worker.get("name"))
        if self._remotes and name not in self._remotes:
            return
        seat = Seat(address, name, self._remotes.get(name))
        self._seats[address] = seat
        lacking = _lacking(worker)
        seat.task = asyncio.create_task(self._attended(seat, lacking))

    async def _attended(self, seat: Seat, lacking: str) -> None:
        """What becomes of one worker, whatever happens to it."""
        member = next((member for member in self._members.open() if seat.remote and member.name == seat.name), None)
        seat.member = member
        if seat.remote and member is None:
            # It is lost already: it came too late.
            return
        try:
            found = await self._facts(seat.address)
            if member is None:
                seat.member = member = self._members.add(name_of(found.get("host")))
            self._members.know(member, found)
            if lacking:
                raise Problem(lacking)
            await self._measured(seat, member, str(found.get("worker")))
        except asyncio.CancelledError:
            if not seat.gone:
                raise
            await self._died(seat, member, seat.gone)
        except Same as same:
            self._twice(member, same)
        except Problem as problem:
            self._lost(seat, member, str(problem))
        except Exception as error:
            await self._died(seat, member, _in_words(error))

    def _twice(self, member: Member | None, same: Same) -> None:
        if self._remotes and member:
            self._members.lose(member, str(same))
        elif member:
            # Clusters have several workers a host: one of them is enough.
            self._members.forget(member)

    def _lost(self, seat: Seat, member: Member | None, why: str) -> None:
        self._members.lose(member or self._members.add(name_of(seat.name)), why)

    async def _died(self, seat: Seat, member: Member | None, why: str) -> None:
        # From here on it is not cancelled again.
        seat.gone = seat.gone or why
        # ssh knows better than Dask why a worker is gone.
        settled = await seat.remote.settled() if seat.remote else None
        self._lost(seat, member, settled or why)

    async def _facts(self, address: str) -> dict[str, Any]:
        try:
            asked = self._client.run(machine.facts, workers=[address], on_error="return")
            found = (await asyncio.wait_for(asked, ANSWER)).get(address)
        except (OSError, asyncio.TimeoutError):
            found = OSError()
        if isinstance(found, OSError):
            where = clean(address, 80)
            raise Problem(
                f"its worker at {where} cannot be reached: let its firewall pass that port, or set --worker-port"
            )
        if isinstance(found, Exception):
            raise Problem(_in_words(found))
        if not isinstance(found, dict):
            raise Problem("it says nothing of itself; see that both ends have the same ciphermeter-fleet")
        return found

    async def _measured(self, seat: Seat, member: Member, worker: str) -> None:
        scenario = self._members.scenario
        waiting = self._state.waiting(scenario.hash, member.machine, member.binary)
        if (before := self._before(member)) and before.run:
            await self._finish(member, before.run, before.started, "done before")
            return
        if kept := await self._kept(member, waiting):
            await self._finish(member, *kept)
            return
        order: dict[str, Any] = {"worker": worker, "machine": member.machine, "binary": member.binary}
        order |= {"scenario": scenario.name, "text": scenario.text}
        key = f"ciphermeter-{member.machine}-{scenario.hash}-{member.binary}"
        future = self._client.submit(
            machine.measure, order, key=key, workers=[seat.address], resources={machine.RESOURCE: 1}, retries=0,
            allow_other_workers=False,
        )  # fmt: skip
        self._members.running(member)
        try:
            result = await future
        finally:
            future.release()
        if not isinstance(result, dict) or "export" not in result:
            raise Problem(clean(result.get("problem")) if isinstance(result, dict) else "it sent no export")
        try:
            taken = await self._results.take(result["export"], waiting)
        except Problem as problem:
            kept_too = "; the run is kept, and the same command takes it in" if waiting.exists() else ""
            raise Problem(f"{problem}{kept_too}") from problem
        await self._finish(member, *taken)

    def _before(self, member: Member) -> Member | None:
        """What an earlier call got from the machine, if the store has it still, and no other sent the same."""
        before = self._members.call.found(member)
        if self._again or before is None or before.run is None or self._stored.get(before.run) != before.started:
            return None
        return None if self._members.call.owner(member, before.run, before.started) else before

    async def _kept(self, member: Member, waiting: Path) -> tuple[int, str] | None:
        if self._again:
            return None
        try:
            return await self._results.waiting(waiting)
        except Problem:
            # The store may only be busy: the file stays until a new run takes its place.
            return None

    async def _finish(self, member: Member, run: int, started: str, how: str = "done") -> None:
        """Sends the run, too, if that is asked; a server that has it takes it no second time."""
        if owner := self._members.call.owner(member, run, started):
            raise Problem(f"it sent the run of {owner.name}, run {run}: each machine measures for itself")
        self._members.done(member, run, started, how)
        try:
            await self._results.push(run, member.name)
        except Problem as problem:
            self.unpushed += 1
            self._members.note(member, f"not pushed yet: {problem}")

    async def _call_off(self) -> None:
        """Ends what still measures; on a running cluster, nobody else would."""
        tasks = [(seat, seat.task) for seat in self._seats.values() if seat.task and not seat.task.done()]
        for _, task in tasks:
            task.cancel()
        await asyncio.gather(*(task for _, task in tasks), return_exceptions=True)
        for member in self._members.open():
            self._members.lose(member, "it was called off")
        busy = [seat.address for seat, _ in tasks if not seat.gone]
        if busy:
            stopping: Coroutine[Any, Any, Any] = self._client.run(machine.stop, workers=busy, on_error="ignore")
            await asyncio.wait([asyncio.ensure_future(stopping)], timeout=5)


def _lacking(worker: dict[str, Any]) -> str:
    """What keeps a worker of a cluster from measuring alone."""
    remedy = "start it with `ciphermeter-fleet worker`"
    if worker.get("nthreads") != 1:
        return f"its worker has {worker.get('nthreads')} threads, and a measurement is to be alone; {remedy}"
    if (worker.get("resources") or {}).get(machine.RESOURCE) != 1:
        return f"its worker has no resource {machine.RESOURCE}=1, so it might measure twice at once; {remedy}"
    return ""


def _in_words(error: Exception) -> str:
    """What Dask says, for people."""
    name = type(error).__name__
    if getattr(error, "reason", "") == "scheduler-connection-lost":
        return WITHOUT_SCHEDULER
    if name in ("KilledWorker", "FutureCancelledError", "CancelledError"):
        return "its worker died while it measured"
    if isinstance(error, ModuleNotFoundError):
        return f"its Python has no {clean(error.name, 60)}; install ciphermeter-fleet there, and at the scheduler"
    return clean(f"{name}: {error}")
