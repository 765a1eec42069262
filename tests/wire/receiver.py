"""A second receiver, written from crates/transfer/WIRE.md alone: `Receiver.receive`.

It is made of steps that the tests take in another order, or wrongly, to attack the first implementation.
"""

from __future__ import annotations

import hmac
import os
import secrets
import socket
import struct
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidTag

from listens import Listens
from wire import (
    CHUNK,
    DATA,
    END,
    HELLO,
    HOLE,
    PATIENCE,
    PIECE,
    RATES,
    TAG,
    WIRE,
    Broken,
    Control,
    Sequence,
    Session,
    Stream,
    best,
)


@dataclass
class Incoming:
    """A file that is being received. `ranges` is what is here or claimed, `before` where an earlier attempt's begin."""

    name: str
    size: int
    mode: int
    time: int
    part: int
    link: str | None = None
    ranges: list[tuple[int, int]] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def claim(self, offset: int, length: int, longest: int = 2**30) -> None:
        with self.lock:
            over = any(offset < start + long and start < offset + length for start, long in self.ranges)
            again = (offset, length) in self.ranges
            beyond = length > longest or offset + length > self.size or (length == 0 and self.size)
            if over or again or beyond or self.link:
                raise Broken(f"a piece of {self.name} that isn't due")
            self.ranges.append((offset, length))

    def is_complete(self) -> bool:
        if self.link:
            return True
        return bool(self.ranges) and sum(length for _, length in self.ranges) == self.size


def leads_out(name: str, link: str) -> bool:
    """Whether a link may lead out of the folder that its name begins with."""
    parts = [part for part in link.split("/") if part != "."]
    ups = 0
    while ups < len(parts) and parts[ups] == "..":
        ups += 1
    return link.startswith("/") or {"", ".."} & set(parts[ups:]) != set() or ups > name.count("/") - 1


