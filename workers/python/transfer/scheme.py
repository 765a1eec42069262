"""The paper's scheme: how the bytes are sealed, and in which order they are sent. Nothing here depends on measuring
except the clock around the cipher's calls.

    sender                                   receiver
    {"is":"metadata","name":…,"size":…,"cipher":…,"nonce":…}
    sealed chunk 0, 1, … of 1 MiB, the last shorter
                                             {"is":"received","size":…}: all chunks are opened, and written if so asked
                                             {"is":"synced","size":…}: the file is on the disk, if there is one

Each is a message of `frames`. The key is agreed on beforehand. README.md lists what the paper leaves open, and
what is wrong with it.
"""

from __future__ import annotations

import socket
from typing import BinaryIO, Callable, NamedTuple

from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from facts import now
from messages import Failure
from transfer.frames import Broken, receive_message, receive_text, send_message, send_text

CHUNK = 2**20  # bytes of plaintext
TAG = 16
KEY = 32
NONCE = 12
MAX_SIZE = 2**30  # bytes of a file
MAX_TEXT = 1024  # bytes of a message in JSON

BOXES = {"aes-256-gcm": AESGCM, "chacha20-poly1305": ChaCha20Poly1305}


class Cipher:
    """Seals or opens the chunks of one connection: nonce = base nonce XOR the chunk's index, as 12-byte big-endian
    numbers; aad none."""

    def __init__(self, algorithm: str, key: bytes, base_nonce: bytes) -> None:
        self.box = BOXES[algorithm](key)
        self.base = int.from_bytes(base_nonce, "big")
        self.ns = 0  # time in the cipher's calls so far

    def seal(self, index: int, chunk: bytes) -> bytes:
        return self.timed(self.box.encrypt, index, chunk)

    def open(self, index: int, sealed: bytes) -> bytes:
        """Raises Broken if the chunk was not sealed under this index."""
        try:
            return self.timed(self.box.decrypt, index, sealed)
        except InvalidTag:
            raise Broken(f"chunk {index} is not authentic") from None

    def timed(self, call: Callable[[bytes, bytes, None], bytes], index: int, data: bytes) -> bytes:
        nonce = (self.base ^ index).to_bytes(NONCE, "big")
        begin = now()
        output = call(nonce, data, None)
        self.ns += now() - begin
        return output


def works(algorithm: str) -> bool:
    """Whether this OpenSSL has the algorithm."""
    try:
        BOXES[algorithm](bytes(KEY))
    except UnsupportedAlgorithm:
        return False
    return True


class Metadata(NamedTuple):
    """A sender's metadata of its file, in the clear and unauthenticated."""

    size: int
    cipher: str
    nonce: bytes

    def send(self, connection: socket.socket, name: str) -> None:
        about = {"name": name, "size": self.size, "cipher": self.cipher, "nonce": self.nonce.hex()}
        send_text(connection, "metadata", **about)

    @classmethod
    def receive(cls, connection: socket.socket) -> Metadata:
        """Raises Broken if it is invalid. The name is for people: it never becomes a path."""
        text = receive_text(connection, MAX_TEXT)
        try:
            text.text("name")
            size, cipher, nonce = text.number("size", 0, MAX_SIZE), text.text("cipher"), text.text("nonce")
            base = bytes.fromhex(nonce)
        except (Failure, ValueError) as error:
            raise Broken(f"invalid metadata: {error}") from None
        if cipher not in BOXES or len(base) != NONCE:
            raise Broken(f"metadata of another cipher than {', '.join(BOXES)}, or a nonce of other than {NONCE} bytes")
        return cls(size, cipher, base)


def send_file(connection: socket.socket, file: BinaryIO, cipher: Cipher) -> None:
    """Sends the chunks, one of them in memory at a time."""
    index = 0
    while chunk := file.read(CHUNK):
        send_message(connection, cipher.seal(index, chunk))
        index += 1


def receive_file(connection: socket.socket, size: int, cipher: Cipher, take: Callable[[bytes], object]) -> None:
    """Receives chunks, one of them in memory at a time, until `size` bytes were authentic and passed to `take`.

    Raises Broken. Chunks may be of any length, as the paper's may; an empty one, which would never end, is refused.
    """
    index = 0
    while size:
        opened = cipher.open(index, receive_message(connection, TAG + 1, TAG + min(CHUNK, size)))
        take(opened)
        size -= len(opened)
        index += 1


def hear(connection: socket.socket, kind: str, size: int) -> None:
    """Waits for an answer. Raises Broken if it is not the expected one."""
    said = receive_text(connection, MAX_TEXT)
    if (said.values.get("is"), said.values.get("size")) != (kind, size):
        raise Broken(f"the receiver did not answer that {size} bytes are {kind}")
