"""A second sender and receiver, written from crates/transfer/WIRE.md alone: `send` and `Receiver.receive`.

They are made of steps that the tests take in another order, or wrongly, to attack the first implementation.
"""

from __future__ import annotations

import datetime
import hashlib
import hmac
import os
import secrets
import socket
import struct
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from OpenSSL import SSL

from wire import (
    ALPN,
    CHUNK,
    DATA,
    END,
    PATIENCE,
    PIECE,
    TAG,
    Broken,
    Control,
    Sequence,
    Session,
    Stream,
    Ticket,
    best,
    digest_of,
    hash_of,
)

RUN = 2**24  # bytes of a piece
RATES = [{"suite": suite, "seal": 1000, "open": 1000} for suite in ("aes-256-gcm", "chacha20-poly1305")]


@dataclass
class Entry:
    """A file that is offered; `pieces` maps the heads of those that went out to the tags of their last chunks."""

    path: Path
    name: str
    have: list[tuple[int, int]] = field(default_factory=list)
    pieces: dict[bytes, bytes] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return self.path.stat().st_size


def entries_of(paths: list[Path]) -> tuple[list[Entry], list[str]]:
    """The files under these paths and the names of the folders with nothing in them."""
    files, folders = [], []
    for top in paths:
        for path in [top, *sorted(top.rglob("*"))]:
            name = path.relative_to(top.parent).as_posix()
            if path.is_file():
                files.append(Entry(path, name))
            elif not any(path.iterdir()):
                folders.append(name)
    return files, folders


def connect(ticket: Ticket) -> Control:
    context = SSL.Context(SSL.TLS_CLIENT_METHOD)
    context.set_alpn_protos([ALPN])
    return Control.over(socket.create_connection(ticket.addresses[0], PATIENCE), context, ticket.key_hash)


def greet(control: Control, wanted: str | None, streams: int, **who: str) -> dict:
    """Says hello with a token, or with a transfer and its resume secret; checks the suite."""
    more = {"wanted": wanted} if wanted else {}
    control.say("hello", wire=1, **who, suites=RATES, streams=streams, **more)
    welcome = control.hear("welcome")
    if not welcome["asked"] and welcome["suite"] != (wanted or best(RATES, welcome["suites"])):
        raise Broken(f"the receiver took {welcome['suite']}, which the rates don't come to")
    return welcome


def offer(control: Control, files: list[Entry], folders: list[str]) -> None:
    for file in files:
        about = file.path.stat()
        version = hashlib.sha256(f"{about.st_ino} {about.st_mtime_ns} {about.st_ctime_ns}".encode()).hexdigest()[:32]
        mode, modified = about.st_mode & 0o777, int(about.st_mtime)
        control.say("file", name=file.name, size=file.size, mode=mode, modified=modified, version=version)
    for folder in folders:
        control.say("folder", name=folder, mode=0o755)
    control.say("offered", files=len(files), bytes=sum(file.size for file in files))
    while (message := control.hear("have", "ready"))["is"] == "have":
        files[message["file"]].have.append((message["offset"], message["length"]))


def gaps(file: Entry) -> list[tuple[int, int]]:
    """The pieces that a file still needs."""
    if file.size == 0:
        return [] if file.have else [(0, 0)]
    missing, at = [], 0
    for offset, length in [*sorted(file.have), (file.size, 0)]:
        missing += [(start, min(RUN, offset - start)) for start in range(at, offset, RUN)]
        at = offset + length
    return missing


class Out:
    """A data connection that sends."""

    def __init__(self, ticket: Ticket, session: Session, number: int) -> None:
        self.stream = Stream(session, number, secrets.token_bytes(16))
        self.socket = socket.create_connection(ticket.addresses[0], PATIENCE)
        self.socket.sendall(session.hello(number, self.stream.salt))

    def frame(self, sequence: Sequence, kind: int, text: bytes, last: bool = False) -> bytes:
        """Sends a frame; returns its tag."""
        sealed = sequence.seal(kind, text, last)
        self.socket.sendall(sealed)
        return sealed[-TAG:]

    def piece(self, number: int, offset: int, text: bytes, chunk: int = CHUNK) -> tuple[bytes, bytes]:
        """Sends a piece; returns its head and its last chunk's tag."""
        head = struct.pack(">IQQ", number, offset, len(text))
        self.frame(self.stream.frames, PIECE, head)
        sequence, starts = self.stream.piece(head), range(0, max(len(text), 1), chunk)
        for start in starts:
            tag = self.frame(sequence, DATA, text[start : start + chunk], start == starts[-1])
        return head, tag

    def end(self) -> None:
        self.frame(self.stream.frames, END, b"", True)
        self.socket.close()


