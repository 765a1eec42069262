"""The bytes that every worker makes alike from a label, a seed and a length, so that digests agree across languages.

Source: PROTOCOL.md, "Seed".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

# hashlib would load the system's OpenSSL into a process whose memory is measured; this one is loaded anyway.
from cryptography.hazmat.primitives.hashes import SHA256, Hash

PERIOD = 4093  # a prime, so that no block size divides the repetition
PIECE = 256 * PERIOD  # bytes of a stream that `pieces` holds at once


def sha256(parts: Iterable[bytes]) -> bytes:
    """The SHA-256 of the parts, one after another."""
    digest = Hash(SHA256())
    for part in parts:
        digest.update(part)
    return digest.finalize()


def stream(label: str, seed: int, n: int) -> bytes:
    """n bytes of the stream of label and seed."""
    texts = (f"ciphermeter {label} {seed} {i}".encode() for i in range((min(n, PERIOD) + 31) // 32))
    block = b"".join(sha256([text]) for text in texts)[:PERIOD]
    return (block * (n // PERIOD + 1))[:n]


def pieces(label: str, seed: int, n: int) -> Iterator[bytes]:
    """The same, one piece after another."""
    piece = stream(label, seed, min(n, PIECE))
    for done in range(0, n, PIECE):
        yield piece[: n - done]
