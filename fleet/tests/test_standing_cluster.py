"""Clusters that stand, with stand-ins for the binary: who measures, how often, and what is kept."""

from __future__ import annotations

import fcntl
import json

import pytest
from clusters import DASK, Cluster, interrupt
from fleet import LIMIT, Ended, Fleet, ended, until
from planted import Plants
from ports import free_port

pytestmark = pytest.mark.usefixtures("root")


@pytest.fixture
def cluster(fleet: Fleet) -> Cluster:
    cluster = Cluster(fleet)
    cluster.start()
    return cluster


def measured(cluster: Cluster, name: str) -> int:
    file = cluster.calls(name)
    return len(file.read_text().splitlines()) if file.exists() else 0


def test_slowest_machine_decides_for_all(fleet: Fleet, cluster: Cluster, plants: Plants):
    stand_in = plants.stand_in()
    for name, slower, aes_slower in (("web1", 1.0, 1.0), ("web2", 1.5, 1.0), ("router", 4.0, 20.0)):
        cluster.join(name, plants.export(slower, aes_slower), stand_in)
    said = fleet.run(*cluster.run("--machines", 3))
    assert said.code == 0 and said.out.startswith("Use ChaCha20-Poly1305: the slowest of 3 machines"), said
    assert "AES-256-GCM is faster on" in said.out, said
    assert all(measured(cluster, name) == 1 for name in ("web1", "web2", "router"))


def test_restarted_scheduler_loses_only_what_was_under_way(fleet: Fleet, cluster: Cluster, plants: Plants):
    gate, stand_in = fleet.home / "gate", plants.stand_in()
    exports = {name: plants.export() for name in ("quick", "slow")}
    workers = [
        cluster.join("quick", exports["quick"], stand_in),
        cluster.join("slow", exports["slow"], stand_in, str(gate)),
    ]
    process = fleet.start(*cluster.run("--machines", 2))
    until("one of two", lambda: {m["state"] for m in fleet.members().values()} == {"done", "running"})
    cluster.end()
    said = Ended(process)
    assert said.code == 5 and "slow: lost: the scheduler went away" in said.err, said
    assert "when it is back, repeat; only what is missing is measured" in said.err.splitlines()[-1], said
    for worker in workers:
        # It ends with its scheduler, and so does what it measured.
        worker.wait(LIMIT)
    gate.touch()
    cluster.start()
    for name, export in exports.items():
        cluster.join(name, export, stand_in)
    again = fleet.run(*cluster.run("--machines", 2))
    assert again.code == 0 and "quick: done before" in again.err, again
    assert (measured(cluster, "quick"), measured(cluster, "slow"), len(fleet.runs())) == (1, 2, 2), again


def test_worker_that_dies_is_named_and_its_task_given_to_no_other(fleet: Fleet, cluster: Cluster, plants: Plants):
    gate, stand_in = fleet.home / "gate", plants.stand_in()
    dies = cluster.join("dies", plants.export(), stand_in, str(gate))
    cluster.join("lives", plants.export(), stand_in)
    process = fleet.start(*cluster.run("--machines", 2))
    until("one of two", lambda: {m["state"] for m in fleet.members().values()} == {"done", "running"})
    ended(dies)
    said = Ended(process)
    gate.touch()
    assert said.code == 5 and "dies: lost: its worker " in said.err and len(fleet.runs()) == 1, said
    assert (measured(cluster, "dies"), measured(cluster, "lives")) == (1, 1)


def test_worker_that_follows_at_the_same_address_does_not_measure(fleet: Fleet, cluster: Cluster, plants: Plants):
    """Dask gives it the task of the one that died."""
    gate, stand_in, port = fleet.home / "gate", plants.stand_in(), free_port()
    plant = plants.export()
    dies = cluster.join("web1", plant, stand_in, str(gate), port=port)
    process = fleet.start(*cluster.run())
    until("a measurement", lambda: measured(cluster, "web1"))
    ended(dies)
    cluster.join("web1", plant, stand_in, str(gate), port=port)
    said = Ended(process)
    gate.touch()
    assert said.code == 4 and ": lost: " in said.err, said
    assert (measured(cluster, "web1"), fleet.runs()) == (1, [])


def test_call_that_is_interrupted_ends_what_measures_there(fleet: Fleet, cluster: Cluster, plants: Plants):
    gate, stand_in = fleet.home / "gate", plants.stand_in()
    cluster.join("web1", plants.export(), stand_in, str(gate))
    process = fleet.start(*cluster.run())
    until("a measurement", lambda: measured(cluster, "web1"))
    interrupt(process)
    assert Ended(process).code == 130
    # The worker stays, and measures again when it is asked again.
    gate.touch()
    again = fleet.run(*cluster.run())
    assert again.code == 0 and measured(cluster, "web1") == 2, again


