"""The providers as they are loaded: each process carries what its own provider needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from messages import Unsupported
from providers import KNOWN, load, study

WORKER = Path(__file__).resolve().parent.parent

CARRIED = {
    "pyca": {"calls", "cryptography"},
    "pycryptodome": {"calls", "Crypto"},
    "pynacl": {"calls", "nacl"},
    "study": {"transfer", "cryptography"},
}


@pytest.mark.parametrize("name", KNOWN)
def test_no_other_library_is_loaded(name):
    shown = "import json, sys, providers; providers.load([sys.argv[1]]); print(json.dumps(list(sys.modules)))"
    command = [sys.executable, "-c", shown, name]
    said = subprocess.run(command, cwd=WORKER, capture_output=True, text=True, check=True)
    assert set(json.loads(said.stdout)) & set().union(*CARRIED.values()) == CARRIED[name]


def test_why_a_provider_is_absent(monkeypatch):
    def refuse(why: BaseException):
        def offers() -> None:
            raise why

        monkeypatch.setattr(study, "offers", offers)
        return load(["study"])

    assert refuse(Unsupported("not on this system")) == ([], [("study", "not on this system")])
    kinds, absent = refuse(BaseException("panicked"))
    assert kinds == [] and "BaseException: panicked" in absent[0].why
