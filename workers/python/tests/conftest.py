"""What the tests share: a host of all providers, asked through Python, and every way in which it can be asked
for calls. Files of transfers lie in the test's own folder."""

from __future__ import annotations

import json
import tempfile

import pytest

import facts
from calls.calls import Calls
from calls.offers import Offer
from host import Host
from process.processes import Processes
from providers import KNOWN, load
from transfer.transfers import Transfers

pytest_plugins = ["hangs"]
MIB = 2**20

KINDS, ABSENT = load(list(KNOWN))
OFFERS = [offer for kind in KINDS if isinstance(kind, Calls) for offer in kind.offers]
MOVED = [offer for kind in KINDS if isinstance(kind, Transfers) for offer in kind.offers]
STARTED = [offer for kind in KINDS if isinstance(kind, Processes) for offer in kind.offers]

WAYS = [(offer, operation, form) for offer in OFFERS for operation in offer.operations for form in offer.forms]


def name_of(way: tuple[Offer, str, str]) -> str:
    offer, operation, form = way
    return f"{offer.provider}/{offer.algorithm}/{operation}/{form}"


@pytest.fixture(params=WAYS, ids=name_of)
def way(request):
    return request.param


class Asked:
    def __init__(self) -> None:
        self.calls = Calls(OFFERS)
        self.transfers = Transfers(MOVED)
        self.host = Host([self.calls, self.transfers, Processes(STARTED)], ABSENT)

    def __call__(self, kind: str, **request: object) -> dict:
        """Sends one request and expects an answer of one kind."""
        answer = json.loads(self.host.answer(json.dumps(request).encode()))
        assert answer["is"] == kind, f"{request} answered {answer}"
        return answer

    def prepare(self, offer: Offer, operation: str, form: str, message: int) -> dict:
        """Prepares cell 1 as one of calls and returns the request; a message becomes the sector that it fits into."""
        if offer.sectors:
            message = max(1, -(-message // 16)) * 16
        about = {"provider": offer.provider, "algorithm": offer.algorithm, "operation": operation, "form": form}
        request = {"do": "prepare", "cell": 1, **about, "message": message, "aad": 13, "seed": 42, "offset": 192}
        self("ready", **request)
        return request

    def prepare_transfer(self, message: int, algorithm: str = "aes-256-gcm", form: str = "discard") -> dict:
        """The same as one of transfers."""
        about = {"provider": "study", "algorithm": algorithm, "operation": "transfer", "form": form}
        request = {"do": "prepare", "cell": 1, **about, "message": message, "threads": 1, "seed": 42}
        self("ready", **request)
        return request

    def prepare_process(self, algorithm: str, operation: str, message: int, aad: int = 0) -> dict:
        """The same as one of calls in processes of their own."""
        about = {"provider": "study", "algorithm": algorithm, "operation": operation, "form": "process"}
        request = {"do": "prepare", "cell": 1, **about, "message": message, "aad": aad, "threads": 1, "seed": 42}
        self("ready", **request)
        return request

    def sample(self, kind: str = "sample", **more: int) -> dict:
        return self(kind, do="sample", cell=1, **{"iterations": 1, **more})

    def digest(self, **request: int) -> str:
        return self("digest", do="digest", cell=1, **request)["sha256"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where cells put their folders."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def ask(folder):
    facts.TRACED.peak = None
    asked = Asked()
    yield asked
    asked.host.close()
    assert list(folder.iterdir()) == []
