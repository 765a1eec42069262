"""The host's interface to a kind of measurement: its offers, and cells that can be sampled.

There are two kinds: calls of a library (`calls/`) and transfers (`transfer/`). The host reads requests and knows the
limits that both share; what only one of them can't do, that kind refuses itself.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from messages import Value


class Offer(Protocol):
    """An algorithm of a provider, as in `describe`."""

    provider: str
    version: str
    algorithm: str
    path: str
    operations: list[str]
    forms: list[str]
    setup: str | None
    """Where the key is set up, if that is not a separate operation."""


class Want(NamedTuple):
    """The parameters of a cell. Sizes are in bytes."""

    operation: str
    form: str
    message: int
    aad: int
    seed: int
    offset: int
    instances: int = 1
    """How many objects of the key are made; samples say which they use."""

    texts: int = 1
    keys: int = 1
    """How many of each calls go round: iteration i works on text i mod `texts` under key i mod `keys`."""


class Layout(NamedTuple):
    """Where the parts of a sample lie. Python moves neither its stack nor its nonces."""

    offset: int
    """Of the texts in a page, in bytes."""

    instance: int
    """Which object of the key is used, counted round where there are fewer."""


class Cell(Protocol):
    """A prepared cell. Its methods raise Failure, Unsupported and whatever its library and the system raise."""

    def open(self) -> None:
        """Acquires the cell's resources from the system. Called once, before all other methods except `close`."""

    def close(self) -> None:
        """Releases them. May be called at any time."""

    def move_to(self, layout: Layout) -> None:
        """Has texts and key lie there from the next sample on."""

    def sample(self, warmup_ns: int, iterations: int) -> dict[str, Value]:
        """One timed batch: the reply's values besides cell and iterations."""

    def latency(self, warmup_ns: int, count: int) -> list[int]:
        """The nanoseconds of single iterations."""

    def digest(self, first: int, iteration: int) -> str:
        """The SHA-256, in hex, of an iteration's output; `first` is where its chain begins, if it is in one."""


class Kind(Protocol):
    offers: list[Offer]
    most_cells: int
    tidies: bool
    """Whether its cells have files and processes, which must go before this process ends."""

    def check(
        self, offer: Offer, operation: str, form: str, *, key: bytes, nonce: bytes, aad: bytes, text: bytes
    ) -> bytes:
        """The output for one input. Raises Rejected and Unsupported."""

    def cell(self, offer: Offer, want: Want) -> Cell:
        """A cell that is not open yet. Raises Unsupported."""


class Absent(NamedTuple):
    """A provider that cannot run here, and the reason."""

    provider: str
    why: str
