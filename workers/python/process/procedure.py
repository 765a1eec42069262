"""One paper's procedure, written anew: what its program does with a file, in its order. README.md names the paper.

Key, nonce, cipher object and padding come before the clock, the padding's removal after it. The clock is `time.time`,
the counter of memory tracemalloc, around an encryption and a decryption together. What is loaded within the counted
stretch counts as memory, so what the paper's program has loaded by then is loaded here, and no more of the library.
"""

from __future__ import annotations

import random  # noqa: F401 (of the standard library, what psutil, pandas and matplotlib bring)
import threading  # noqa: F401
import time
import tracemalloc
from typing import NamedTuple, Union

from cryptography.hazmat.backends import default_backend
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

SIZES = (1 << 10, 100 << 10, 1 << 20, 5 << 20, 10 << 20)  # bytes of the paper's files, in its order

BLOCK = 128  # bits of a block, which the padding fills


class Timed(NamedTuple):
    """A call and what it left."""

    seconds: float  # by the paper's clock
    output: bytes
    kept: bytes  # what the paper's program holds until it is done with the file, so that it counts as memory


class Aes:
    """AES-256 in CBC, with padding. It has no aad."""

    __slots__ = ("cipher",)  # a dictionary would count as memory

    def __init__(self, key: bytes, nonce: bytes, _aad: bytes = b"") -> None:
        self.cipher = Cipher(algorithms.AES(key), modes.CBC(nonce), backend=default_backend())

    def encrypt(self, data: bytes) -> Timed:
        padder = padding.PKCS7(BLOCK).padder()
        padded = padder.update(data) + padder.finalize()
        context = self.cipher.encryptor()
        begin = time.time()
        output = context.update(padded) + context.finalize()
        end = time.time()
        return Timed(end - begin, output, padded)

    def decrypt(self, sealed: bytes) -> Timed:
        context = self.cipher.decryptor()
        begin = time.time()
        padded = context.update(sealed) + context.finalize()
        end = time.time()
        unpadder = padding.PKCS7(BLOCK).unpadder()
        return Timed(end - begin, unpadder.update(padded) + unpadder.finalize(), padded)


class ChaCha:
    """ChaCha20-Poly1305. The paper passes no aad."""

    __slots__ = ("aad", "box", "nonce")

    def __init__(self, key: bytes, nonce: bytes, aad: bytes = b"") -> None:
        self.box, self.nonce, self.aad = ChaCha20Poly1305(key), nonce, aad or None

    def encrypt(self, data: bytes) -> Timed:
        begin = time.time()
        output = self.box.encrypt(self.nonce, data, self.aad)
        end = time.time()
        return Timed(end - begin, output, output)

    def decrypt(self, sealed: bytes) -> Timed:
        begin = time.time()
        output = self.box.decrypt(self.nonce, sealed, self.aad)
        end = time.time()
        return Timed(end - begin, output, output)


BOXES: dict[str, type[Union[Aes, ChaCha]]] = {"aes-256-cbc": Aes, "chacha20-poly1305": ChaCha}  # in the paper's order

NONCES = {"aes-256-cbc": 16, "chacha20-poly1305": 12}  # bytes


def both(algorithm: str, key: bytes, nonce: bytes, data: bytes, aad: bytes = b"") -> tuple[Timed, Timed]:
    """What the paper's program does with a file by one cipher: encrypts it, and decrypts that."""
    box = BOXES[algorithm](key, nonce, aad)
    encrypted = box.encrypt(data)
    return encrypted, box.decrypt(encrypted.output)


def traced(algorithm: str, key: bytes, nonce: bytes, data: bytes, aad: bytes) -> tuple[Timed, Timed, int]:
    """The same, with the most memory that Python had allocated in it, in bytes."""
    tracemalloc.start()
    encrypted, decrypted = both(algorithm, key, nonce, data, aad)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return encrypted, decrypted, peak
