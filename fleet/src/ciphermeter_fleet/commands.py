"""What each command does, with its options read."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING

from . import binary, cluster, hosts, quiet, scenario, security, ssh
from .cluster import Cluster, Ports
from .course import Course
from .members import Members, code, tell
from .problem import FINE, NOTHING, PARTIAL, Problem
from .results import Push, Results
from .state import DONE, LOST, PENDING, RUNNING, Call, Member, State
from .worker import Joining, orders
from .worker import run as serve

if TYPE_CHECKING:
    from distributed.security import Security


def run(options: argparse.Namespace) -> int:
    """Measures a fleet, and prints what it comes to."""
    local = binary.Local(binary.find(options.program), options.store)
    asked = scenario.read(options.scenario, local)
    push = None
    if options.push:
        local.can_push(options.push)
        push = Push(options.push, options.certificate)
    cluster_of = _cluster(options)
    quiet.configure(options.verbose)
    with State().locked() as state:
        members, results = Members(state, asked), Results(local, asked, push)

        async def go() -> Course:
            async with cluster_of as started:
                expected = len(started.remotes) or options.machines or 1
                course = Course(
                    started.client, members, results, state, started.remotes,
                    again=options.again, expected=expected, patience=options.patience,
                )  # fmt: skip
                await course.go()
                return course

        try:
            course = asyncio.run(go())
        finally:
            answered = _answer(members, local)
        came, wanted = len(members.call.members), options.machines or 0
        if came < wanted:
            tell(f"{came} of {wanted} machines joined within {options.patience} s; wait longer with --patience")
    if not members.of(DONE):
        raise Problem("nothing was measured: see above why, and repeat", NOTHING)
    is_whole = came >= wanted and not members.of(LOST) and not course.unpushed
    return FINE if answered and is_whole else PARTIAL


def _cluster(options: argparse.Namespace) -> contextlib.AbstractAsyncContextManager[Cluster]:
    if options.hosts:
        ssh.command()
        program = ssh.check_program(options.remote_program)
        ports = Ports(options.port, options.worker_port)
        return cluster.over_ssh(hosts.read(options.hosts), program, options.address, ports)
    address = cluster.check_address(options.scheduler, options.without_tls)
    return cluster.standing(address, _security(address, options))


def _security(address: str, options: argparse.Namespace) -> Security | None:
    if address.startswith("tcp://"):
        return None
    return security.of_files(options.tls_ca_file, options.tls_cert, options.tls_key)


def _answer(members: Members, local: binary.Local) -> bool:
    """Prints what the fleet comes to, and what is missing; whether one cipher serves all."""
    done, lost = members.of(DONE), members.of(LOST)
    is_known = False
    if done:
        text, is_known = local.answer(
            {member.name: member.run or 0 for member in sorted(done, key=lambda member: member.name)}
        )
        print(text, end="", flush=True)
    binaries = members.binaries()
    if len(binaries) > 1:
        named = (f"{code(of[0])} on {_listed(of)}" for of in binaries.values())
        tell(f"The binaries differ, so these runs are not of the same code: {'; '.join(named)}.")
    if lost:
        tell(f"Lost, of {len(members.call.members)}: {_listed(lost)}. Repeat to measure them.")
    return is_known


def _listed(members: list[Member]) -> str:
    """Up to eight names."""
    names = [member.name for member in members[:8]]
    more = len(members) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def status(options: argparse.Namespace) -> int:
    """Prints how each scenario's last call stands."""
    state = State().read()
    if not state.is_locked():
        # Whoever measured them is gone.
        for call in state.calls.values():
            for member in call.members:
                if member.state in (PENDING, RUNNING):
                    member.state, member.reason = LOST, "the call ended before it; repeat it"
    if options.json:
        calls = [
            {"scenario": call.scenario, "began": call.began, "machines": [asdict(m) for m in call.members]}
            for call in state.calls.values()
        ]
        print(json.dumps({"schema": 1, "calls": calls}, indent=2))
        return FINE
    if not state.calls:
        print("No fleet was measured yet: `ciphermeter fleet run --hosts FILE`.")
    for call in reversed(state.calls.values()):
        print("\n".join(_lines(call)))
    return FINE


def _lines(call: Call) -> list[str]:
    counts = {
        wanted: sum(member.state == wanted for member in call.members) for wanted in (PENDING, RUNNING, DONE, LOST)
    }
    lines = [f"{call.scenario}, {call.began}: " + ", ".join(f"{count} {name}" for name, count in counts.items())]
    width = max((len(member.name) for member in call.members), default=0)
    for member in call.members:
        more = f"run {member.run}" if member.run is not None else ""
        words = [member.name.ljust(width), member.state.ljust(7), member.since, more, member.reason]
        lines.append("  " + "  ".join(word for word in words if word))
    return lines


def worker(options: argparse.Namespace) -> int:
    """Is one machine of a cluster."""
    if options.program:
        os.environ[binary.VARIABLE] = options.program
    if options.from_ssh:
        return serve(orders(), options.verbose)
    if not options.scheduler:
        raise Problem("which scheduler? Name its address: ciphermeter-fleet worker tls://HOST:8786")
    address = cluster.check_address(options.scheduler, options.without_tls)
    # Before it joins: a machine that cannot measure would only be lost.
    binary.find()
    joining = Joining(address, options.name, options.listen, options.port, _security(address, options))
    return serve(joining, options.verbose)


def certificate(options: argparse.Namespace) -> int:
    """Writes what the parts of a cluster need for TLS."""
    for file in security.write(options.folder):
        print(file)
    return FINE
