"""Three machines in namespaces, each with an sshd, measured by the real binary."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet import BINARY, PROGRAM, Ended, Fleet, until
from machines import Network

pytestmark = pytest.mark.usefixtures("root")


@pytest.fixture
def network(fleet: Fleet) -> Iterator[Network]:
    folder = fleet.home / "network"
    folder.mkdir()
    with Network(folder).running() as network:
        yield network


def words(fleet: Fleet, network: Network, scenario: Path) -> tuple[object, ...]:
    file = fleet.home / "hosts"
    file.write_text("".join(f"{name}\n" for name in network.machines))
    return ("run", scenario, "--hosts", file, "--remote-program", PROGRAM)


def machines(network: Network, binary: str = BINARY) -> None:
    for name in ("web1", "web2", "db1"):
        network.add(name, f"CIPHERMETER_PROGRAM={binary}").start()


def test_every_host_measures_once_and_the_answer_is_the_fleets(fleet: Fleet, network: Network):
    machines(network)
    command = words(fleet, network, fleet.tiny())
    said = fleet.run(*command, prefix=network.inside, **network.ssh())
    assert said.code in (0, 5) and "lost" not in said.err, said
    assert fleet.runs() == [1, 2, 3] and "GB/s" in said.out, said
    assert all(f"{name} " in said.out for name in network.machines), said
    assert {member["state"] for member in fleet.members().values()} == {"done"}
    assert len({member["machine"] for member in fleet.members().values()}) == 3
    # Nothing is left there: no worker, no measurement.
    for machine in network.machines.values():
        until("an end of all", lambda machine=machine: not machine.processes("ciphermeter"))
    again = fleet.run(*command, prefix=network.inside, **network.ssh())
    assert again.code == said.code and again.err.count("done before, run") == 3, again
    assert (fleet.runs(), again.out) == ([1, 2, 3], said.out), again
    status = fleet.run("status")
    assert "0 pending, 0 running, 3 done, 0 lost" in status.out, status


def test_killed_worker_is_named_and_only_its_machine_is_measured_again(fleet: Fleet, network: Network):
    machines(network)
    command = words(fleet, network, fleet.tiny("6s"))
    process = fleet.start(*command, prefix=network.inside, **network.ssh())
    until("a measurement on web2", lambda: fleet.is_running("web2"))
    network.machines["web2"].kill_worker()
    said = Ended(process)
    assert said.code == 5 and "web2: lost: " in said.err, said
    assert "Lost, of 3: web2. Repeat to measure them." in said.err, said
    assert len(fleet.runs()) == 2
    again = fleet.run(*command, prefix=network.inside, **network.ssh())
    assert again.err.count("done before") == 2 and "web2: measures" in again.err, again
    assert len(fleet.runs()) == 3 and "lost" not in again.err, again


def test_host_that_joins_late_is_measured_like_the_others(fleet: Fleet, network: Network):
    machines(network)
    gate = fleet.home / "gate"
    late = network.add("late", f"CIPHERMETER_PROGRAM={BINARY}")
    late.start(f"ForceCommand while [ ! -e {gate} ]; do sleep 0.1; done; exec $SSH_ORIGINAL_COMMAND")
    process = fleet.start(*words(fleet, network, fleet.tiny()), prefix=network.inside, **network.ssh())
    others = ("web1", "web2", "db1")
    until("the others", lambda: all(fleet.members().get(name, {}).get("state") == "done" for name in others))
    assert fleet.members()["late"]["state"] == "pending"
    gate.touch()
    said = Ended(process)
    assert "late: done, run 4" in said.err and "lost" not in said.err, said


def test_host_that_never_joins_is_lost(fleet: Fleet, network: Network):
    network.add("web1", f"CIPHERMETER_PROGRAM={BINARY}").start()
    network.add("hangs").start("ForceCommand sleep 1000")
    command = (*words(fleet, network, fleet.tiny()), "--patience", "40")
    said = fleet.run(*command, prefix=network.inside, **network.ssh())
    assert "hangs: lost: it did not join in time; give it longer with --patience" in said.err, said
    assert said.code == 5 and fleet.runs() == [1], said


def test_other_binary_is_named(fleet: Fleet, network: Network):
    other = fleet.home / "ciphermeter"
    other.write_bytes(Path(BINARY).read_bytes() + b"\n")
    other.chmod(0o755)
    machines(network)
    network.add("old", f"CIPHERMETER_PROGRAM={other}").start()
    said = fleet.run(*words(fleet, network, fleet.tiny()), prefix=network.inside, **network.ssh())
    assert "old" in said.err and "is another one than" in said.err, said
    last = next(line for line in said.err.splitlines() if line.startswith("The binaries differ"))
    assert " on old" in last and all(name in last for name in ("web1", "web2", "db1")), last
    assert len(fleet.runs()) == 4


def test_machines_with_one_id_are_measured_once(fleet: Fleet, network: Network):
    machines(network)
    (network.home / "web2/web2.machine-id").write_bytes((network.home / "web1/web1.machine-id").read_bytes())
    said = fleet.run(*words(fleet, network, fleet.tiny()), prefix=network.inside, **network.ssh())
    assert said.err.count("make one of its own with `systemd-machine-id-setup`") == 1, said
    assert len(fleet.runs()) == 2 and said.code == 5, said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_end_of_the_call_ends_every_worker(fleet: Fleet, network: Network, number: signal.Signals):
    machines(network)
    process = fleet.start(*words(fleet, network, fleet.tiny("60s")), prefix=network.inside, **network.ssh())
    until("a measurement", lambda: all(fleet.is_running(name) for name in network.machines))
    os.kill(process.pid, number)
    said = Ended(process)
    for machine in network.machines.values():
        until("an end of all", lambda machine=machine: not machine.processes("ciphermeter"))
    if number != signal.SIGKILL:
        assert said.code == 130 and "interrupted; what was measured is kept" in said.err.splitlines()[-1], said
    assert {member["state"] for member in fleet.members().values()} == {"lost"}, said
    assert fleet.runs() == []
