"""A prepared cell: a file to send, a receiver to send it to, and one transfer with its times."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import time
from pathlib import Path
from typing import BinaryIO, NoReturn

from cryptography.hazmat.primitives.hashes import SHA256, Hash

import facts
from facts import PEAK, now
from kinds import Want
from messages import Failure, Unsupported, Value
from stream import pieces, stream
from transfer.frames import Broken, limit_waiting
from transfer.monitor import Monitor
from transfer.peer import Peer
from transfer.receiver import RECEIVED, WAIT
from transfer.results import SERIES, Total, Transfer
from transfer.scheme import CHUNK, KEY, NONCE, Cipher, Metadata, hear, send_file

SYNC = 600  # seconds for a file to reach the disk


class Cell:
    """A measured cell. Not ready before `open`; `close` may be called at any time."""

    def __init__(self, algorithm: str, want: Want, monitor: Monitor) -> None:
        self.algorithm, self.form, self.message, self.seed = algorithm, want.form, want.message, want.seed
        self.monitor = monitor  # of this process
        self.key = stream("key", self.seed, KEY)
        self.rest = stream("nonce", self.seed, NONCE)[8:]
        self.last = 0  # the number of the last iteration; 0 is digest's
        self.left: int | None = None  # the iteration whose file is in the folder, if the last sample left one
        # Named here and not by mkdtemp, so that no signal comes between creating it and knowing its name.
        self.folder = Path(tempfile.gettempdir()) / f"ciphermeter-study-{os.urandom(16).hex()}"
        self.source = self.folder / "message"
        self.peer: Peer | None = None

    @property
    def need(self) -> int:
        """The size of the cell's files, in bytes."""
        return self.message * (2 if self.form == "file" else 1)

    def open(self) -> None:
        """Starts the receiver and writes the file to be sent. Raises Failure, and OSError if the system fails."""
        suffices(self.need)
        self.folder.mkdir(mode=0o700)
        # First: from now on the folder is removed even if this process is killed.
        self.peer = Peer(self.folder, self.algorithm, self.key)
        with open(self.source, "xb") as file:
            for piece in pieces("message", self.seed, self.message):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())  # so that the system does not write it during a sample

    def close(self) -> None:
        if self.peer:
            self.peer.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def sample(self, warmup_ns: int, iterations: int) -> dict[str, Value]:
        self.left, first = None, self.last + 1
        begin, passed = now(), 0
        while passed < warmup_ns:
            self.next()
            passed = now() - begin
        total = Total()
        for _ in range(iterations):
            total.add(self.next())
        if self.form == "file":
            self.left = self.last
        return total.values(first, self.last)

    def latency(self, warmup_ns: int, count: int) -> NoReturn:
        raise Unsupported("transfers are timed by sample, each separately with iterations 1")

    def digest(self, first: int, iteration: int) -> str:
        """The SHA-256 of the received bytes: read from the file that this iteration left, or of one more transfer."""
        if first > iteration:  # otherwise it does not matter: transfers do not work on each other's output
            raise Failure(f"{first} to {iteration} is no range of iterations; send another first")
        if self.left == iteration:
            digest = Hash(SHA256())
            with open(self.folder / RECEIVED, "rb") as file:
                while piece := file.read(CHUNK):
                    digest.update(piece)
            return digest.finalize().hex()
        return self.transfer(iteration, "digest").sha256 or ""

    def next(self) -> Transfer:
        """The next iteration. Its number is used up even if it fails."""
        self.last += 1
        return self.transfer(self.last, self.form)

    def transfer(self, iteration: int, into: str) -> Transfer:
        """One transfer `into` a file, a digest or nowhere (`discard`). Raises Failure and OSError."""
        assert self.peer
        with open(self.source, "rb") as file:
            if os.fstat(file.fileno()).st_size != self.message:
                raise Failure(f"{self.source} was changed; release the cell and prepare it again")
            while file.read(CHUNK):  # so that it is in the page cache, from which the system may have dropped it
                pass
            file.seek(0)
            return self.measure(file, self.peer, iteration, into)

    def measure(self, file: BinaryIO, peer: Peer, iteration: int, into: str) -> Transfer:
        try:
            port = peer.ask("listening", "transfer", into=into).number("port", 1, 65535)
            PEAK.begin()
            self.monitor.begin()
            try:
                sums = self.send(port, file, iteration, into)
            except (Broken, OSError, MemoryError) as error:
                peer.hear("measured")  # raises with the receiver's reason, if it has one
                raise Broken(str(error) or "out of memory") from None
            finally:
                series = self.monitor.end()
            measured = peer.hear("measured").values
        except Broken as error:
            raise Failure(f"transfer {iteration} failed: {error}; send it again, or release the cell") from None
        sums |= {name: measured[name] for name in ("open_ns", "peer_cpu_ns")}
        peaks = {"peak_rss": PEAK.since_begin(), "peer_peak_rss": measured.get("peer_peak_rss")}
        sides = {"series_cpu": series.cpu, "series_rss": series.rss, **measured}
        return Transfer(sums, peaks, {name: sides[name] for name in SERIES}, measured.get("sha256"))

    def send(self, port: int, file: BinaryIO, iteration: int, into: str) -> dict[str, int]:
        """The sender's part, with its times. Raises Broken and OSError."""
        with socket.socket() as connection:
            limit_waiting(connection, WAIT)
            handshake = now()
            connection.connect(("127.0.0.1", port))
            nonce = iteration.to_bytes(8, "big") + self.rest
            cipher = Cipher(self.algorithm, self.key, nonce)
            Metadata(self.message, self.algorithm, nonce).send(connection, self.source.name)
            cpu_begin = time.process_time_ns()
            begin = now()
            send_file(connection, file, cipher)
            hear(connection, "received", self.message)
            end = now()
            cpu_end = time.process_time_ns()
            sums = {"ns": end - begin, "cpu_ns": cpu_end - cpu_begin, "handshake_ns": begin - handshake}
            sums["seal_ns"] = cipher.ns
            if into == "file":
                limit_waiting(connection, SYNC)
                hear(connection, "synced", self.message)
                sums["durable_ns"] = now() - begin
            return sums


def suffices(need: int) -> None:
    """Raises Unsupported if files of that many bytes take over half of the disk's free space, or of the memory, in
    which they must stay while they are sent."""
    folder = tempfile.gettempdir()
    for what, free in (f"disk of {folder}", facts.free_disk(folder)), ("memory", facts.free_memory()):
        if free is not None and need > free // 2:
            raise Unsupported(f"this cell's files take {need} bytes, over half of the free {what}: {free} bytes")
