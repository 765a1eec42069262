"""A second sender, written from crates/transfer/WIRE.md alone: `send`.

It is made of steps that the tests take in another order, or wrongly, to attack the first implementation.
"""

from __future__ import annotations

import hashlib
import secrets
import socket
import struct
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from OpenSSL import SSL

from wire import (
    CHUNK,
    DATA,
    END,
    HELLO,
    HOLE,
    PATIENCE,
    PIECE,
    RATES,
    WIRE,
    Broken,
    Control,
    Sequence,
    Session,
    Stream,
    Ticket,
    best,
    line_of,
)

RUN = 2**24  # bytes of a piece


@dataclass
class Entry:
    """A file or link that is offered. `time` is in ns since 1970; `size` may be a lie; `more` is in its line."""

    name: str
    text: bytes = b""
    mode: int = 0o644
    time: int = 0
    size: int | None = None
    more: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.size = len(self.text) if self.size is None else self.size

    def line(self) -> bytes:
        version = hashlib.sha256(f"{self.name} {self.time} {self.size}".encode()).hexdigest()[:32]
        modified, nanoseconds = divmod(self.time, 10**9)
        times = {"modified": modified, "nanoseconds": nanoseconds}
        message = {"name": self.name, "size": self.size, "mode": self.mode, **times, "version": version, **self.more}
        return line_of("file", message)


@dataclass
class Folder:
    name: str
    mode: int = 0o755

    def line(self) -> bytes:
        return line_of("folder", {"name": self.name, "mode": self.mode})


def things_of(paths: Iterable[Path]) -> list[Entry | Folder]:
    """The files and folders under these paths, each folder before what is in it."""
    things = []
    for top in paths:
        for path in [top, *sorted(top.rglob("*"))]:
            name, about = path.relative_to(top.parent).as_posix(), path.lstat()
            if path.is_symlink():
                things.append(Entry(name, mode=0, more={"link": str(path.readlink())}))
            elif path.is_dir():
                things.append(Folder(name, about.st_mode & 0o777))
            else:
                things.append(Entry(name, path.read_bytes(), about.st_mode & 0o777, about.st_mtime_ns))
    return things


def connect(ticket: Ticket, **over: bytes) -> Control:
    plain = socket.create_connection(ticket.addresses[0], PATIENCE)
    return Control.over(plain, SSL.Context(SSL.TLS_CLIENT_METHOD), ticket.key_hash, **over)


def greet(control: Control, wanted: str | None = None, streams: int = 1, **who: str) -> dict:
    """Says hello with a token, or with a transfer and its resume secret; checks the suite."""
    more = {"wanted": wanted} if wanted else {}
    control.say("hello", wire=WIRE, **who, suites=RATES, streams=streams, **more)
    welcome = control.hear("welcome")
    if not welcome["asked"] and welcome["suite"] != (wanted or best(RATES, welcome["suites"])):
        raise Broken(f"the receiver took {welcome['suite']}, against the rates")
    return welcome


def tell(control: Control, things: Iterable[Entry | Folder]) -> None:
    """Says the offer, all in one."""
    files = [thing for thing in things if isinstance(thing, Entry)]
    sums = {"files": len(files), "bytes": sum(file.size for file in files)}
    control.write(b"".join(thing.line() for thing in things) + line_of("offered", sums))


