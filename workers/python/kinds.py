"""What the host asks of a kind of measurement: its offers, and cells that can be sampled.

There are two kinds: calls of a library (`calls/`) and transfers (`transfer/`). The host reads requests and knows the
limits that both share; what only one of them can't do, that kind refuses itself.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from messages import Value


class Offer(Protocol):
    """An algorithm of a provider, as `describe` tells it."""

    provider: str
    version: str
    algorithm: str
    path: str
    operations: list[str]
    forms: list[str]
    setup: str | None
    """Where the key is set up, if that is no operation of its own."""


class Want(NamedTuple):
    """What a cell shall be. Sizes are in bytes."""

    operation: str
    form: str
    message: int
    aad: int
    seed: int
    offset: int


class Cell(Protocol):
    """A prepared cell. All that it does raises Failure, Unsupported and whatever its library and the system raise."""

    def open(self) -> None:
        """Takes what the cell needs of the system. Called once, before all others but `close`."""

    def close(self) -> None:
        """Gives it back. Right at any time."""

    def sample(self, warmup_ns: int, iterations: int) -> dict[str, Value]:
        """One timed batch: what the reply says of it beside its cell and iterations."""

    def latency(self, warmup_ns: int, count: int) -> list[int]:
        """The nanoseconds of single iterations."""

    def digest(self, first: int, iteration: int) -> str:
        """The SHA-256, in hex, of what an iteration puts out; `first` is where its chain begins, if it is in one."""


class Kind(Protocol):
    offers: list[Offer]
    most_cells: int
    tidies: bool
    """Whether its cells hold files and processes, which must go before this process does."""

    def check(
        self, offer: Offer, operation: str, form: str, *, key: bytes, nonce: bytes, aad: bytes, text: bytes
    ) -> bytes:
        """The output for one input. Raises Rejected and Unsupported."""

    def cell(self, offer: Offer, want: Want) -> Cell:
        """A cell that is not open yet. Raises Unsupported."""


class Absent(NamedTuple):
    """A provider that can't run here, and why."""

    provider: str
    why: str
