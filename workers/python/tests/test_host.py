"""Answers that are the same for all kinds of measurement."""

from __future__ import annotations

import io
import json

import pytest
from conftest import MOVED, OFFERS, STARTED

from host import Host
from messages import MAX_LINE
from worker import serve

GCM = next(offer for offer in OFFERS if offer.algorithm == "aes-256-gcm")


@pytest.mark.parametrize("transfers", [False, True], ids=["calls", "transfers"])
def test_refusals_are_answered(ask, transfers):
    request = ask.prepare_transfer(64) if transfers else ask.prepare(GCM, "seal", "fresh", 64)
    right = {**request, "cell": 2}
    for kind, asked in [
        ("error", {"do": "fly"}),
        ("error", {"do": "sample", "cell": 9, "iterations": 1}),
        ("error", {"do": "sample", "cell": 1, "iterations": 0}),
        ("error", {"do": "sample", "cell": 1, "iterations": 2**32}),
        ("error", {"do": "latency", "cell": 1, "count": 4001}),
        ("error", {"do": "latency", "cell": 3, "count": 1}),
        ("error", {"do": "digest", "cell": 1}),
        ("error", {"do": "release", "cell": 2**32}),
        ("error", {"do": "memory", "reset": 2}),
        ("error", {**right, "offset": 100}),
        ("error", {**right, "message": 2**30 + 1}),
        ("error", {**right, "cell": 1}),
        ("error", {**right, "threads": 0}),
        ("unsupported", {**right, "threads": 2}),
        ("unsupported", {**right, "threads": 2**53 - 1}),
        ("unsupported", {**right, "algorithm": "xor"}),
        ("unsupported", {**right, "provider": "other"}),
        ("unsupported", {**right, "operation": "encrypt"}),
        ("unsupported", {**right, "form": "sideways"}),
        ("ready", right),
        ("released", {"do": "release", "cell": 2}),
    ]:
        ask(kind, **asked)


def test_too_many_cells(ask, monkeypatch):
    request = ask.prepare(GCM, "seal", "fresh", 64)
    monkeypatch.setattr(ask.calls, "most_cells", 1, raising=False)
    assert "release some" in ask("error", **{**request, "cell": 2})["why"]


def test_describe(ask):
    said = [json.loads(text) for text in ask.host.answer(b'{"do":"describe"}').splitlines()]
    offers = [each for each in said if each["is"] == "offer"]
    assert [said[0]["worker"], said[-1]["is"]] == ["python", "end"]
    assert len(offers) == len(OFFERS) + len(MOVED) + len(STARTED)
    for offer in offers:
        inside = offer.get("setup") == "inside" or offer["operations"] == "transfer"
        assert ("key-setup" in offer["operations"]) != inside


def test_the_clock(ask):
    said = ask("clock", do="clock")
    assert said["step_ns"] > 0 and said["call_ns"] > 0 and 0 <= said["loop_ns"] < 1000


def test_the_longest_line():
    fits = b'{"do":"memory","x":"' + b"x" * (MAX_LINE - 23) + b'"}\n'
    assert len(fits) == MAX_LINE
    lines = [b"\n \r\n", fits, b" " + fits, b"y" * (3 * MAX_LINE) + b"\n", b'{"do":"memory"}']
    replies = io.BytesIO()
    serve(io.BytesIO(b"".join(lines)), replies, Host([], []))
    kinds = [json.loads(reply)["is"] for reply in replies.getvalue().splitlines()]
    assert kinds == ["memory", "error", "error", "memory"]