def gaps(size: int, have: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pieces that are still missing."""
    if size == 0:
        return [] if have else [(0, 0)]
    missing, at = [], 0
    for offset, length in [*sorted(have), (size, 0)]:
        missing += [(start, min(RUN, offset - start)) for start in range(at, offset, RUN)]
        at = offset + length
    return missing


def join(ticket: Ticket, session: Session, number: int, at_once: int = HELLO) -> tuple[socket.socket, Stream, bytes]:
    """Opens a data connection with as much of its hello as is said at once; the rest of it comes last."""
    stream = Stream(session, number, secrets.token_bytes(16))
    plain = socket.create_connection(ticket.addresses[0], PATIENCE)
    hello = session.hello(number, stream.salt)
    plain.sendall(hello[:at_once])
    return plain, stream, hello[at_once:]


class Frames:
    """A data connection that frames go over."""

    def __init__(self, plain: socket.socket, stream: Stream) -> None:
        self.socket, self.stream = plain, stream

    def frame(self, sequence: Sequence, kind: int, text: bytes, last: bool = False) -> None:
        self.socket.sendall(sequence.seal(kind, text, last))

    def head(self, *fields: int) -> bytes:
        """A piece's frame alone: file, offset and length."""
        head = struct.pack(">IQQ", *fields)
        self.frame(self.stream.frames, PIECE, head)
        return head

    def piece(self, number: int, offset: int, text: bytes, chunk: int = CHUNK) -> None:
        sequence = self.stream.piece(self.head(number, offset, len(text)))
        starts = range(0, max(len(text), 1), chunk)
        for start in starts:
            self.frame(sequence, DATA, text[start : start + chunk], start == starts[-1])

    def hole(self, *fields: int) -> None:
        """A run of zeros: file, offset and length."""
        self.frame(self.stream.frames, HOLE, struct.pack(">IQQ", *fields))

    def end(self) -> None:
        self.frame(self.stream.frames, END, b"", True)
        self.socket.close()


class Out(Frames):
    """A data connection that this end opens."""

    def __init__(self, ticket: Ticket, session: Session, number: int, at_once: int = HELLO) -> None:
        plain, stream, self.unsaid = join(ticket, session, number, at_once)
        super().__init__(plain, stream)


class Sender:
    """A sender that was let in, step by step; `before` is the attempt that it resumes."""

    opener = "sender"  # of the data connections

    def __init__(
        self,
        ticket: Ticket,
        things: Iterable[Entry | Folder] = (),
        before: Sender | None = None,
        wanted: str | None = None,
        streams: int = 1,
    ) -> None:
        self.ticket = ticket
        self.begin(things)
        who = {"transfer": before.transfer, "resume": before.resume} if before else {"token": ticket.token.hex()}
        self.control = connect(ticket)
        self.welcome = greet(self.control, wanted, streams, **who)
        self.transfer = self.welcome["transfer"]
        self.resume = before.resume if before else self.welcome.get("resume")  # none of a receiver that pipes

    def begin(self, things: Iterable[Entry | Folder]) -> None:
        self.things, self.outs = list(things), []
        self.files = [thing for thing in self.things if isinstance(thing, Entry)]
        self.have, self.skipped = [[] for _ in self.files], {}

    def again(self, things: Iterable[Entry | Folder] | None = None) -> Sender:
        """Comes back; with another offer, if one is given."""
        return Sender(self.ticket, self.things if things is None else things, self)

    def offer(self) -> Sender:
        """Says the offer and waits until it is accepted."""
        tell(self.control, self.things)
        while (message := self.control.hear("have", "skip", "compare", "ready"))["is"] != "ready":
            if message["is"] == "have":
                self.have[message["file"]].append((message["offset"], message["length"]))
            elif message["is"] == "skip":
                self.skipped[message["file"]] = message["why"]
            else:
                kind, answer = self.digests([self.files[file] for file in message["files"]])
                self.control.say(kind, **answer)
        self.session = Session.of(self.control, self.welcome, self.opener)
        return self

    def digests(self, files: list[Entry]) -> tuple[str, dict]:
        """What it answers when it is asked to compare."""
        return "digests", {"sha256": [hashlib.sha256(file.text).hexdigest() for file in files]}

    def open(self) -> Sender:
        """Opens the data connections."""
        self.outs = [Out(self.ticket, self.session, number) for number in range(self.welcome["streams"])]
        return self

    @property
    def out(self) -> Out:
        return self.outs[0]

    def piece(self, number: int, offset: int, length: int, **more: int) -> None:
        self.out.piece(number, offset, self.files[number].text[offset : offset + length], **more)

    def data(self) -> None:
        """All pieces that are missing, over all connections."""
        work = [
            (number, *gap)
            for number, file in enumerate(self.files)
            if number not in self.skipped and "link" not in file.more
            for gap in gaps(file.size, self.have[number])
        ]

        def share(out: Out) -> None:
            for number, offset, length in work[out.stream.number :: len(self.outs)]:
                out.piece(number, offset, self.files[number].text[offset : offset + length])

        with ThreadPoolExecutor(len(self.outs)) as threads:
            list(threads.map(share, self.outs))

    def end(self) -> None:
        for out in self.outs:
            out.end()

    def finish(self) -> tuple[dict, list[dict], dict]:
        """Says that all was sent; returns what was authenticated, what failed, and what is durable."""
        self.control.say("sent")
        heard = [self.control.hear("authenticated")]
        while heard[-1]["is"] != "durable":
            message = self.control.hear("authenticated", "failed", "durable")
            heard += [message] if message["is"] != "authenticated" else []  # again: it lives
        self.control.say("bye")
        self.control.close()
        return heard[0], heard[1:-1], heard[-1]

    def complete(self) -> tuple[dict, list[dict], dict]:
        """Everything from the offer to the receipts."""
        self.offer().open().data()
        self.end()
        return self.finish()

    def cut(self) -> None:
        """Is gone without a word."""
        for one in [out.socket for out in self.outs] + [self.control.plain]:
            one.close()


def send(ticket: Ticket, paths: Iterable[Path], wanted: str | None = None, streams: int = 1) -> tuple:
    """Sends files and folders; returns the receipts."""
    return Sender(ticket, things_of(paths), None, wanted, streams).complete()