def send_pieces(out: Out, work: list[tuple[int, Entry, int, int]]) -> None:
    for number, file, offset, length in work:
        with file.path.open("rb") as source:
            source.seek(offset)
            head, tag = out.piece(number, offset, source.read(length))
        file.pieces[head] = tag
    out.end()


def manifest(control: Control, number: int, file: Entry, /, **wrong: object) -> None:
    about = {"size": file.size, "pieces": len(file.pieces), "digest": digest_of(file.pieces)}
    control.say("manifest", **{"file": number, **about, **wrong})


def finish(control: Control) -> tuple[dict, list[dict], dict]:
    """Says that all was sent; returns what was authenticated, what failed, and what is durable."""
    control.say("sent")
    heard = [control.hear("authenticated")]
    while heard[-1]["is"] != "durable":
        heard.append(control.hear("failed", "durable"))
    control.say("bye")
    control.close()
    return heard[0], heard[1:-1], heard[-1]


def send(ticket: Ticket, paths: list[Path], wanted: str | None = None, streams: int = 1) -> tuple:
    """Sends files and folders; returns the receipts."""
    control = connect(ticket)
    welcome = greet(control, wanted, streams, token=ticket.token.hex())
    files, folders = entries_of(paths)
    offer(control, files, folders)
    session = Session.of(control, welcome)
    work = [(number, file, *gap) for number, file in enumerate(files) for gap in gaps(file)]
    outs = [Out(ticket, session, number) for number in range(welcome["streams"])]
    with ThreadPoolExecutor(len(outs)) as threads:
        list(threads.map(send_pieces, outs, [work[number :: len(outs)] for number in range(len(outs))]))
    for number, file in enumerate(files):
        manifest(control, number, file)
    return finish(control)


@dataclass
class Incoming:
    """A file that is being received. `ranges` is what is here or claimed, `before` where an earlier attempt's begin."""

    name: str
    size: int
    part: int
    ranges: list[tuple[int, int]] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    pieces: dict[bytes, bytes] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def claim(self, offset: int, length: int) -> None:
        with self.lock:
            over = any(offset < start + long and start < offset + length for start, long in self.ranges)
            again = (offset, length) in self.ranges
            if over or again or length > 2**30 or offset + length > self.size or (length == 0 and self.size):
                raise Broken(f"a piece of {self.name} that isn't due")
            self.ranges.append((offset, length))

    def check(self, told: dict) -> None:
        whole = bool(self.ranges) and sum(length for _, length in self.ranges) == self.size
        if not whole or told["pieces"] != len(self.pieces) or told["digest"] != digest_of(self.pieces):
            raise Broken(f"{self.name} isn't whole")


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


