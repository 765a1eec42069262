"""A worker of transfers that moves files as they are: the whole protocol, and nothing secret.

Its provider is `toy`, whose "cipher" is a checksum, by PROTOCOL.md and the standard library alone.
`worker.py MODE`: `honest`; `slow` takes over 100 ms a transfer; `wrong` spoils the last byte of the
files of 64 KiB, `wrong-later` that of files whose size no verification asks for; `poor` knows no more
than it must; `waits FILE` stands still in its fifth life with files of 3,000,000 bytes, which it counts
in that file.
"""

import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from functools import cache
from hashlib import sha256

MODE = sys.argv[1] if len(sys.argv) > 1 else "honest"
PERIOD, CHUNK, TICK = 4093, 1 << 18, 50_000_000
AWKWARD = (0, 1, 16, 65535, 65536, 65537, (1 << 20) + 1)
OFFERS = {"toy": ("aes-256-gcm", "chacha20-poly1305")}


def peak_rss():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def write_message(file, seed, n):
    blocks = (sha256(f"ciphermeter message {seed} {i}".encode()).digest() for i in range(PERIOD // 32 + 1))
    period = b"".join(blocks)[:PERIOD] * 64
    for _ in range(n // len(period)):
        file.write(period)
    file.write(period[: n % len(period)])


def spoils(n):
    return MODE == "wrong" and n == 65536 or MODE == "wrong-later" and n not in AWKWARD


def receive_one(connection, folder):
    wire = connection.makefile("rb")
    asked = json.loads(wire.readline())
    connection.sendall(b"ready\n")
    hashed, left, cpu = sha256(), asked["bytes"], time.process_time_ns()
    into = open(os.path.join(folder, "received"), "wb") if asked["form"] == "file" else None
    while left:
        chunk = wire.read(min(CHUNK, left))
        if not chunk:
            return
        left -= len(chunk)
        if not left and spoils(asked["bytes"]):
            chunk = chunk[:-1] + bytes([chunk[-1] ^ 1])
        if asked["hashes"]:
            hashed.update(chunk)
        if into:
            into.write(chunk)
    if into:
        into.flush()
    receipt = {"cpu_ns": time.process_time_ns() - cpu, "peak_rss": peak_rss(), "sha256": hashed.hexdigest()}
    connection.sendall(json.dumps(receipt).encode() + b"\n")
    if into:
        os.fsync(into.fileno())
        into.close()
        connection.sendall(b"durable\n")


def end_with_parent(folder):
    """A sender that was killed could not clean up."""
    sys.stdin.read()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def receive(folder):
    threading.Thread(target=end_with_parent, args=(folder,), daemon=True).start()
    with socket.create_server(("127.0.0.1", 0)) as server:
        print(server.getsockname()[1], flush=True)
        while True:
            connection, _ = server.accept()
            with connection:
                receive_one(connection, folder)


class Peer:
    """The receiver, a process of its own that ends with this one."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="toy-")
        command = [sys.executable, "-S", __file__, MODE, "--receive", self.folder.name]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())

    def close(self):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()


class Cell:
    def __init__(self, asked, peer):
        self.peer, self.bytes, self.form = peer, asked["message"], asked["form"]
        self.source = tempfile.NamedTemporaryFile(dir=peer.folder.name)
        write_message(self.source, asked["seed"], self.bytes)
        self.source.flush()
        self.count, self.left = 0, None

    def transfer(self, hashes=False):
        begun = time.perf_counter_ns()
        with socket.create_connection(("127.0.0.1", self.peer.port)) as connection:
            wire = connection.makefile("rb")
            asked = {"bytes": self.bytes, "form": self.form, "hashes": hashes}
            connection.sendall(json.dumps(asked).encode() + b"\n")
            wire.readline()
            ready, cpu, seal = time.perf_counter_ns(), time.process_time_ns(), 0
            if MODE == "slow" and not hashes:
                time.sleep(0.11)
            self.source.seek(0)
            while chunk := self.source.read(CHUNK):
                before = time.perf_counter_ns()
                zlib.crc32(chunk)
                seal += time.perf_counter_ns() - before
                connection.sendall(chunk)
            receipt = json.loads(wire.readline())
            ended, cpu = time.perf_counter_ns(), time.process_time_ns() - cpu
            if self.form == "file":
                wire.readline()
            durable = time.perf_counter_ns() - ready
        return {"ns": ended - ready, "cpu_ns": cpu, "handshake_ns": ready - begun, "seal_ns": seal,
                "durable_ns": durable, "peer_cpu_ns": receipt["cpu_ns"], "peak_rss": peak_rss(),
                "peer_peak_rss": receipt["peak_rss"], "sha256": receipt["sha256"]}

    def sample(self, warmup_ns, iterations):
        first, begun = self.count + 1, time.perf_counter_ns()
        while time.perf_counter_ns() - begun < warmup_ns:
            self.transfer()
            self.count += 1
        done = [self.transfer() for _ in range(iterations)]
        self.count += iterations
        self.left = self.count
        told = {key: sum(one[key] for one in done) for key in ("ns", "cpu_ns")}
        if MODE != "poor":
            told |= {key: sum(one[key] for one in done) for key in ("handshake_ns", "peer_cpu_ns")}
            told |= {key: max(one[key] for one in done) for key in ("peak_rss", "peer_peak_rss")}
            told["seal_ns"] = sum(one["seal_ns"] for one in done)
            told["durable_ns"] = sum(one["durable_ns"] for one in done) if self.form == "file" else None
            ticks = done[-1]["ns"] // TICK
            told |= {"series_cpu": [1000] * ticks, "series_peer_cpu": [2000] * ticks}
            told |= {"series_rss": [done[-1]["peak_rss"] >> 10] * ticks, "series_peer_rss": [4096] * ticks}
        return {"iterations": iterations, "first": first, "last": self.count} | told

    def digest(self, iteration):
        if self.form == "file" and iteration == self.left:
            with open(os.path.join(self.peer.folder.name, "received"), "rb") as received:
                return sha256(received.read()).hexdigest()
        return self.transfer(hashes=True)["sha256"]


cells, peers = {}, []


def describe(_asked):
    yield {"is": "worker", "protocol": 1, "worker": "toy", "runtime": "python"}
    for provider, algorithms in OFFERS.items():
        for algorithm in algorithms:
            yield {"is": "offer", "provider": provider, "version": "1", "algorithm": algorithm,
                   "operations": "transfer", "forms": "discard,file", "path": "soft"}
    yield {"is": "end"}


@cache
def is_fifth_life():
    with open(sys.argv[2], "ab") as lives:
        lives.write(b".")
        return lives.tell() == 5


def prepare(asked):
    if asked["cell"] in cells:
        raise ValueError("the cell is prepared; send release first")
    if asked["threads"] != 1:
        return {"is": "unsupported", "why": "a transfer has one thread"}
    if not peers:
        peers.append(Peer())
    if MODE == "waits" and asked["message"] == 3_000_000 and is_fifth_life():
        sys.stdin.read()
    cells[asked["cell"]] = Cell(asked, peers[0])
    return {"is": "ready", "cell": asked["cell"]}


def of_cell(does):
    def answer(asked):
        if asked["cell"] not in cells:
            raise ValueError(f"cell {asked['cell']} is not prepared; send prepare first")
        return {"is": asked["do"], "cell": asked["cell"]} | does(cells[asked["cell"]], asked)
    return answer


DOES = {
    "describe": describe,
    "check": lambda _asked: {"is": "unsupported", "why": "transfers have no vectors; they are verified by digests"},
    "latency": lambda _asked: {"is": "unsupported", "why": "a transfer is no single call"},
    "prepare": prepare,
    "sample": of_cell(lambda cell, asked: cell.sample(asked.get("warmup_ns", 0), asked["iterations"])),
    "digest": of_cell(lambda cell, asked: {"sha256": cell.digest(asked["iteration"])}),
    "release": of_cell(lambda cell, asked: {"is": "released", "of": str(cells.pop(asked["cell"]))}),
    "clock": lambda _asked: {"is": "clock", "step_ns": 1, "call_ns": 50, "loop_ns": 20},
    "memory": lambda _asked: {"is": "memory", "rss": None},
}


def serve():
    for line in filter(str.strip, sys.stdin):
        try:
            asked = {key: value for key, value in json.loads(line).items() if value is not None}
            said = DOES[asked["do"]](asked)
        except (ValueError, KeyError) as refused:
            said = {"is": "error", "why": str(refused)}
        for reply in [said] if isinstance(said, dict) else said:
            print(json.dumps(reply), flush=True)


if "--receive" in sys.argv:
    receive(sys.argv[-1])
else:
    try:
        serve()
    finally:
        for peer in peers:
            peer.close()
