"""Calls as a kind of measurement: vectors are checked by the statements that are timed."""

from __future__ import annotations

from calls.cell import Cell
from calls.check import check
from calls.offers import Offer
from calls.timing import Bench, Timed
from kinds import Want


class Calls:
    most_cells = 2**16
    tidies = False

    check = staticmethod(check)

    def __init__(self, offers: list[Offer]) -> None:
        self.offers = offers
        self.bench = Bench()

    def cell(self, offer: Offer, want: Want) -> Timed:
        return Timed(Cell(offer, want), self.bench)
