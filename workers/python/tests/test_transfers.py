"""Transfers, as requested from a host."""

from __future__ import annotations

import socket
import tempfile
import threading
import time
from hashlib import sha256
from pathlib import Path

import pytest
from conftest import MIB

import facts
from stream import stream
from transfer import monitor
from transfer.cell import Cell
from transfer.receiver import RECEIVED
from transfer.scheme import BOXES, Cipher
from transfer.transfers import Offer

SIZES = [0, 1, 65535, 65536, 65537, MIB - 1, MIB, MIB + 1, 3 * MIB + 5]

TIMES = ["ns", "cpu_ns", "handshake_ns", "seal_ns", "open_ns", "peer_cpu_ns", "peak_rss", "peer_peak_rss"]
SERIES = ["series_cpu", "series_rss", "series_peer_cpu", "series_peer_rss"]


def expected(size: int) -> str:
    return sha256(stream("message", 42, size)).hexdigest()


@pytest.mark.parametrize("algorithm", BOXES)
@pytest.mark.parametrize("form", Offer.forms)
def test_digests(ask, algorithm, form):
    for size in SIZES:
        ask.prepare_transfer(size, algorithm, form)
        assert ask.digest(iteration=0) == expected(size)
        last = ask.sample()["last"]
        assert ask.digest(iteration=last, first=last) == expected(size)
        assert ask.digest(iteration=last) == expected(size)
        assert ask.digest(iteration=12345678901) == expected(size)
        ask("released", do="release", cell=1)


def test_the_digest_of_a_sample_is_of_the_very_file(ask):
    ask.prepare_transfer(1000, form="file")
    last = ask.sample(iterations=2)["last"]
    file = ask.host.cells[1].folder / RECEIVED
    assert file.read_bytes() == stream("message", 42, 1000)
    file.write_bytes(b"something else")
    assert ask.digest(iteration=last) == sha256(b"something else").hexdigest()
    assert ask.digest(iteration=last - 1) == expected(1000)
    assert ask.digest(iteration=last) != expected(1000), "a digest made anew leaves what a sample left alone"
    assert ask.digest(iteration=ask.sample()["last"]) == expected(1000)


def test_what_a_sample_says(ask, monkeypatch):
    monkeypatch.setattr(monitor, "PERIOD", 3600)
    ask.prepare_transfer(MIB, form="file")
    assert ask.sample(iterations=2)["last"] == 2
    asked = time.monotonic_ns()
    sample = ask.sample(iterations=3, warmup_ns=20_000_000)
    answered = time.monotonic_ns()
    assert sample["first"] == 3 and sample["last"] >= 6 and sample["iterations"] == 3
    assert all(sample[name] > 0 for name in TIMES)
    assert sample["durable_ns"] >= sample["ns"] >= sample["seal_ns"]
    assert sample["series_cpu"] == sample["series_rss"] == [], "a transfer of less than a period has no series"
    # The receiver is another process, whose period stays 50 ms; a slow disk takes longer.
    for name in "series_peer_cpu", "series_peer_rss":
        assert len(sample[name]) <= (answered - asked) // 50_000_000
    ask("released", do="release", cell=1)
    ask.prepare_transfer(MIB)
    assert "durable_ns" not in ask.sample()


def test_series_of_a_long_transfer(ask, monkeypatch):
    timed = Cipher.timed

    def slowly(cipher, call, index, data):
        time.sleep(0.02)
        return timed(cipher, call, index, data)

    monkeypatch.setattr(Cipher, "timed", slowly)
    ask.prepare_transfer(20 * MIB)
    sample = ask.sample()
    for name in SERIES:
        # On a busy machine the monitor's thread may come late: after the transfer's end it adds nothing.
        assert 1 <= len(sample[name]) <= sample["ns"] // 50_000_000 + 1
    assert sum(sample["series_cpu"]) * 1000 <= 1.1 * sample["cpu_ns"] + 10_000_000
    assert max(sample["series_rss"]) * 1024 <= sample["peak_rss"] + MIB
    time.sleep(0.2)
    assert ask.transfers.monitor.series is None


def test_no_nonce_twice_and_one_chunk_at_a_time(ask, monkeypatch):
    used, longest = set(), 0
    timed = Cipher.timed

    def watched(cipher, call, index, data):
        nonlocal longest
        nonce = (cipher.base ^ index).to_bytes(12, "big")
        assert nonce not in used
        used.add(nonce)
        longest = max(longest, len(data))
        return timed(cipher, call, index, data)

    monkeypatch.setattr(Cipher, "timed", watched)
    ask.prepare_transfer(3 * MIB + 5)
    ask.sample(iterations=5, warmup_ns=1)
    assert len(used) == 6 * 4 and longest == MIB


def test_memory_stays_flat(ask):
    """The peaks belong to one sample, and do not grow with the file."""
    peaks = []
    for size in 4 * MIB, 64 * MIB:
        ask.prepare_transfer(size)
        sample = ask.sample()
        peaks.append([sample["peak_rss"], sample["peer_peak_rss"]])
        ask("released", do="release", cell=1)
    assert all(large < small + 8 * MIB for small, large in zip(*peaks))


def test_peaks_of_memory_hold_samples(ask):
    ask.prepare_transfer(MIB)
    ask("memory", do="memory", reset=1)
    try:
        block = b"x" * (32 * MIB)
        peak = ask("memory", do="memory")["peak_rss"]
        del block
        ask.sample()
        assert ask("memory", do="memory")["peak_rss"] > peak - MIB  # Linux counts pages in batches
        assert ask.sample()["peak_rss"] < peak - 16 * MIB
    finally:
        ask.host.memory.counter.stop()