def read_exactly(source: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        more = source.recv(count - len(data))
        if not more:
            raise Broken("a data connection was cut")
        data += more
    return bytes(data)


def read_frame(source: socket.socket, *due: tuple[int, int]) -> tuple[int, bytes]:
    """A frame of one of these kinds and lengths of plaintext."""
    kind, length = struct.unpack(">BI", read_exactly(source, 5))
    if (kind, length - TAG) not in due:
        raise Broken(f"a frame of kind {kind} and {length} bytes isn't due")
    return kind, read_exactly(source, length)


class Receiver(Listens):
    """Listens on this machine, takes one sender. `welcome` and `have` are what a test makes it lie with."""

    opener = "sender"  # of the data connections

    def __init__(self, folder: Path) -> None:
        self.begin(folder)
        self.listen()

    def begin(self, folder: Path) -> None:
        self.folder, self.files, self.folders, self.withdrawn = folder, [], [], {}
        self.transfer, self.resume, self.attempt = secrets.token_hex(16), secrets.token_hex(16), 0

    def welcome(self, hello: dict) -> dict:
        suite = hello.get("wanted") or best(hello["suites"], RATES)
        return {"suites": RATES, "suite": suite, "why": "the rates", "asked": False, "streams": hello["streams"]}

    def have(self) -> list[tuple[int, int, int]]:
        """File, offset and length of what is here already."""
        return []

    def skip(self) -> dict[int, str]:
        """Files that are not wanted, and why."""
        return {}

    def meet(self) -> dict:
        """Lets the ticket's sender in, or one that comes back with the secret; returns its hello."""
        self.control = control = self.accept()
        hello = control.hear("hello")
        first = self.attempt == 0
        said, right = (hello.get("token"), self.token.hex()) if first else (hello.get("resume"), self.resume)
        if hello["wire"] != WIRE or not hmac.compare_digest(said or "", right):
            control.say("refused", why="this is not my ticket")
            raise Broken("a wrong token")
        return hello

    def greet(self) -> tuple[Control, dict]:
        hello, control = self.meet(), self.control
        first = {"resume": self.resume} if self.attempt == 0 else {}
        self.attempt += 1
        about = {"wire": WIRE, "transfer": self.transfer, "attempt": self.attempt, **first}
        welcome = {**about, **self.welcome(hello)}
        control.say("welcome", **welcome)
        return control, welcome

    def agree(self, control: Control, welcome: dict) -> Session:
        """Hears the offer and accepts it."""
        self.files, self.folders = [], []
        self.hear_offer(control)
        for number, why in self.skip().items():
            control.say("skip", file=number, why=why)
        for number, offset, length in self.have():
            control.say("have", file=number, offset=offset, length=length)
            self.files[number].claim(offset, length)
            self.files[number].before.append(offset)
        control.say("ready")
        return Session.of(control, welcome, self.opener)

    def part(self, number: int) -> Path:
        return self.folder / f".ciphermeter-{number}.part"

    def receive(self) -> None:
        """Takes a transfer; the files get their names when all is there."""
        control, welcome = self.greet()
        session = self.agree(control, welcome)
        with ThreadPoolExecutor(1) as beside:
            data = beside.submit(self.take_streams, session, welcome["streams"])
            try:
                while (message := control.hear("withdrawn", "sent"))["is"] == "withdrawn":
                    self.withdrawn[message["file"]] = message["why"]
            except Broken:
                self.give_up()  # no data connection need be waited for
                raise
            data.result(PATIENCE)
        self.place(control)

    def give_up(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)

    def hear_offer(self, control: Control) -> None:
        while (message := control.hear("file", "folder", "offered"))["is"] != "offered":
            name, mode = message["name"], message["mode"]
            if set(name.split("/")) & {"", ".", ".."} or mode > 0o777:
                raise Broken("a name that leads elsewhere, or a mode that does more")
            if message["is"] == "folder":
                self.folders.append((name, mode))
                continue
            part = os.open(self.part(len(self.files)), os.O_RDWR | os.O_CREAT, 0o600)
            time = message["modified"] * 10**9 + message.get("nanoseconds", 0)
            link = message.get("link")
            if link is not None and (message["size"] or mode or leads_out(name, link)):
                raise Broken("a link that leads elsewhere, or has content")
            self.files.append(Incoming(name, message["size"], mode, time, part, link))
        if (message["files"], message["bytes"]) != (len(self.files), sum(file.size for file in self.files)):
            raise Broken("the offer's sums are wrong")

    def join(self, session: Session, count: int) -> list[tuple[socket.socket, Stream]]:
        """The data connections."""
        streams = {}
        while len(streams) < count:
            source, _ = self.listener.accept()
            source.settimeout(PATIENCE)
            number, salt = session.expect(read_exactly(source, HELLO))
            if number in streams or number >= count:
                raise Broken("a stream comes twice, or wasn't asked for")
            streams[number] = (source, Stream(session, number, salt))
        return list(streams.values())

    def take_streams(self, session: Session, count: int) -> None:
        with ThreadPoolExecutor(count) as threads:
            list(threads.map(lambda pair: self.take(*pair), self.join(session, count)))

    def take(self, source: socket.socket, stream: Stream) -> None:
        try:
            while True:
                kind, sealed = read_frame(source, (PIECE, 20), (END, 0), (HOLE, 20))
                head = stream.frames.open(kind, sealed, kind == END)
                if kind == END:
                    break
                if kind == HOLE:
                    self.take_hole(*struct.unpack(">IQQ", head))
                    continue
                self.take_piece(source, stream.piece(head), head)
        except InvalidTag as error:
            raise Broken("a frame doesn't open") from error
        if source.recv(1):
            raise Broken("bytes after the end")

    def take_hole(self, number: int, offset: int, length: int) -> None:
        file = self.files[number]
        if length < 2**16 and offset + length not in (file.size, *file.before):
            raise Broken("too short a hole")
        file.claim(offset, length, 2**64)
        if os.fstat(file.part).st_size < offset + length:
            os.ftruncate(file.part, offset + length)

    def take_piece(self, source: socket.socket, sequence: Sequence, head: bytes) -> None:
        number, offset, length = struct.unpack(">IQQ", head)
        file = self.files[number]
        if length < 2**16 and offset + length not in (file.size, *file.before):
            raise Broken("too short a piece")
        file.claim(offset, length)
        for start in range(0, max(length, 1), CHUNK):
            _, sealed = read_frame(source, (DATA, min(CHUNK, length - start)))
            os.pwrite(file.part, sequence.open(DATA, sealed, start + CHUNK >= length), offset + start)

    def place(self, control: Control) -> None:
        """Gives what is complete its name. A folder is never more open than it was offered, not even for a moment."""
        unwanted = {*self.withdrawn, *self.skip()}
        whole = {number: file for number, file in enumerate(self.files) if number not in unwanted}
        if not all(file.is_complete() for file in whole.values()):
            raise Broken("something never came")
        control.say("authenticated", files=len(whole))
        for name, mode in sorted(self.folders):
            (self.folder / name).mkdir(mode | 0o700, parents=True)
        for number, file in sorted(whole.items(), key=lambda pair: bool(pair[1].link)):
            path = self.folder / file.name
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            if file.link:
                path.symlink_to(file.link)
                continue
            os.fchmod(file.part, file.mode)
            os.utime(file.part, ns=(file.time, file.time))
            os.fsync(file.part)
            os.link(self.part(number), path)
        for number, file in enumerate(self.files):
            os.close(file.part)
            self.part(number).unlink()
        control.say("durable", files=len(whole))
        control.hear("bye")
        control.close()
