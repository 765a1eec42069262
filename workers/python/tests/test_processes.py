"""Calls in processes of their own, as a host is asked for them."""

from __future__ import annotations

from hashlib import sha256

import pytest
from conftest import MIB
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from process import cell
from process.child import OPERATIONS
from stream import stream

WAYS = [(algorithm, operation) for algorithm, both in OPERATIONS.items() for operation in both]


def expected(algorithm: str, operation: str, message: int, iteration: int, aad: int = 0) -> str:
    """What a call leaves, by the library alone."""
    data, key = stream("message", 42, message), stream("key", 42, 32)
    if operation in ("open", "decrypt"):
        return sha256(data).hexdigest()
    nonce = iteration.to_bytes(8, "big") + stream("nonce", 42, 16 if algorithm == "aes-256-cbc" else 12)[8:]
    if algorithm == "chacha20-poly1305":
        return sha256(ChaCha20Poly1305(key).encrypt(nonce, data, stream("aad", 42, aad))).hexdigest()
    padder, context = padding.PKCS7(128).padder(), Cipher(algorithms.AES(key), modes.CBC(nonce)).encryptor()
    padded = padder.update(data) + padder.finalize()
    return sha256(context.update(padded) + context.finalize()).hexdigest()


@pytest.mark.parametrize("way", WAYS, ids="/".join)
@pytest.mark.parametrize("message", [0, 1, 16, 1023, 1025])
def test_a_sample_leaves_what_is_made_anew(ask, way, message):
    ask.prepare_process(*way, message, aad=13)
    assert ask.digest(iteration=7) == expected(*way, message, 7, 13)
    last = ask.sample(iterations=2)["last"]
    assert ask.digest(first=1, iteration=last) == expected(*way, message, last, 13)
    assert ask.digest(iteration=1) == expected(*way, message, 1, 13)


def test_the_digest_of_a_sample_is_what_its_process_said(ask, monkeypatch):
    ask.prepare_process("aes-256-cbc", "encrypt", 64)
    monkeypatch.setattr(cell.Cell, "call", lambda *_: {"ns": 5, "peak": 0, "sha256": "0" * 64})
    assert ask.sample()["ns"] == 5
    assert ask.digest(iteration=1) == "0" * 64
    assert ask.digest(iteration=0) == expected("aes-256-cbc", "encrypt", 64, 0)


def test_calls_add_up_and_none_warms_up(ask, monkeypatch):
    ask.prepare_process("chacha20-poly1305", "seal", 64)
    told = iter([3, 4, 5, 6])
    monkeypatch.setattr(cell.Cell, "call", lambda *_: {"ns": next(told), "peak": 0, "sha256": ""})
    first = ask.sample(iterations=1, warmup_ns=10**9)
    assert (first["ns"], first["first"], first["last"]) == (3, 1, 1)
    second = ask.sample(iterations=3)
    assert (second["ns"], second["first"], second["last"]) == (15, 2, 4)


@pytest.mark.parametrize(
    ("message", "aes", "chacha"), [(100 << 10, 0.392, 0.196), (MIB, 4.001, 2.0), (5 * MIB, 20.001, 10.0)]
)
def test_memory_is_that_of_the_paper(ask, message, aes, chacha):
    """To the third digit in MiB: of four copies with AES, two with ChaCha20, whatever the operation."""
    for (algorithm, operation), peak in zip(WAYS, [aes, aes, chacha, chacha]):
        ask.prepare_process(algorithm, operation, message)
        ask("memory", do="memory", reset=1)
        ask.sample()
        told = ask("memory", do="memory")
        assert (round(told["peak_heap"] / MIB, 3), told["heap"], told["rss"]) == (peak, 0, None)
        ask("released", do="release", cell=1)
    ask.host.memory.counter.stop()


def test_the_first_file_of_a_process_has_the_library_loaded_while_memory_is_counted(ask):
    peaks = []
    for algorithm, operation in [("aes-256-cbc", "encrypt"), ("chacha20-poly1305", "seal")]:
        ask.prepare_process(algorithm, operation, 1024)
        assert ask("memory", do="memory")["peak_heap"] is None
        ask("memory", do="memory", reset=1)
        ask.sample()
        peaks.append(ask("memory", do="memory")["peak_heap"] / MIB)
        ask.host.memory.counter.stop()
        ask.host.memory.counter = None
        ask("released", do="release", cell=1)
    assert 0.3 < peaks[0] < 1 and round(peaks[1], 3) == 0.002


@pytest.mark.parametrize("way", WAYS, ids="/".join)
def test_check_round_trips_and_rejects(ask, way):
    algorithm, operation = way
    if operation in ("open", "decrypt"):
        pytest.skip("the inverse is tried with its operation")
    nonce = "02" * (16 if algorithm == "aes-256-cbc" else 12)
    about = {"do": "check", "provider": "study", "algorithm": algorithm, "form": "process", "key": "01" * 32}
    sealing = {**about, "operation": operation, "nonce": nonce}
    opening = {**sealing, "operation": OPERATIONS[algorithm][1]}
    sealed = ask("output", **sealing, input="00112233", aad="0a")["output"]
    assert ask("output", **opening, input=sealed, aad="0a")["output"] == "00112233"
    for forged in [sealed[:-2], "", sealed[:30]]:
        ask("rejected", **opening, input=forged, aad="0a")
    ask("unsupported", **{**sealing, "key": "01" * 16}, input="")
    ask("unsupported", **{**sealing, "nonce": nonce[2:]}, input="")


def test_what_it_lacks_is_refused(ask):
    request = ask.prepare_process("aes-256-cbc", "encrypt", 64)
    ask("unsupported", do="latency", cell=1, count=1)
    for more in [{"form": "fresh"}, {"operation": "transfer"}, {"texts": 2, "keys": 2}, {"threads": 2}]:
        ask("unsupported", **{**request, "cell": 2, **more})


def test_a_process_that_fails_is_answered(ask, tmp_path, monkeypatch):
    ask.prepare_process("aes-256-cbc", "encrypt", 64)
    with monkeypatch.context() as change:
        change.setattr(cell, "WORKER", tmp_path)
        assert "the process of call 1 failed: " in ask.sample("error")["why"]
    assert ask.sample()["first"] == 2
