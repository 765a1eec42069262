"""The receiver: a separate process for each cell, which the worker starts, and which receives its transfers.

Its standard input is a socket to the worker. There it reads the cell's parameters, then for each transfer where the
bytes go. It answers with the port of a listener on 127.0.0.1 for one connection, and after the transfer with what it
measured or the reason of the failure: none of this is on the transfer's own connection. It ends when its standard
input does, however the worker ended, and removes the cell's folder then.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import sys
import time
from pathlib import Path

from cryptography.hazmat.primitives.hashes import SHA256, Hash

from facts import PEAK
from messages import MAX_LINE, Request, Value
from transfer.frames import Broken, limit_waiting, receive_text, send_text
from transfer.monitor import Monitor
from transfer.scheme import Cipher, Metadata, receive_file

RECEIVED = "received"  # the name of the file that a transfer leaves
WAIT = 30  # seconds for a connection, and for more of its bytes


class Receiver:
    def __init__(self, cell: Request) -> None:
        self.folder = Path(cell.text("folder"))
        self.algorithm, self.key = cell.text("algorithm"), bytes.fromhex(cell.text("key"))
        self.monitor = Monitor()

    def transfer(self, into: str, control: socket.socket) -> dict[str, Value]:
        """Receives one transfer. Returns the measured values. Raises Broken, and OSError if the system fails."""
        if into == "file":  # the last one's, now, because it takes time
            (self.folder / RECEIVED).unlink(missing_ok=True)
        PEAK.begin()
        self.monitor.begin()
        try:
            with socket.create_server(("127.0.0.1", 0), backlog=1) as listener:
                listener.settimeout(WAIT)
                send_text(control, "listening", port=listener.getsockname()[1])
                connection = accept(listener, control)
            with connection:
                limit_waiting(connection, WAIT)
                measured = self.receive(connection, into)
        finally:
            series = self.monitor.end()
        return {
            **measured,
            "peer_peak_rss": PEAK.since_begin(),
            "series_peer_cpu": series.cpu,
            "series_peer_rss": series.rss,
        }

    def receive(self, connection: socket.socket, into: str) -> dict[str, Value]:
        """Serves the connection; `into` determines whether the bytes go to a file, a hash or nowhere."""
        begin = time.process_time_ns()
        about = Metadata.receive(connection)
        if about.cipher != self.algorithm:
            raise Broken(f"a transfer under {about.cipher}; this receiver's key is for {self.algorithm}")
        cipher, digest = Cipher(self.algorithm, self.key, about.nonce), Hash(SHA256())

        def received() -> int:
            send_text(connection, "received", size=about.size)
            return time.process_time_ns() - begin

        if into == "file":
            with open(self.folder / RECEIVED, "xb") as file:
                receive_file(connection, about.size, cipher, file.write)
                file.flush()
                cpu_ns = received()
                os.fsync(file.fileno())
            send_text(connection, "synced", size=about.size)
        else:
            take = digest.update if into == "digest" else len  # len: the bytes are not used
            receive_file(connection, about.size, cipher, take)
            cpu_ns = received()
        return {"peer_cpu_ns": cpu_ns, "open_ns": cipher.ns, "sha256": digest.finalize().hex()}


def accept(listener: socket.socket, control: socket.socket) -> socket.socket:
    """Waits for the connection; not if the worker has ended, which `control` shows."""
    ready, _, _ = select.select([listener, control], [], [], WAIT)
    if control in ready:
        raise Broken("the worker is gone, or sent something unrequested")
    if not ready:
        raise Broken(f"no connection came for {WAIT} s")
    connection, _ = listener.accept()
    return connection


def serve(control: socket.socket) -> None:
    """Serves the worker's requests until they end, which raises Broken."""
    receiver = Receiver(receive_text(control, MAX_LINE))
    try:
        send_text(control, "started")
        while True:
            into = receive_text(control, MAX_LINE).text("into")
            try:
                measured = receiver.transfer(into, control)
            except (Broken, OSError, MemoryError) as error:
                send_text(control, "failed", why=str(error) or "out of memory")
            else:
                send_text(control, "measured", **measured)
    finally:
        shutil.rmtree(receiver.folder, ignore_errors=True)


def main() -> int:
    # An interrupt from the terminal reaches the worker, too, which then ends this process in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(fileno=0) as control:
        try:
            serve(control)
        except (Broken, OSError):
            return 0  # the worker has closed its side or is gone
    return 0


if __name__ == "__main__":
    sys.exit(main())
