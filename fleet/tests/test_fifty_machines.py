"""Fifty machines at once, simulated: each worker plants the record of a machine of its own."""

from __future__ import annotations

import json

import pytest
from clusters import Cluster
from fleet import Fleet
from planted import Plants

MACHINES = 50

pytestmark = [pytest.mark.usefixtures("root"), pytest.mark.deep]


def test_fifty_machines_measure_once_each_and_the_slowest_decides(fleet: Fleet, plants: Plants):
    cluster = Cluster(fleet)
    cluster.start()
    stand_ins = [plants.stand_in(), plants.stand_in("-other")]
    names = [f"m{number}" for number in range(MACHINES)]
    for number, name in enumerate(names):
        # The last one has no AES instructions, and every tenth another binary.
        plant = plants.export(1 + number / 25, 20.0 if number == MACHINES - 1 else 1.0)
        cluster.join(name, plant, stand_ins[number % 10 == 9])
    said = fleet.run(*cluster.run("--machines", MACHINES))
    assert said.code == 0 and said.out.startswith(f"Use ChaCha20-Poly1305: the slowest of {MACHINES} machines"), said
    assert all(cluster.calls(name).read_text() == "run\n" for name in names)
    assert len(fleet.runs()) == MACHINES and len(said.out.splitlines()) > MACHINES
    members = json.loads(fleet.run("status", "--json").out)["calls"][-1]["machines"]
    assert sorted(member["run"] for member in members) == sorted(fleet.runs())
    binaries = next(line for line in said.err.splitlines() if line.startswith("The binaries differ"))
    assert "m9, m19, m29, m39, m49" in binaries or all(name in binaries for name in ("m9", "m19", "m29", "m39", "m49"))
    again = fleet.run(*cluster.run("--machines", MACHINES))
    assert again.code == 0 and again.err.count("done before") == MACHINES, again
    assert all(cluster.calls(name).read_text() == "run\n" for name in names)