def test_busy_host_is_waited_for(fleet: Fleet, cluster: Cluster, plants: Plants):
    """Two workers of two clusters on one machine: the lock of the host lets one measure at a time."""
    (fleet.home / "other").mkdir()
    other = Fleet(fleet.home / "other")
    gate, stand_in = fleet.home / "gate", plants.stand_in()
    with other.running():
        second = Cluster(other)
        second.start()
        first_plant, second_plant = plants.export(), plants.export()
        cluster.join("web1", first_plant, stand_in, str(gate))
        # The same /run: it is joined from within the first one's namespaces.
        until("the worker", lambda: cluster.inside("web1"))
        second.join("web1", second_plant, stand_in, inside=cluster.inside("web1"))
        process = fleet.start(*cluster.run())
        until("a measurement", lambda: measured(cluster, "web1"))
        later = other.start(*second.run())
        until("the other call", lambda: other.is_running("web1"))
        assert measured(second, "web1") == 0
        gate.touch()
        assert (Ended(process).code, Ended(later).code) == (0, 0)
        assert measured(second, "web1") == 1


def test_export_that_the_store_refuses_is_lost_with_the_reason(fleet: Fleet, cluster: Cluster, plants: Plants):
    export = plants.export()
    document = json.loads(export.read_text())
    document["records"][0]["cell"] = "another"
    export.write_text(json.dumps({**document, "schema": 99}))
    cluster.join("liar", export, plants.stand_in())
    said = fleet.run(*cluster.run())
    assert said.code == 4 and "liar: lost: cannot import standard input" in said.err, said
    assert fleet.runs() == []


def test_machine_that_sends_the_run_of_another_is_lost_alone(fleet: Fleet, cluster: Cluster, plants: Plants):
    plant = plants.export()
    for name in ("web1", "web2"):
        cluster.join(name, plant, plants.stand_in())
    said = fleet.run(*cluster.run("--machines", 2))
    assert said.code == 5 and "lost: it sent the run of web" in said.err and "GB/s" in said.out, said
    # It is not taken as done: the next call asks it for a run of its own.
    plant.write_bytes(plants.export(2.0).read_bytes())
    again = fleet.run(*cluster.run("--machines", 2))
    assert again.code == 0 and again.err.count("done before") == 1 and len(fleet.runs()) == 2, again


def test_busy_store_keeps_the_run_for_the_next_call(fleet: Fleet, cluster: Cluster, plants: Plants):
    cluster.join("web1", plants.export(), plants.stand_in())
    folder = fleet.home / "data/ciphermeter"
    folder.mkdir(mode=0o700)
    with (folder / "runs.db.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = fleet.run(*cluster.run())
    assert said.code == 4 and "the run is kept, and the same command takes it in" in said.err, said
    again = fleet.run(*cluster.run())
    assert again.code == 0 and (len(fleet.runs()), measured(cluster, "web1")) == (1, 1), again


def test_worker_of_plain_dask_is_refused_with_the_remedy(fleet: Fleet, cluster: Cluster, plants: Plants):
    fleet.process([DASK, "worker", cluster.address, "--nthreads", "2", "--no-dashboard", *cluster.tls])
    said = fleet.run(*cluster.run("--patience", "60"))
    assert (
        "its worker has 2 threads, and a measurement is to be alone; start it with `ciphermeter-fleet worker`"
        in said.err
    )
    assert said.code == 4 and fleet.runs() == [], said


def test_machine_is_measured_again_when_asked_or_when_its_run_is_gone(fleet: Fleet, cluster: Cluster, plants: Plants):
    export = plants.export()
    cluster.join("web1", export, plants.stand_in())
    assert fleet.run(*cluster.run()).code == 0
    assert fleet.run(*cluster.run("--again")).code == 0 and measured(cluster, "web1") == 2
    (fleet.home / "data/ciphermeter/runs.db").unlink()
    assert fleet.run(*cluster.run()).code == 0 and measured(cluster, "web1") == 3


def test_second_call_at_once_is_refused(fleet: Fleet, cluster: Cluster, plants: Plants):
    gate = fleet.home / "gate"
    cluster.join("web1", plants.export(), plants.stand_in(), str(gate))
    process = fleet.start(*cluster.run())
    until("a measurement", lambda: measured(cluster, "web1"))
    fleet.refuses(*cluster.run(), says=["another `ciphermeter fleet run` is under way: wait for it"])
    gate.touch()
    assert Ended(process).code == 0
