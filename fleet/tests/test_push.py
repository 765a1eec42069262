"""Runs of a fleet on a team's server."""

from __future__ import annotations

import json
import os
import urllib.request
from pathlib import Path

import pytest
from clusters import Cluster
from fleet import BINARY, Fleet, until
from planted import Plants

pytestmark = pytest.mark.usefixtures("root")


@pytest.fixture
def path() -> str:
    """PATH with the server's program in it."""
    built = Path(BINARY).parents[1] / "serve" / "release" / "ciphermeter-serve"
    for program in (Path(BINARY).with_name("ciphermeter-serve"), built):
        if program.exists():
            return f"{program.parent}:{os.environ['PATH']}"
    pytest.skip("there is no ciphermeter-serve; build it with make serve")


def test_every_run_reaches_the_server_under_its_machines_name(fleet: Fleet, plants: Plants, path: str):
    database = f"sqlite:{fleet.home}/team.db"
    out = fleet.home / "serve.log"
    words = ["sh", "-c", 'exec "$@" >"$0" 2>&1', out, "ciphermeter-serve", "serve", "--listen", "127.0.0.1:0"]
    fleet.process([*words, "--database", database], PATH=path, XDG_DATA_HOME=str(fleet.home / "server"))
    url = until(
        "the server", lambda: [w for w in out.read_text().split() if w.startswith("http://")] if out.exists() else []
    )[0]
    cluster = Cluster(fleet)
    cluster.start()
    for name, slower in (("web1", 1.0), ("web2", 2.0)):
        cluster.join(name, plants.export(slower), plants.stand_in())
    said = fleet.run(*cluster.run("--machines", 2, "--push", url), PATH=path)
    assert said.code == 0 and "not pushed" not in said.err, said
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{url}/api/machines") as answer:
        served = json.load(answer)
    assert {machine["machine"] for machine in served["machines"]} == {"web1", "web2"}
    # The same code decides here and there.
    assert " ".join(served["sentences"][0].split()) in " ".join(said.out.split())


def test_run_waits_in_the_queue_while_the_server_is_away(fleet: Fleet, plants: Plants, path: str):
    cluster = Cluster(fleet)
    cluster.start()
    cluster.join("web1", plants.export(), plants.stand_in())
    said = fleet.run(*cluster.run("--push", "http://127.0.0.1:1"), PATH=path)
    assert said.code == 5 and "web1: not pushed yet: 1 run waits in " in said.err, said
    assert len(fleet.runs()) == 1 and fleet.members()["web1"]["state"] == "done"
