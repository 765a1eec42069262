"""The other way round: a receiver that calls, and a sender that listens."""

from __future__ import annotations

import hmac
import socket
from collections.abc import Iterable
from pathlib import Path

from listens import Listens
from receiver import Receiver, read_exactly
from sender import Entry, Folder, Frames, Sender, connect, greet, join
from wire import HELLO, PATIENCE, WIRE, Broken, Session, Stream, Ticket


class Caller(Receiver):
    """Connects to a sender that listens: with the ticket's token, or with the secret when it comes back."""

    opener = "receiver"

    def __init__(self, folder: Path, ticket: Ticket) -> None:
        self.begin(folder)
        self.ticket, self.joined = ticket, []

    def call(self, **message: object) -> dict:
        """Says a call and hears the hello."""
        self.control = connect(self.ticket)
        self.control.say("call", **{"wire": WIRE, **message})
        return self.control.hear("hello")

    def meet(self) -> dict:
        known = {"transfer": self.transfer, "resume": self.resume}
        hello = self.call(**({"token": self.ticket.token.hex()} if self.attempt == 0 else known))
        said = {key: hello[key] for key in ("token", *known) if key in hello}
        if hello["wire"] != WIRE or said != ({} if self.attempt == 0 else known):
            raise Broken(f"a hello that isn't due: {said}")
        return hello

    def open(self, session: Session, number: int) -> tuple[socket.socket, Stream]:
        plain, stream, _ = join(self.ticket, session, number)
        self.joined.append(plain)
        return plain, stream

    def join(self, session: Session, count: int) -> list[tuple[socket.socket, Stream]]:
        return [self.open(session, number) for number in range(count)]

    def give_up(self) -> None:
        for plain in self.joined:
            plain.close()

    def cut(self) -> None:
        """Is gone without a word."""
        self.give_up()
        self.control.plain.close()


class Answerer(Listens, Sender):
    """Listens, and sends to the receiver that calls. `says` is what a test puts into its hello."""

    opener = "receiver"

    def __init__(self, things: Iterable[Entry | Folder], wanted: str | None = None, streams: int = 1) -> None:
        self.begin(things)
        self.listen()
        self.wanted, self.streams, self.says = wanted, streams, {}
        self.transfer = self.resume = None

    def meet(self) -> dict:
        """Lets the receiver in; returns its call."""
        self.control = self.accept()
        call = self.control.hear("call")
        known = {"transfer": self.transfer, "resume": self.resume}
        by_token = hmac.compare_digest(call.get("token", ""), self.token.hex())
        if call["wire"] != WIRE or not (by_token or {key: call.get(key) for key in known} == known):
            self.control.say("refused", why="this is not my ticket")
            raise Broken("a wrong token")
        return call

    def answer(self) -> Answerer:
        """Lets the receiver in, for the first time or again, and hears how it goes on."""
        self.call = self.meet()
        self.begin(self.things)
        who = {"transfer": self.transfer, "resume": self.resume} if self.transfer else {}
        self.welcome = greet(self.control, self.wanted, self.streams, **who, **self.says)
        self.transfer, self.resume = self.welcome["transfer"], self.welcome.get("resume", self.resume)
        return self

    def open(self) -> Answerer:
        """Takes the data connections."""
        found = {}
        while len(found) < self.welcome["streams"]:
            plain, _ = self.listener.accept()
            plain.settimeout(PATIENCE)
            number, salt = self.session.expect(read_exactly(plain, HELLO))
            if number in found or number >= self.welcome["streams"]:
                raise Broken("a stream comes twice, or wasn't asked for")
            found[number] = Frames(plain, Stream(self.session, number, salt))
        self.outs = [found[number] for number in sorted(found)]
        return self