def test_receivers_and_folders_go(ask, folder):
    request = ask.prepare_transfer(1000, form="file")
    ask("ready", **{**request, "cell": 2})
    ask.sample()
    processes = [cell.peer.process for cell in ask.host.cells.values()]
    assert len(list(folder.iterdir())) == 2 and [each.poll() for each in processes] == [None, None]
    ask("released", do="release", cell=1)
    assert len(list(folder.iterdir())) == 1 and processes[0].poll() == 0
    ask.host.close()
    assert list(folder.iterdir()) == [] and processes[1].poll() == 0


def test_a_receiver_that_dies_between_requests(ask):
    request = ask.prepare_transfer(1000, form="file")
    last = ask.sample()["last"]
    ask.host.cells[1].peer.process.kill()
    ask.host.cells[1].peer.process.wait()
    for _ in range(2):
        assert "prepare it again" in ask.sample("error")["why"]
    ask("error", do="digest", cell=1, iteration=last)
    ask("released", do="release", cell=1)
    ask("ready", **request)
    ask.sample()


def test_a_receiver_that_dies_in_a_transfer(ask, monkeypatch):
    ask.prepare_transfer(20 * MIB)
    timed = Cipher.timed

    def killing(cipher, call, index, data):
        if index == 5:
            ask.host.cells[1].peer.process.kill()
        return timed(cipher, call, index, data)

    monkeypatch.setattr(Cipher, "timed", killing)
    assert "prepare it again" in ask.sample("error")["why"]
    ask("error", do="sample", cell=1, iterations=1)
    ask("memory", do="memory")


def test_a_transfer_that_is_forged_on_its_way(ask, monkeypatch):
    timed = Cipher.timed

    def forged(cipher, call, index, data):
        return bytes([*timed(cipher, call, index, data)[:-1], 0])

    ask.prepare_transfer(5000, form="file")
    assert ask.sample()["last"] == 1
    with monkeypatch.context() as patch:
        patch.setattr(Cipher, "timed", forged)
        assert "transfer 2 failed: chunk 0 is not authentic" in ask.sample("error")["why"]
    assert ask.digest(iteration=1) == expected(5000), "made anew: no file is left"
    assert ask.sample()["first"] == 3


def test_a_source_that_is_cut_or_gone(ask):
    ask.prepare_transfer(5000)
    source = ask.host.cells[1].source
    for other in b"short", bytes(6000):
        source.write_bytes(other)
        assert "changed" in ask.sample("error")["why"]
    source.unlink()
    assert "No such file" in ask.sample("error")["why"]
    source.write_bytes(stream("message", 42, 5000))
    ask.sample()


def test_a_stranger_on_the_port(ask, monkeypatch):
    """A stranger that connects first can spoil a transfer, but no more."""
    ask.prepare_transfer(5000)
    send = Cell.send

    def after_a_stranger(cell, port, *more):
        with socket.create_connection(("127.0.0.1", port)) as stranger:
            stranger.sendall(b"\xff\xff\xff\xff" + bytes(1000))
            return send(cell, port, *more)

    with monkeypatch.context() as patch:
        patch.setattr(Cell, "send", after_a_stranger)
        assert "failed" in ask.sample("error")["why"]
    ask.sample()


def test_too_large_for_disk_or_memory(ask, folder, monkeypatch):
    request = ask.prepare_transfer(MIB)
    monkeypatch.setattr(facts, "free_disk", lambda _: 4 * MIB)
    large = {**request, "cell": 2}
    ask("ready", **{**large, "message": 2 * MIB})
    ask("released", do="release", cell=2)
    assert "disk" in ask("unsupported", **{**large, "message": 2 * MIB + 1})["why"]
    assert "disk" in ask("unsupported", **{**large, "message": MIB + 1, "form": "file"})["why"]
    monkeypatch.setattr(facts, "free_disk", lambda _: 2**40)
    monkeypatch.setattr(facts, "free_memory", lambda: 2**20)
    assert "memory" in ask("unsupported", **large)["why"]


def test_a_disk_that_fails(ask, folder, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "none"))
    monkeypatch.setattr(facts, "free_disk", lambda _: 2**40)
    about = {"provider": "study", "algorithm": "aes-256-gcm", "operation": "transfer", "form": "discard"}
    ask("error", do="prepare", cell=1, message=10, seed=1, **about)
    assert ask.host.cells == {}


def test_idle_processes_sleep(ask):
    ask.prepare_transfer(1000)
    ask.sample()
    threads, end = threading.active_count(), time.monotonic() + 60
    # A thread that has just done its work may still be on its way to sleep.
    while wakes() != after(6 * monitor.PERIOD, wakes):
        assert time.monotonic() < end, "an idle thread wakes again and again"
    assert threading.active_count() == threads


def wakes() -> dict[str, str]:
    """What the other threads of this process have run so far: how often they were switched, by the kernel's count."""
    tasks = [task for task in Path("/proc/self/task").iterdir() if task.name != str(threading.get_native_id())]
    return {task.name: (task / "status").read_text().partition("\nvoluntary_ctxt_switches:")[2] for task in tasks}


def after(seconds: float, look):
    time.sleep(seconds)
    return look()


def test_what_only_transfers_refuse(ask):
    request = ask.prepare_transfer(64)
    about = {key: request[key] for key in ("provider", "algorithm", "operation", "form")}
    for kind, asked in [
        ("error", {"do": "digest", "cell": 1, "iteration": 3, "first": 4}),
        ("unsupported", {"do": "latency", "cell": 1, "count": 1}),
        ("unsupported", {"do": "check", **about, "key": "", "input": ""}),
        ("unsupported", {**request, "cell": 2, "aad": 1}),
        ("unsupported", {**request, "cell": 2, "algorithm": "tcp-plain"}),
    ]:
        ask(kind, **asked)
