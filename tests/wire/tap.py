"""A link that records what passes, as an observer of the network would, and can be cut."""

from __future__ import annotations

import contextlib
import socket
import threading

from wire import PATIENCE, Ticket

BEFORE_THE_CUT = 150_000  # bytes


class Tap:
    """Passes connections on and records them, an attempt in each recording; cuts an attempt after so many bytes."""

    def __init__(self, ticket: Ticket, cuts: int) -> None:
        self.far, self.cuts, self.cut, self.attempts, self.open = ticket.addresses[0], cuts, 0, [], []
        self.lock, self.listener = threading.Lock(), socket.create_server(("127.0.0.1", 0))
        self.ticket = Ticket(ticket.key_hash, ticket.token, [self.listener.getsockname()])
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            near = self.listener.accept()[0]
            try:
                far = socket.create_connection(self.far, PATIENCE)
            except OSError:
                near.close()
                continue
            if near.recv(1, socket.MSG_PEEK) == b"\x16":  # a control channel: another attempt
                self.attempts.append({})
                self.open = []
            self.open += [near, far]
            attempt = self.attempts[-1]
            for source, to in (near, far), (far, near):
                record = attempt[len(attempt)] = bytearray()
                threading.Thread(target=self.pass_on, args=(source, to, record, attempt), daemon=True).start()

    def pass_on(self, source: socket.socket, to: socket.socket, record: bytearray, attempt: dict) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                record += data
                to.sendall(data)
                with self.lock:
                    is_due = attempt is self.attempts[-1] and sum(map(len, attempt.values())) > BEFORE_THE_CUT
                    if is_due and self.cuts >= len(self.attempts) > self.cut:
                        self.cut += 1
                        for one in self.open:
                            one.shutdown(socket.SHUT_RDWR)
            to.shutdown(socket.SHUT_WR)
