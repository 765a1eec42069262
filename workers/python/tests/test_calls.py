"""Calls of every library, as a host is asked for them."""

from __future__ import annotations

import gc

import pytest
from conftest import OFFERS

from calls.offers import Call
from stream import stream

GCM = next(offer for offer in OFFERS if offer.algorithm == "aes-256-gcm")


@pytest.mark.parametrize("message", [0, 1, 15, 16, 17, 255, 4097])
def test_left_is_what_is_made_anew(ask, way, message):
    """The output that samples leave has the same digest as recomputed output, chains included."""
    ask.prepare(*way, message)
    ask("sample", do="sample", cell=1, iterations=2)
    sample = ask("sample", do="sample", cell=1, warmup_ns=5000, iterations=3)
    assert sample["first"] == 3 and sample["last"] >= 6
    if way[1] == "key-setup":
        ask("unsupported", do="digest", cell=1, iteration=1)
        return
    which = {"first": sample["first"], "iteration": sample["last"]}
    ask.digest(iteration=0)
    assert ask.calls.bench.left is not None, "a digest made anew leaves what a sample left alone"
    left = ask.digest(**which)
    ask("latency", do="latency", cell=1, count=2)
    assert ask.calls.bench.left is None
    assert ask.digest(**which) == left
    ask("released", do="release", cell=1)
    assert len(ask.calls.bench.arena.memory) == 0


def test_skipped_calls_show(ask, way):
    """A call that did nothing must be detected, though an earlier sample did the same work in the same buffers."""
    offer, operation, form = way
    if operation == "key-setup" or form == "fresh":
        pytest.skip("nothing is left in a buffer of the worker's")
    ask.prepare(*way, 64)
    right = ask.digest(iteration=1)
    ask("sample", do="sample", cell=1, iterations=1)
    nothing = Call("out = tag = b''", offer.calls[way[1:]].output)
    broken = offer._replace(calls={**offer.calls, way[1:]: nothing})
    ask.host.cells[1].cell.offer = broken
    ask("sample", do="sample", cell=1, iterations=1)
    assert ask.digest(first=2, iteration=2) != right


def test_check_round_trips_and_rejects(ask, way):
    offer, operation, form = way
    inverse = {"seal": "open", "encrypt": "decrypt"}.get(operation)
    if inverse is None:
        pytest.skip("the inverse is tried with its operation")
    key, nonce = stream("key", 1, offer.key).hex(), stream("nonce", 1, offer.nonce).hex()
    about = {"do": "check", "provider": offer.provider, "algorithm": offer.algorithm, "form": form, "aad": "0a"}
    sealing = {**about, "operation": operation, "key": key, "nonce": nonce}
    opening = {**sealing, "operation": inverse}
    text = "00112233" * 4
    sealed = ask("output", **sealing, input=text)["output"]
    assert ask("output", **opening, input=sealed)["output"] == text
    ask("unsupported", **{**sealing, "key": key[2:]}, input="")
    if not offer.nonces:
        ask("unsupported", **{**sealing, "nonce": nonce[2:] or "00"}, input="")
    ask("error", **sealing, input="00" * (2**14 + 1))
    if offer.tag:
        flipped = f"{int(sealed[0], 16) ^ 1:x}{sealed[1:]}"
        for forged in [flipped, sealed[:-2], sealed + "00", sealed[: 2 * offer.tag.size - 2], ""]:
            ask("rejected", **opening, input=forged)
        ask("rejected", **{**opening, "aad": "0a0a"}, input=sealed)
    if offer.algorithm == "aes-256-cbc":
        ask("rejected", **opening, input=sealed[:30])
        ask("rejected", **opening, input="")


@pytest.mark.parametrize("raised", [MemoryError(), OSError("no memory"), BaseException("panicked")], ids=repr)
def test_a_failing_library_is_answered(ask, raised):
    def fail(*_):
        raise raised

    ask.prepare(GCM, "seal", "fresh", 64)
    ask.host.cells[1].cell.offer = GCM._replace(calls={("seal", "fresh"): Call("out = box(source)", "out")})
    ask.host.cells[1].cell.names[0]["box"] = fail
    ask("error", do="sample", cell=1, iterations=1)
    ask("memory", do="memory")


def test_too_large_for_the_free_memory(ask, monkeypatch):
    monkeypatch.setattr("facts.free_memory", lambda: 2**30)
    request = {"provider": GCM.provider, "algorithm": GCM.algorithm, "operation": "seal", "form": "fresh", "seed": 1}
    ask("ready", do="prepare", cell=1, message=2**20, **request)
    ask("unsupported", do="prepare", cell=2, message=2**29, **request)
    monkeypatch.setattr("facts.room_left", lambda: 2**20)
    assert "ulimit -v" in ask("unsupported", do="prepare", cell=2, message=2**20, **request)["why"]


def test_latency_warms_up(ask):
    ask.prepare(GCM, "seal", "fresh", 64)
    ask("latency", do="latency", cell=1, count=2, warmup_ns=0)
    assert ask("sample", do="sample", cell=1, iterations=1)["first"] == 3
    assert len(ask("latency", do="latency", cell=1, count=2, warmup_ns=1_000_000)["ns"]) == 2
    assert ask("sample", do="sample", cell=1, iterations=1)["first"] >= 7


# The library works on its own copies.
COPIED = [("pycryptodome", name) for name in ("aes-256-siv", "aes-128-ccm", "aes-256-ccm")]


def test_outputs_of_the_libraries_are_counted(ask, way):
    """The memory counter includes what a library returns, and none of the worker's buffers."""
    offer, operation, form = way
    if operation == "key-setup" or form == "in-place":
        pytest.skip("nothing of the message's size is allocated")
    size = 2**20
    ask.prepare(*way, size)
    ask("sample", do="sample", cell=1, iterations=1)
    ask("memory", do="memory", reset=1)
    try:
        gc.collect()
        ask("memory", do="memory", reset=1)
        before = ask("memory", do="memory")["heap"]
        ask("sample", do="sample", cell=1, iterations=3)
        grew = ask("memory", do="memory")["peak_heap"] - before
    finally:
        ask.host.memory.counter.stop()
    if form == "fresh":
        assert grew >= size
    elif operation in ("seal", "encrypt") and (offer.provider, offer.algorithm) not in COPIED:
        assert grew < size
