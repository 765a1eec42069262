"""The worker's side of the receiver's process: starting it, asking it, ending it."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

from messages import MAX_LINE, Failure, Request
from transfer.frames import Broken, receive_text, send_text

WORKER = Path(__file__).resolve().parent.parent  # where Python finds the receiver's modules

WAIT = 60  # seconds for an answer: longer than the receiver itself waits for anything
END = 10  # seconds for the receiver to end in order


class Peer:
    """A running receiver. Raises Failure if it does not start, or ends by itself."""

    def __init__(self, folder: Path, algorithm: str, key: bytes) -> None:
        self.process: subprocess.Popen | None = None
        self.control, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", "transfer.receiver"]
            self.process = subprocess.Popen(command, cwd=WORKER, stdin=theirs, stdout=subprocess.DEVNULL)
        self.control.settimeout(WAIT)
        # Not as arguments: other users can read those.
        self.ask("started", "cell", folder=str(folder), algorithm=algorithm, key=key.hex())

    def ask(self, answer: str, kind: str, **values: str) -> Request:
        """Sends the receiver a request and returns its answer."""
        try:
            send_text(self.control, kind, **values)
        except OSError:
            raise self.lost() from None
        return self.hear(answer)

    def hear(self, answer: str) -> Request:
        """The receiver's next answer. Raises Broken with its reason if a transfer failed."""
        try:
            said = receive_text(self.control, MAX_LINE)
        except (Broken, OSError):
            raise self.lost() from None
        if said.text("is") == "failed":
            raise Broken(said.text("why"))
        if said.text("is") != answer:
            raise self.lost()
        return said

    def lost(self) -> Failure:
        """Ends the receiver, which is of no further use."""
        self.close()
        return Failure("the receiver's process ended or hangs; release this cell and prepare it again")

    def close(self) -> None:
        """Ends the receiver and waits for its exit."""
        self.control.close()
        if self.process is None:
            return
        try:
            self.process.wait(END)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
