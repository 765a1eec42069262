"""The worker as a process: however it ends, nothing of it remains."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import MIB

from transfer.frames import Broken
from transfer.peer import Peer
from transfer.receiver import accept

HERE = Path(__file__).resolve().parent.parent
LIMIT = 60  # seconds: what takes longer hangs

PREPARE = {"do": "prepare", "provider": "study", "algorithm": "aes-256-gcm", "operation": "transfer", "seed": 1}


class Started:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        command = [sys.executable, str(HERE / "worker.py"), "study"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(folder)}, **pipes)

    def send(self, **request: object) -> None:
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, **request: object) -> dict:
        self.send(**request)
        return json.loads(self.process.stdout.readline())

    def prepare(self, message: int) -> None:
        for cell, form in enumerate(["discard", "file"]):
            assert self.ask(cell=cell, form=form, message=message, **PREPARE)["is"] == "ready"
        assert len(list(self.folder.iterdir())) == 2

    def receivers(self) -> list[int]:
        """The process ids of the worker's children."""
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True)
        rows = [line.split() for line in listed.stdout.splitlines()]
        return [int(row[0]) for row in rows if row[1] == str(self.process.pid) and row[2][0] != "Z"]


@pytest.fixture
def worker(tmp_path):
    started = Started(tmp_path)
    yield started
    started.process.kill()
    started.process.wait()
    for pipe in started.process.stdin, started.process.stdout:
        with contextlib.suppress(OSError):
            pipe.close()


def gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    # A process whose parent was killed may remain a zombie until init reaps it.
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True)
    return listed.stdout.strip()[:1] in ("", "Z")


def soon(true) -> bool:
    end = time.monotonic() + LIMIT
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return true()


def nothing_stays(worker: Started, receivers: list[int]) -> bool:
    return soon(lambda: list(worker.folder.iterdir()) == [] and all(map(gone, receivers)))


def test_the_end_of_input(worker):
    worker.prepare(1000)
    assert worker.ask(do="sample", cell=1, iterations=2)["is"] == "sample"
    receivers = worker.receivers()
    assert len(receivers) == 2
    rest, _ = worker.process.communicate(b"\n", timeout=LIMIT)
    assert (rest, worker.process.returncode) == (b"", 0)
    assert list(worker.folder.iterdir()) == [] and all(map(gone, receivers))


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("busy", [False, True])
def test_signals(worker, ending, busy):
    worker.prepare(20 * MIB)
    receivers = worker.receivers()
    if busy:
        worker.send(do="sample", cell=1, iterations=2**32 - 1)
        time.sleep(0.3)
    worker.process.send_signal(ending)
    worker.process.send_signal(ending)
    assert worker.process.wait(LIMIT) == 128 + ending
    assert list(worker.folder.iterdir()) == [] and all(map(gone, receivers))


@pytest.mark.parametrize("busy", [False, True])
def test_a_worker_that_is_killed(worker, busy):
    worker.prepare(20 * MIB)
    receivers = worker.receivers()
    if busy:
        worker.send(do="sample", cell=1, iterations=2**32 - 1)
        time.sleep(0.3)
    worker.process.kill()
    worker.process.wait(LIMIT)
    assert nothing_stays(worker, receivers)


def test_a_receiver_whose_worker_is_gone_waits_for_no_connection(monkeypatch):
    monkeypatch.setattr("transfer.receiver.WAIT", 3600)
    ours, theirs = socket.socketpair()
    with socket.create_server(("127.0.0.1", 0)) as listener, ours:
        theirs.close()
        with pytest.raises(Broken, match="the worker is gone"):
            accept(listener, ours)


def test_a_receiver_whose_worker_is_gone(tmp_path):
    folder = tmp_path / "cell"
    folder.mkdir()
    peer = Peer(folder, "aes-256-gcm", bytes(32))
    peer.ask("listening", "transfer", into="discard")
    peer.control.close()
    assert peer.process.wait(LIMIT) == 0 and not folder.exists()


def test_a_signal_in_prepare(worker):
    worker.send(cell=1, form="file", message=512 * MIB, **PREPARE)
    assert soon(lambda: any(worker.folder.iterdir()))
    receivers = worker.receivers()
    worker.process.terminate()
    assert worker.process.wait(LIMIT) == 128 + signal.SIGTERM
    assert nothing_stays(worker, receivers)


def test_a_reader_that_is_gone(worker):
    worker.prepare(1000)
    receivers = worker.receivers()
    worker.process.stdout.close()
    worker.send(do="memory")
    assert worker.process.wait(LIMIT) == 1
    assert nothing_stays(worker, receivers)


def test_listens_only_to_this_machine(worker):
    """And only while a transfer is due."""
    tcp = Path("/proc/net/tcp")
    if not tcp.exists():
        pytest.skip("this system has no /proc/net/tcp")

    def listeners() -> list[str]:
        inodes = set()
        for process in worker.receivers():
            for entry in Path(f"/proc/{process}/fd").iterdir():
                with contextlib.suppress(OSError):  # closed meanwhile
                    inodes.add(str(entry.readlink()))
        rows = [line.split() for line in tcp.read_text(encoding="ascii").splitlines()[1:]]
        return [row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in inodes]

    worker.prepare(1000)
    assert listeners() == []
    worker.ask(do="sample", cell=1, iterations=1)
    assert listeners() == []
    worker.send(do="sample", cell=1, iterations=2**32 - 1)
    seen = []
    assert soon(lambda: seen.extend(listeners()) or len(seen) >= 3)
    assert {address.split(":")[0] for address in seen} == {"0100007F"}


def test_another_provider():
    ended = subprocess.run([sys.executable, str(HERE / "worker.py"), "other"], capture_output=True, text=True)
    assert ended.returncode == 2 and "'other'" in ended.stderr
