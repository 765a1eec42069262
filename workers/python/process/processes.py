"""Calls in processes of their own as a kind of measurement. Vectors are checked by the steps that are timed."""

from __future__ import annotations

from typing import NamedTuple

from cryptography.exceptions import InvalidTag

from kinds import Want
from messages import Rejected, Unsupported
from process.cell import KEY, Cell
from process.child import OPERATIONS
from process.procedure import BOXES, NONCES


class Offer(NamedTuple):
    """An algorithm of the paper's program."""

    provider: str
    version: str
    algorithm: str
    path: str

    forms = ("process",)
    setup = "inside"

    @property
    def operations(self) -> tuple[str, str]:
        return OPERATIONS[self.algorithm]


class Processes:
    most_cells = 2**16
    tidies = False

    def __init__(self, offers: list[Offer]) -> None:
        self.offers = offers

    def check(
        self, offer: Offer, operation: str, _form: str, *, key: bytes, nonce: bytes, aad: bytes, text: bytes
    ) -> bytes:
        """The output for one input. Raises Rejected and Unsupported."""
        if len(key) != KEY or len(nonce) != NONCES[offer.algorithm]:
            raise Unsupported(f"key of {len(key)} and nonce of {len(nonce)} bytes; the paper's are of other sizes")
        box = BOXES[offer.algorithm](key, nonce, aad)
        if operation in ("seal", "encrypt"):
            return box.encrypt(text).output
        try:
            return box.decrypt(text).output
        except (InvalidTag, ValueError):  # a forged tag, or padding that is none
            raise Rejected from None

    def cell(self, offer: Offer, want: Want) -> Cell:
        if (want.texts, want.keys) != (1, 1):
            raise Unsupported("a process that makes one call goes round no texts or keys")
        return Cell(offer.algorithm, want)
