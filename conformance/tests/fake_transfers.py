"""A worker of transfers, by the standard library alone, for the suite's own tests.

Its lines are those of fake_worker.py. It moves a file as it is, to a process of its own over loopback TCP; its "receipt" is
the digest of what came. Its argument picks what it gets wrong; `honest` gets nothing wrong.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

import fake_worker as fake
from fake_worker import MODE, Refused, integer

STEP = 50_000_000
FORMS = ("discard", "file")


class Receiver:
    """The other process, and the folder that goes with it."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="fake-"))
        command = [sys.executable, "-S", __file__, MODE, "--receive", str(self.folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        if MODE != "keeps-folder":
            shutil.rmtree(self.folder, ignore_errors=True)


def receive(folder):
    """Takes connections, each a line of what to do with it and then a file, until its standard input ends."""
    if not os.fork():
        # This process waits for the end, because a worker that is killed cannot clean up.
        sys.stdout.close()
        os.close(1)
        sys.stdin.buffer.read()
        if MODE not in ("keeps-folder", "dies-untidily"):
            shutil.rmtree(folder, ignore_errors=True)
        os.kill(os.getppid(), 9)
        os._exit(0)
    sys.stdin.close()
    with socket.create_server(("127.0.0.1", 0)) as server:
        print(server.getsockname()[1], flush=True)
        while True:
            connection, _ = server.accept()
            with connection, connection.makefile("rb") as wire:
                into = wire.readline().decode().strip()
                text = wire.read()
                if MODE == "cuts-off":
                    text = text[:1 << 20]
                if into != "-":
                    Path(into).write_bytes(text)
                connection.sendall(sha256(text).digest())


class Cell:
    """A file to be moved."""

    def __init__(self, request):
        self.number, self.form, self.bytes = request["cell"], request["form"], request["message"]
        self.text = fake.stream("message", 42 if MODE == "one-seed" else request["seed"], self.bytes)
        self.plain = request["algorithm"] == "tcp-plain"
        self.source = receiver().folder / f"sent-{self.number}"
        self.received = receiver().folder / f"received-{self.number}"
        self.source.write_bytes(self.text)
        self.count, self.last = 0, None

    def transfer(self, form):
        with socket.create_connection(("127.0.0.1", receiver().port)) as connection:
            connection.sendall(f"{self.received if form == 'file' else '-'}\n".encode())
            begun = time.perf_counter_ns()
            connection.sendall(self.source.read_bytes())
            connection.shutdown(socket.SHUT_WR)
            receipt = connection.recv(32, socket.MSG_WAITALL)
            return time.perf_counter_ns() - begun, receipt.hex()

    def sample(self, warmup_ns, iterations):
        first, begun = self.count + 1, time.perf_counter_ns()
        while time.perf_counter_ns() - begun < warmup_ns:
            self.transfer(self.form)
            self.count += 1
        runs = 1 if MODE == "one-transfer" else iterations
        ns = sum(self.transfer(self.form)[0] for _ in range(runs))
        self.count += iterations
        self.last = self.count
        told = {"iterations": iterations, "ns": ns, "cpu_ns": None, "first": first, "last": self.count}
        entries = {"long-series": 1001, "dense-series": 100}.get(MODE, ns // STEP)
        told |= {"series_cpu": [1] * entries, "series_peer_rss": [4096] * entries, "peer_cpu_ns": None}
        if self.form == "file" or MODE == "durable-nowhere":
            told["durable_ns"] = ns - 1 if MODE == "durable-early" else ns
        if not self.plain or MODE == "seals-nothing":
            told["seal_ns"] = 1
        return told

    def digest(self, first, iteration):
        if MODE == "counts-digests":
            self.count += 1
        if MODE == "hashes-sent":
            return sha256(self.text).hexdigest()
        if self.form == "file" and iteration == self.last:
            return sha256(self.received.read_bytes()).hexdigest()
        return self.transfer("discard")[1]

    def release(self):
        self.source.unlink()
        if MODE != "keeps-files":
            self.received.unlink(missing_ok=True)


receivers = []


def receiver():
    if not receivers:
        receivers.append(Receiver())
    return receivers[0]


def describe(_request):
    yield {"is": "worker", "protocol": 1, "worker": "fake", "runtime": sys.version}
    offers = {"honest": [("fake", "aes-256-gcm"), ("ceiling", "tcp-plain")], "seals-nothing": [("ceiling", "tcp-plain")]}
    # The other faults show in one form.
    forms = {"honest": "discard,file", "odd-forms": "file,into", "durable-nowhere": "discard"}.get(MODE, "file")
    for provider, algorithm in offers.get(MODE, [("fake", "aes-256-gcm")]):
        yield {"is": "offer", "provider": provider, "version": "1", "algorithm": algorithm, "path": "soft",
               "operations": "transfer", "forms": forms}
    yield {"is": "end"}


def prepare(request):
    cell = integer(request, "cell", 0, 2**32 - 1)
    for key, high, default in (("message", 2**30, None), ("aad", 2**20, 0), ("seed", fake.LARGEST, None)):
        integer(request, key, 0, high, default)
    threads = integer(request, "threads", 1, fake.LARGEST, 1)
    if integer(request, "offset", 0, 4095, 0) % 64:
        raise Refused("offset is no multiple of 64; send one")
    if cell in fake.cells:
        raise Refused("the cell is prepared; send release first")
    offered = (request.get("provider"), request.get("algorithm")) in (("fake", "aes-256-gcm"), ("ceiling", "tcp-plain"))
    if not isinstance(request.get("provider"), str):
        raise Refused("no provider; send one")
    if not offered or request.get("operation") != "transfer" or request.get("form") not in FORMS:
        raise Refused("no such thing here; describe lists what there is", "unsupported")
    if MODE != "takes-threads" and threads > 1 or MODE != "takes-aad" and request.get("aad", 0):
        raise Refused("transfers have one thread and no aad", "unsupported")
    fake.cells[cell] = Cell(request)
    return {"is": "ready", "cell": cell}


def check(request):
    if "provider" not in request:
        raise Refused("no provider; send one")
    raise Refused("transfers have no vectors", "unsupported")


def latency(_cell, _request):
    raise Refused("a transfer is no single call", "unsupported")


def release(cell, request):
    fake.cells.pop(request["cell"]).release()
    return {"is": "released"}


def main():
    fake.USES |= {"latency": latency, "release": release}
    fake.DOES |= {"describe": describe, "prepare": prepare, "check": check,
                  "memory": lambda request: {"is": "memory", "rss": None, "of": integer(request, "reset", 0, 1, 0)}}
    try:
        fake.main()
    finally:
        for other in receivers:
            other.close()


if "--receive" in sys.argv:
    receive(sys.argv[-1])
else:
    main()
