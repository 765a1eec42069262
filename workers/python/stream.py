"""The bytes that every worker derives from a label, a seed and a length, so that digests agree across languages.

Source: PROTOCOL.md, "Seed".
"""

from __future__ import annotations

from collections.abc import Iterator

# hashlib would load the system's OpenSSL into a process whose memory must show one provider; these are CPython's own.
try:
    from _sha2 import sha256  # CPython 3.12 and later
except ImportError:
    try:
        from _sha256 import sha256
    except ImportError:
        from hashlib import sha256

PERIOD = 4093  # a prime, so that no block size divides the repetition
PIECE = 256 * PERIOD  # bytes of a stream that `pieces` keeps at once

__all__ = ["PERIOD", "PIECE", "fill", "pieces", "seed_block", "sha256", "stream"]


def seed_block(label: str, seed: int, n: int) -> bytes:
    """The part of a stream that is repeated: its first min(n, PERIOD) bytes."""
    n = min(n, PERIOD)
    hashes = (sha256(f"ciphermeter {label} {seed} {i}".encode()).digest() for i in range((n + 31) // 32))
    return b"".join(hashes)[:n]


def fill(target: memoryview, block: bytes) -> None:
    """Repeats `block` over `target`. A block shorter than that is a whole period."""
    done = min(len(block), len(target))
    target[:done] = block[:done]
    while done < len(target):  # doubles: every copy but the last ends at a multiple of the period
        more = min(done, len(target) - done)
        target[done : done + more] = target[:more]
        done += more


def stream(label: str, seed: int, n: int) -> bytes:
    """n bytes of the stream of label and seed. No other memory of that size is taken that would be there for reuse."""
    block = seed_block(label, seed, n)
    times, rest = divmod(n, len(block) or 1)
    return b"".join([block] * times + [block[:rest]])


def pieces(label: str, seed: int, n: int) -> Iterator[bytes]:
    """The same, one piece after another."""
    piece = stream(label, seed, min(n, PIECE))
    for done in range(0, n, PIECE):
        yield piece[: n - done]
