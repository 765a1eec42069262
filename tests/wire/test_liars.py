"""Our sender refuses the second implementation's receiver where that lies."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

import wire
from receiver import Receiver
from wire import RATES, Broken

OTHERS = [{"suite": "aes-256-gcm", "seal": 10, "open": 10}, {"suite": "chacha20-poly1305", "seal": 10, "open": 10}]


class Liar(Receiver):
    """Says what a test wants instead of what is so."""

    in_welcome, after_offer, at_last = {}, [], []

    def welcome(self, hello: dict) -> dict:
        return {**super().welcome(hello), **self.in_welcome}

    def hear_offer(self, control: wire.Control) -> None:
        super().hear_offer(control)
        for kind, message in self.after_offer:
            control.say(kind, **message)
        if self.after_offer:
            control.say("ready")
            control.hear()

    def place(self, control: wire.Control) -> None:
        control.say("authenticated", files=len(self.files))
        for kind, message in self.at_last:
            control.say(kind, **message)
        control.hear("bye")


def refused(ours, liar: Receiver, why: str) -> None:
    """Our sender ends the transfer, and says why."""
    file = ours.home / "file"
    file.write_bytes(b"three words here")
    process = ours.send(liar.ticket, "--patience", "2s", "--streams", "2", file)
    with pytest.raises(Broken):
        liar.receive()
    assert why in ours.refuses(process)


WELCOMES = {
    "suite that the rates don't come to": ({"suites": OTHERS, "suite": "chacha20-poly1305"}, "suite"),
    "no such suite": ({"suite": "rot13"}, "rot13"),
    "no common suite": ({"suites": []}, "suite"),
    "too many streams": ({"streams": 3}, "not requested"),
    "no streams": ({"streams": 0}, "not requested"),
    "a short transfer": ({"transfer": "00"}, ""),
    "another wire": ({"wire": 4}, ""),
    "three suites": ({"suites": [*RATES, RATES[0]]}, "suite"),
    "a suite twice": ({"suites": [RATES[0], RATES[0]]}, "suite"),
    "a long line": ({"why": "x" * 65_536}, "longer than a line"),
}


@pytest.mark.parametrize("lie", WELCOMES)
def test_our_sender_refuses_a_welcome(ours, lie):
    liar = Liar(ours.into)
    liar.in_welcome, why = WELCOMES[lie]
    refused(ours, liar, why)


HAVES = {
    "beyond the end": {"file": 0, "offset": 16, "length": 1},
    "far beyond the end": {"file": 0, "offset": 2**64 - 1, "length": 2},
    "no such file": {"file": 1, "offset": 0, "length": 1},
    "below": {"file": 0, "offset": -1, "length": 1},
    "nothing": {"file": 0, "offset": 0, "length": 0},
}


@pytest.mark.parametrize("lie", HAVES)
def test_our_sender_refuses_a_have(ours, lie):
    liar = Liar(ours.into)
    liar.after_offer = [("have", HAVES[lie])]
    refused(ours, liar, "" if lie == "below" else "lists a range that no file has")


def test_our_sender_refuses_ranges_that_overlap(ours):
    liar = Liar(ours.into)
    liar.after_offer = [("have", {"file": 0, "offset": at, "length": 8}) for at in (0, 7)]
    refused(ours, liar, "lists a range that no file has")


def test_our_sender_refuses_an_unknown_message(ours):
    liar = Liar(ours.into)
    liar.after_offer = [("perhaps", {})]
    refused(ours, liar, "perhaps")


FAILED = {"file": 0, "why": "exists"}
LASTS = {
    "failed twice": [("failed", FAILED), ("failed", FAILED), ("durable", {"files": 0})],
    "failed and no file": [("failed", {**FAILED, "file": 1}), ("durable", {"files": 1})],
}


@pytest.mark.parametrize("lie", LASTS)
def test_our_sender_refuses_receipts(ours, lie):
    liar = Liar(ours.into)
    liar.at_last = LASTS[lie]
    refused(ours, liar, "")


def test_our_sender_tells_another_key_nothing(ours):
    liar = Liar(ours.into)
    liar.key = ec.generate_private_key(ec.SECP256R1())
    refused(ours, liar, "has a different key than the ticket")


def test_our_sender_wants_the_protocol(ours):
    liar = Liar(ours.into)
    liar.alpn = b"http/1.1"
    refused(ours, liar, "version")
