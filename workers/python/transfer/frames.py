"""Messages on a socket as the paper frames them: a length in 4 bytes, big-endian, then that many bytes. Some are a flat
JSON object, here called a text.

The paper's receiver trusts every length. This one knows which lengths are valid, and checks before it allocates.
"""

from __future__ import annotations

import socket
import struct

from messages import Failure, Request, Value, line, parse

LENGTH = 4  # bytes


class Broken(Exception):
    """The received bytes violate the scheme; the text says how."""


def send_message(connection: socket.socket, data: bytes) -> None:
    connection.sendall(len(data).to_bytes(LENGTH, "big") + data)


def receive_message(connection: socket.socket, shortest: int, longest: int) -> bytes:
    """The next message. Raises Broken if its length is out of these bounds, or the peer ends in the middle."""
    length = int.from_bytes(receive_exactly(connection, LENGTH), "big")
    if not shortest <= length <= longest:
        raise Broken(f"a message of {length} bytes where {shortest} to {longest} may be")
    return receive_exactly(connection, length)


def receive_exactly(connection: socket.socket, n: int) -> bytes:
    received = bytearray()
    try:
        while len(received) < n:
            part = connection.recv(n - len(received))
            if not part:
                raise Broken(f"the peer ended after {len(received)} of {n} bytes")
            received += part
    except BlockingIOError:  # what limit_waiting's limit looks like from here
        raise Broken(f"the peer stalled after {len(received)} of {n} bytes") from None
    return bytes(received)


def send_text(connection: socket.socket, kind: str, **values: Value) -> None:
    send_message(connection, line(kind, **values))


def receive_text(connection: socket.socket, longest: int) -> Request:
    """The next message, which must be a text. Raises Broken."""
    try:
        return parse(receive_message(connection, 2, longest))
    except Failure as error:
        raise Broken(str(error)) from None


def limit_waiting(connection: socket.socket, seconds: int) -> None:
    """Lets each call that sends or receives fail (with BlockingIOError) after that long without progress.

    The kernel enforces this time. With settimeout, Python would call poll before every recv and send, which the paper's
    program doesn't.
    """
    for option in socket.SO_RCVTIMEO, socket.SO_SNDTIMEO:
        connection.setsockopt(socket.SOL_SOCKET, option, struct.pack("@ll", seconds, 0))
