"""A cell of calls: its parameters, its memory, and the set-up of its buffers in an arena before each sample."""

from __future__ import annotations

from typing import Union

from calls.arena import ROOM, Carver, round_up
from calls.loops import SET_KEY, SET_NONCE, SET_SHORT_NONCE, Loop, loop
from calls.offers import Offer
from kinds import Want
from stream import fill, seed_block, stream

Taken = Union[memoryview, bytes]  # a buffer of the type that the library takes


class Cell:
    """A measured cell. Passes on what the library raises if it refuses the key."""

    def __init__(self, offer: Offer, want: Want) -> None:
        self.offer, self.operation, self.form = offer, want.operation, want.form
        self.message, self.aad, self.offset = want.message, want.aad, want.offset  # bytes
        self.last = 0  # the number of the last iteration; 0 is digest's
        seed = want.seed
        self.key = stream("key", seed, offer.key)
        self.text, self.aad_text = seed_block("message", seed, self.message), seed_block("aad", seed, self.aad)
        rest = b"" if offer.zero_nonce else stream("nonce", seed, offer.nonce)[8:]
        self.rest = rest.ljust(max(0, offer.nonce - 8), b"\0")
        self.names = {} if want.operation == "key-setup" else {**offer.names(self.key), "key": self.key}

    @property
    def opens(self) -> bool:
        return self.operation in ("open", "decrypt")

    @property
    def chains(self) -> bool:
        """Whether an iteration works on the output of the one before it."""
        return self.form == "in-place" and self.operation in ("seal", "encrypt")

    @property
    def size(self) -> int:
        """The memory that the cell takes of an arena, in bytes."""
        if self.operation == "key-setup":
            return 0
        buffers = 2 if self.opens or self.form == "into" else 1
        return self.offset + buffers * round_up(self.message + ROOM) + round_up(self.aad)

    @property
    def need(self) -> int:
        """The most memory that the cell may take, in bytes: the arena, the same again for a recomputed digest, and what
        the library allocates."""
        if self.operation == "key-setup":
            return 0
        return 2 * self.size + self.offer.copies * self.message

    def arm(self, memory: memoryview) -> Loop:
        """Sets up the cell's buffers in `memory` and returns the loop to time."""
        if self.operation == "key-setup":
            return loop(self.offer.key_setup, {**self.offer.names(self.key), "rest": self.key[8:]}, SET_KEY)
        carver = Carver(memory, self.offset)
        first = carver.cut(self.message + ROOM)
        second = carver.cut(self.message + ROOM) if self.opens or self.form == "into" else first
        aad = carver.cut(self.aad)
        fill(aad, self.aad_text)
        plain = first[: self.message]
        if self.chains:
            plain = self.offer.plain(first, self.message)
        fill(plain, self.text)
        if self.opens:
            return self.arm_open(first, second, self.as_taken(plain), self.as_taken(aad))
        # Whatever may contain an older output is cleared, so that it cannot pass for this one.
        if self.form == "into":
            fill(second, bytes(1))
        names = {"source": self.as_taken(plain), "aad": self.as_taken(aad)}
        if self.form != "fresh":
            names["target"] = second[: self.offer.joined(self.message)]
        return self.sealing(names)

    def arm_open(self, first: memoryview, second: memoryview, plain: Taken, aad: Taken) -> Loop:
        """The same for open and decrypt: the text sealed with iteration 0's nonce is in `second`."""
        nonce = self.offer.before_nonce + (bytes(8) + self.rest)[: self.offer.nonce]
        names = {**self.names, "nonce": nonce, "aad": aad}
        seal = self.offer.operations[-2]
        parts = loop(self.offer.calls[seal, "fresh"], {**names, "source": plain}).repeat(0, 0)
        at = 0
        for part in parts:
            second[at : at + len(part)] = part
            at += len(part)
        del parts, plain
        fill(first, bytes(1))
        sealed, names["sealed_tag"] = self.offer.split(second[:at])
        if self.form == "in-place":
            names["sealed"], names["buffer"] = sealed, first[: len(sealed)]
            names["target"] = self.offer.plain(first, self.message)
        else:
            names["source"], names["target"] = self.as_taken(sealed), first[: self.message]
        return loop(self.offer.calls[self.operation, self.form], names)

    def sealing(self, names: dict[str, object]) -> Loop:
        """The loop of seal or encrypt, with another nonce each time where there is one."""
        offer, setting = self.offer, ""
        if offer.nonce:
            names["rest"], setting = self.rest, SET_SHORT_NONCE
        if offer.before_nonce:
            names["before"], setting = offer.before_nonce, SET_NONCE
        return loop(offer.calls[self.operation, self.form], {**self.names, **names}, setting)

    def as_taken(self, view: memoryview) -> Taken:
        """The view, or a copy outside the arena if the library takes no views."""
        return bytes(view) if self.offer.bytes_only else view