class Receiver:
    """Listens on this machine, takes one sender. `welcome` and `have` are what a test makes it lie with."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.files, self.folders = folder, [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(PATIENCE)
        self.key, self.token = ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(16)
        self.ticket = Ticket(hash_of(self.key.public_key()), self.token, [self.listener.getsockname()])

    def context(self) -> SSL.Context:
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "receiver")])
        day = datetime.datetime(2020, 1, 1)
        made = x509.CertificateBuilder(name, name, self.key.public_key(), 1, day, day + datetime.timedelta(99999))
        context = SSL.Context(SSL.TLS_SERVER_METHOD)
        context.use_certificate(made.sign(self.key, hashes.SHA256()))
        context.use_privatekey(self.key)
        context.set_alpn_select_callback(lambda _, offered: ALPN if ALPN in offered else b"")
        return context

    def welcome(self, hello: dict) -> dict:
        suite = hello.get("wanted") or best(hello["suites"], RATES)
        return {"suites": RATES, "suite": suite, "why": "the rates", "asked": False, "streams": hello["streams"]}

    def have(self) -> list[tuple[int, int, int]]:
        """File, offset and length of what is here already."""
        return []

    def receive(self) -> None:
        """Takes a transfer; the files get their names when all is there."""
        plain, _ = self.listener.accept()
        control = Control.over(plain, self.context(), None)
        hello = control.hear("hello")
        if not hmac.compare_digest(bytes.fromhex(hello["token"]), self.token):
            control.say("refused", why="this is not my ticket")
            raise Broken("a wrong token")
        transfer, resume = secrets.token_hex(16), secrets.token_hex(16)
        welcome = {"wire": 1, "transfer": transfer, "attempt": 1, "resume": resume, **self.welcome(hello)}
        control.say("welcome", **welcome)
        self.hear_offer(control)
        for number, offset, length in self.have():
            control.say("have", file=number, offset=offset, length=length)
            self.files[number].claim(offset, length)
            self.files[number].before.append(offset)
        control.say("ready")
        session = Session.of(control, welcome)
        with ThreadPoolExecutor(1) as beside:
            data = beside.submit(self.take_streams, session, welcome["streams"])
            while (message := control.hear("manifest", "sent"))["is"] == "manifest":
                data.result(PATIENCE)
                self.files[message["file"]].check(message)
            data.result(PATIENCE)
        self.place(control)

    def hear_offer(self, control: Control) -> None:
        while (message := control.hear("file", "folder", "offered"))["is"] != "offered":
            if set(message["name"].split("/")) & {"", ".", ".."}:
                raise Broken("a name that leads elsewhere")
            if message["is"] == "folder":
                self.folders.append(message["name"])
                continue
            part = os.open(self.folder / f".{len(self.files)}.part", os.O_RDWR | os.O_CREAT, 0o600)
            self.files.append(Incoming(message["name"], message["size"], part))
        if (message["files"], message["bytes"]) != (len(self.files), sum(file.size for file in self.files)):
            raise Broken("the offer's sums are wrong")

    def take_streams(self, session: Session, count: int) -> None:
        streams = {}
        while len(streams) < count:
            source, _ = self.listener.accept()
            source.settimeout(PATIENCE)
            number, salt = session.expect(read_exactly(source, 74))
            if number in streams or number >= count:
                raise Broken("a stream comes twice, or wasn't asked for")
            streams[number] = (source, Stream(session, number, salt))
        with ThreadPoolExecutor(count) as threads:
            list(threads.map(lambda pair: self.take(*pair), streams.values()))

    def take(self, source: socket.socket, stream: Stream) -> None:
        try:
            while True:
                kind, sealed = read_frame(source, (PIECE, 20), (END, 0))
                head = stream.frames.open(kind, sealed, kind == END)
                if kind == END:
                    break
                self.take_piece(source, stream.piece(head), head)
        except InvalidTag as error:
            raise Broken("a frame doesn't open") from error
        if source.recv(1):
            raise Broken("bytes after the end")

    def take_piece(self, source: socket.socket, sequence: Sequence, head: bytes) -> None:
        number, offset, length = struct.unpack(">IQQ", head)
        file = self.files[number]
        if length < 2**16 and offset + length not in (file.size, *file.before):
            raise Broken("too short a piece")
        file.claim(offset, length)
        for start in range(0, max(length, 1), CHUNK):
            _, sealed = read_frame(source, (DATA, min(CHUNK, length - start)))
            text = sequence.open(DATA, sealed, start + CHUNK >= length)
            os.pwrite(file.part, text, offset + start)
        file.pieces[head] = sealed[-TAG:]

    def place(self, control: Control) -> None:
        if not all(file.ranges for file in self.files):
            raise Broken("something never came")
        control.say("authenticated", files=len(self.files))
        for number, file in enumerate(self.files):
            path = self.folder / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            os.fsync(file.part)
            os.close(file.part)
            os.link(self.folder / f".{number}.part", path)
            (self.folder / f".{number}.part").unlink()
        for folder in self.folders:
            (self.folder / folder).mkdir(parents=True)
        control.say("durable", files=len(self.files))
        control.hear("bye")
        control.close()
