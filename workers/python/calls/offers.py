"""A provider's offers: an algorithm, and for each operation and form the statements that a user would write.

The statements are text, like timeit's: `loops.py` compiles each into a loop of its own, so that nothing of the
worker runs between two calls. They may use these names, and those that `names` makes from a key:

    key       the raw key, for libraries that take it with each message
    nonce     of this message, bytes
    aad       of this message
    source    the input of sealing or opening, without its tag where the library takes that separately
    target    where the output goes, for `into` and `in-place`
    buffer    of in-place open and decrypt: `sealed` is copied back into it, and it is the source of the call
    sealed    the fixed sealed text, without its tag where the library takes that separately
    sealed_tag  that tag

They leave their output in other names, which `output` lists: bytes or views that are hashed one after another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Callable, NamedTuple

from messages import Unsupported

FORMS = ("fresh", "into", "in-place")

BLOCK = 16  # bytes


class Call(NamedTuple):
    """One timed call."""

    do: str
    output: str


class Tag(NamedTuple):
    """Where an AEAD's tag is: before or behind the ciphertext, in one buffer with it or separate."""

    first: bool
    apart: bool
    size: int = 16  # bytes


class Offer(NamedTuple):
    """An algorithm of a provider."""

    provider: str
    version: str
    algorithm: str
    path: str
    key: int  # bytes
    nonce: int  # bytes, in cells
    calls: Mapping[tuple[str, str], Call]  # by operation and form
    names: Callable[[bytes], dict[str, object]]
    rejections: tuple[type[BaseException], ...]
    """What the library raises for a forged or badly padded input."""

    tag: Tag | None = None  # none of a bare cipher
    nonces: range | None = None  # sizes of nonce that `check` passes on, None: `nonce` alone
    nonce_calls: Mapping[tuple[str, str], Call] | None = None  # those of `check` with a nonce where cells have none
    before_nonce: bytes = b""  # what the library needs in front of the nonce: a counter
    zero_nonce: bool = False  # the nonce is zero from byte 8 on, not the stream's
    sectors: bool = False  # messages are whole blocks, the nonce is a sector's number
    bytes_only: bool = False  # the library takes bytes objects, no views
    key_setup: Call | None = None  # None: the library cannot set a key up once for all messages
    copies: int = 2  # the most copies of the message in memory, the worker's own included

    def refuse(self, message: int) -> None:
        """Raises Unsupported for messages that are no sectors where the algorithm takes these alone."""
        if self.sectors and (message == 0 or message % BLOCK):
            raise Unsupported(f"{message} bytes; a sector of {self.algorithm} has whole blocks of {BLOCK} bytes")

    @property
    def operations(self) -> list[str]:
        both = ["seal", "open"] if self.tag else ["encrypt", "decrypt"]
        return ["key-setup", *both] if self.key_setup else both

    @property
    def forms(self) -> list[str]:
        return [form for form in FORMS if (self.operations[-1], form) in self.calls]

    @property
    def setup(self) -> str | None:
        return None if self.key_setup else "inside"

    def split(self, sealed: memoryview) -> tuple[memoryview, bytes]:
        """The sealed text and the tag as the library takes them; no tag if it takes both as one."""
        if not (self.tag and self.tag.apart):
            return sealed, b""
        if self.tag.first:
            return sealed[self.tag.size :], bytes(sealed[: self.tag.size])
        return sealed[: -self.tag.size], bytes(sealed[-self.tag.size :])

    def joined(self, message: int) -> int:
        """The length of the target of a sealed message, in bytes."""
        return message + (self.tag.size if self.tag and not self.tag.apart else 0)

    def plain(self, target: memoryview, message: int) -> memoryview:
        """The part of a target that contains the message before it is sealed in place, and after it is opened."""
        start = self.tag.size if self.tag and self.tag.first and not self.tag.apart else 0
        return target[start : start + message]
