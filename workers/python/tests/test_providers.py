"""The providers as they are loaded: each process carries what its own provider needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from messages import Unsupported
from providers import KNOWN, load, pyca

WORKER = Path(__file__).resolve().parent.parent

CARRIED = {
    "pyca": {"calls", "cryptography"},
    "pycryptodome": {"calls", "Crypto"},
    "pynacl": {"calls", "nacl"},
    "study": {"transfer", "process", "cryptography"},
}


@pytest.mark.parametrize("name", KNOWN)
def test_no_other_library_is_loaded(name):
    shown = "import json, sys, providers; providers.load([sys.argv[1]]); print(json.dumps(list(sys.modules)))"
    command = [sys.executable, "-c", shown, name]
    said = subprocess.run(command, cwd=WORKER, capture_output=True, text=True, check=True)
    assert set(json.loads(said.stdout)) & set().union(*CARRIED.values()) == CARRIED[name]


@pytest.mark.parametrize("name", [name for name in KNOWN if "calls" in CARRIED[name]])
def test_sizes_are_those_of_the_table(name):
    table = json.loads((WORKER / "../../conformance/algorithms.json").read_text())
    sizes = {row["algorithm"]: [row["key"], row["nonce"]] for row in table}
    shown = "import json, providers.{0} as p; print(json.dumps([[o.algorithm, o.key, o.nonce] for o in p.offers()]))"
    command = [sys.executable, "-c", shown.format(name)]
    said = subprocess.run(command, cwd=WORKER, capture_output=True, text=True, check=True)
    offers = json.loads(said.stdout)
    assert offers
    for algorithm, *own in offers:
        assert own == sizes[algorithm], algorithm


def test_why_a_provider_is_absent(monkeypatch):
    def refuse(why: BaseException):
        def offers() -> None:
            raise why

        monkeypatch.setattr(pyca, "offers", offers)
        return load(["pyca"])

    assert refuse(Unsupported("not on this system")) == ([], [("pyca", "not on this system")])
    kinds, absent = refuse(BaseException("panicked"))
    assert kinds == [] and "BaseException: panicked" in absent[0].why
