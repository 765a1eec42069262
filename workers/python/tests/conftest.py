"""What the tests share: a host of all providers, and every way in which it can be asked to do something."""

from __future__ import annotations

import json

import pytest

from calls.calls import Calls
from calls.offers import Offer
from host import Host
from providers import KNOWN, load

KINDS, ABSENT = load(KNOWN)
OFFERS = [offer for kind in KINDS for offer in kind.offers]

WAYS = [(offer, operation, form) for offer in OFFERS for operation in offer.operations for form in offer.forms]


def name_of(way: tuple[Offer, str, str]) -> str:
    offer, operation, form = way
    return f"{offer.provider}/{offer.algorithm}/{operation}/{form}"


@pytest.fixture(params=WAYS, ids=name_of)
def way(request):
    return request.param


class Asked:
    """A host that is asked in Python's words."""

    def __init__(self) -> None:
        self.host = Host([Calls(OFFERS)], ABSENT)

    def __call__(self, kind: str, **request: object) -> dict:
        """Sends one request and wants an answer of one kind."""
        answer = json.loads(self.host.answer(json.dumps(request).encode()))
        assert answer["is"] == kind, f"{request} answered {answer}"
        return answer

    def prepare(self, offer: Offer, operation: str, form: str, message: int) -> None:
        about = {"provider": offer.provider, "algorithm": offer.algorithm, "operation": operation, "form": form}
        self("ready", do="prepare", cell=1, message=message, aad=13, seed=42, offset=192, **about)

    def digest(self, **request: int) -> str:
        return self("digest", do="digest", cell=1, **request)["sha256"]


@pytest.fixture
def ask():
    return Asked()
