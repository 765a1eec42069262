"""Transfers as a kind of measurement: cells with a file to send and a process that receives it."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple, NoReturn

from kinds import Want
from messages import Unsupported
from transfer.cell import Cell
from transfer.monitor import Monitor


class Offer(NamedTuple):
    """An algorithm with which files can be transferred."""

    provider: str
    version: str
    algorithm: str
    path: str

    operations = ("transfer",)
    forms = ("discard", "file")
    setup = None


class Transfers:
    most_cells = 256  # each is a process
    tidies = True

    def __init__(self, offers: list[Offer]) -> None:
        self.offers = offers

    @cached_property
    def monitor(self) -> Monitor:
        """The monitor of this process, whose thread starts with the first transfer."""
        return Monitor()

    def check(self, *_: object, **__: object) -> NoReturn:
        raise Unsupported("transfers have no vectors; they are verified by digests")

    def cell(self, offer: Offer, want: Want) -> Cell:
        if want.aad:
            raise Unsupported(f"an aad of {want.aad} bytes; the paper's scheme has none")
        return Cell(offer.algorithm, want, self.monitor)
