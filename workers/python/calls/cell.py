"""A cell of calls: its parameters, its memory, and the set-up of its buffers in an arena before each sample."""

from __future__ import annotations

import random
from typing import Union

from calls.arena import LINE, ROOM, Carver, round_up
from calls.loops import SET_KEY, SET_NONCE, SET_SECTOR, SET_SHORT_NONCE, Loop, loop, rotating_loop
from calls.offers import Offer
from kinds import Layout, Want
from messages import Unsupported
from stream import fill, seed_block, stream

Taken = Union[memoryview, bytes]  # a buffer of the type that the library takes


class Cell:
    """A measured cell. Not ready before `make_keys`."""

    def __init__(self, offer: Offer, want: Want) -> None:
        self.offer, self.operation, self.form = offer, want.operation, want.form
        self.message, self.aad, self.offset = want.message, want.aad, want.offset  # bytes
        self.texts, self.keys = want.texts, want.keys
        self.last = 0  # the number of the last iteration; 0 is digest's
        self.seed = want.seed
        self.text, self.aad_text = (
            seed_block("message", want.seed, self.message),
            seed_block("aad", want.seed, self.aad),
        )
        if self.operation != "key-setup":
            offer.refuse(self.message)
        rest = b"" if offer.zero_nonce or offer.sectors else stream("nonce", want.seed, offer.nonce)[8:]
        self.rest = rest.ljust(max(0, offer.nonce - 8), b"\0")
        # What lies behind a text in memory is not what the next call works on, so no CPU can fetch it beforehand.
        self.places = random.sample(range(self.texts), self.texts)
        if self.operation == "key-setup" and self.rotates:
            raise Unsupported("several texts or keys go round in single calls of one thread alone")
        if self.opens and self.texts % self.keys:
            raise Unsupported(f"{self.texts} texts to open under {self.keys} keys: each key has as many as any other")
        self.between: list[bytes] = []
        # Objects of one key, or one of each key where these go round.
        self.numbers = range(self.keys) if self.rotates else [0] * want.instances
        self.names: dict[int, dict[str, object]] = {}
        self.instance = 0

    def key(self, number: int = 0) -> bytes:
        return stream(f"key {number}" if number else "key", self.seed, self.offer.key)

    def make_keys(self) -> None:
        """Makes the library's objects, in an order of chance with something between them. Passes on what it raises."""
        count = 0 if self.operation == "key-setup" else len(self.numbers)
        for place in random.sample(range(count), count):
            key = self.key(self.numbers[place])
            self.names[place] = {**self.offer.names(key), "key": key}
            self.between.append(bytes(random.randrange(1024)))

    def move_to(self, layout: Layout) -> None:
        """Has texts and key lie there from the next sample on."""
        self.offset = layout.offset
        if not self.rotates:
            self.instance = layout.instance % max(len(self.names), 1)

    @property
    def rotates(self) -> bool:
        """Whether calls go round several texts or keys."""
        return self.texts > 1 or self.keys > 1

    @property
    def round(self) -> int:
        """Calls after which each key has had its turn; 0 where there is one."""
        return self.keys if self.keys > 1 else 0

    @property
    def opens(self) -> bool:
        return self.operation in ("open", "decrypt")

    @property
    def chains(self) -> bool:
        """Whether an iteration works on the output of the one before it."""
        return self.form == "in-place" and self.operation in ("seal", "encrypt")

    @property
    def stride(self) -> int:
        """The bytes from one text to the next, in cache lines."""
        return (self.message + ROOM + LINE - 1) // LINE * LINE

    @property
    def room(self) -> int:
        """The bytes of all texts."""
        return self.message + ROOM if self.texts == 1 else self.texts * self.stride

    @property
    def size(self) -> int:
        """The memory that the cell takes of an arena, in bytes."""
        if self.operation == "key-setup":
            return 0
        buffers = 2 if self.opens or self.form == "into" else 1
        return self.offset + buffers * round_up(self.room) + round_up(self.aad)

    @property
    def need(self) -> int:
        """The most memory that the cell may take, in bytes: the arena, the same again for a recomputed digest, what the
        library allocates, and the names of texts and keys."""
        if self.operation == "key-setup":
            return 0
        return 2 * self.size + self.offer.copies * self.message + 1024 * (self.texts + self.keys)

    def arm(self, memory: memoryview) -> Loop:
        """Sets up the cell's buffers in `memory` and returns the loop to time."""
        offer = self.offer
        if self.operation == "key-setup":
            key = self.key()
            return loop(offer.key_setup, {**offer.names(key), "rest": key[8:]}, SET_KEY)
        carver = Carver(memory, self.offset)
        first = carver.cut(self.room)
        second = carver.cut(self.room) if self.opens or self.form == "into" else first
        aad = carver.cut(self.aad)
        fill(aad, self.aad_text)
        fixed, setting = {"aad": self.as_taken(aad)}, ""
        if self.opens:
            fixed["nonce"] = offer.before_nonce + (bytes(8) + self.rest)[: offer.nonce]
        elif offer.before_nonce:
            fixed["before"], fixed["rest"], setting = offer.before_nonce, self.rest, SET_NONCE
        elif offer.nonce:
            fixed["rest"], setting = self.rest, SET_SECTOR if offer.sectors else SET_SHORT_NONCE
        call = offer.calls[self.operation, self.form]
        if not self.rotates:
            names = self.names[self.instance]
            return loop(call, {**fixed, **names, **self.set_up(first, second, {**fixed, **names})}, setting)
        texts: list[dict[str, object]] = [{}] * self.texts
        # In the order of the calls to come, so that each text was touched exactly a round before its turn.
        for number in range(self.last + 1, self.last + 1 + self.texts):
            at = self.places[number % self.texts] * self.stride
            part = slice(at, at + self.message + ROOM)
            names = {**fixed, **self.names[number % self.keys]}
            texts[number % self.texts] = self.set_up(first[part], second[part], names)
        keys = [self.names[number] for number in range(self.keys)]
        return rotating_loop(call, fixed, setting, {"texts": texts, "keys": keys})

    def set_up(self, first: memoryview, second: memoryview, names: dict[str, object]) -> dict[str, object]:
        """Sets one text up; returns the names of its buffers. `names` seal it where it is opened."""
        plain = first[: self.message]
        if self.chains:
            plain = self.offer.plain(first, self.message)
        fill(plain, self.text)
        if self.opens:
            return self.set_up_sealed(first, second, {**names, "source": self.as_taken(plain)})
        # Whatever may contain an older output is cleared, so that it cannot pass for this one.
        if self.form == "into":
            fill(second, bytes(1))
        own: dict[str, object] = {"source": self.as_taken(plain)}
        if self.form != "fresh":
            own["target"] = second[: self.offer.joined(self.message)]
        return own

    def set_up_sealed(self, first: memoryview, second: memoryview, names: dict[str, object]) -> dict[str, object]:
        """The same for open and decrypt: the text sealed with iteration 0's nonce is in `second`."""
        seal = self.offer.operations[-2]
        parts = loop(self.offer.calls[seal, "fresh"], names).repeat(0, 0)
        at = 0
        for part in parts:
            second[at : at + len(part)] = part
            at += len(part)
        del parts, names
        fill(first, bytes(1))
        own: dict[str, object] = {}
        sealed, own["sealed_tag"] = self.offer.split(second[:at])
        if self.form == "in-place":
            own["sealed"], own["buffer"] = sealed, first[: len(sealed)]
            own["target"] = self.offer.plain(first, self.message)
        else:
            own["source"], own["target"] = self.as_taken(sealed), first[: self.message]
        return own

    def as_taken(self, view: memoryview) -> Taken:
        """The view, or a copy outside the arena if the library takes no views."""
        return bytes(view) if self.offer.bytes_only else view
