"""Our binary refuses the second implementation where that has the keys and lies."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path

import pytest

from second import CHUNK, DATA, END, PIECE, Entry, Out, connect, finish, greet, manifest, offer
from wire import Broken, Ended, Session

SIZE = 2 * CHUNK + 1


class Attacker:
    """A sender who was let in, offered two files, and has a data connection."""

    def __init__(self, ticket, folder: Path) -> None:
        self.ticket, self.control = ticket, connect(ticket)
        self.welcome = welcome = greet(self.control, None, 2, token=ticket.token.hex())
        self.files = [Entry(folder / name, name) for name in ("big", "small")]
        self.text = bytes(range(251)) * (SIZE // 251 + 1)
        self.files[0].path.write_bytes(self.text[:SIZE])
        self.files[1].path.write_bytes(b"small")
        offer(self.control, self.files, [])
        self.session = Session.of(self.control, welcome)
        self.outs = [Out(ticket, self.session, number) for number in range(welcome["streams"])]
        self.out = self.outs[0]

    def piece(self, number: int, offset: int, length: int, **more: int) -> None:
        text = self.files[number].path.read_bytes()[offset : offset + length]
        head, tag = self.out.piece(number, offset, text, **more)
        self.files[number].pieces[head] = tag

    def head(self, *fields: int) -> None:
        """A piece frame alone."""
        self.out.frame(self.out.stream.frames, PIECE, struct.pack(">IQQ", *fields))

    def data(self) -> None:
        """All pieces, as they should be."""
        self.piece(0, 0, SIZE)
        self.piece(1, 0, 5)

    def end(self) -> None:
        for out in self.outs:
            out.end()

    def rest(self, *numbers: int, **wrong: object) -> tuple:
        """The end of the data, and these files' manifests, of which the last may be wrong."""
        self.end()
        for number in numbers:
            manifest(self.control, number, self.files[number], **(wrong if number == numbers[-1] else {}))
        return finish(self.control)


def overlap(a: Attacker) -> None:
    a.piece(0, 0, 2 * CHUNK)
    a.piece(0, CHUNK, CHUNK + 1)


def again(a: Attacker) -> None:
    a.data()
    a.piece(0, 0, SIZE)


def empty(a: Attacker) -> None:
    """Only an empty file has an empty piece."""
    a.piece(0, 0, 0)


def short_piece(a: Attacker) -> None:
    """With more of them a sender could fill the receiver's memory."""
    a.piece(0, 0, 2**16 - 1)


def beyond(a: Attacker) -> None:
    a.out.piece(0, 0, a.text[: SIZE + 1])


def far_beyond(a: Attacker) -> None:
    a.head(0, 2**64 - 1, 2)


def too_long(a: Attacker) -> None:
    a.head(0, 0, 2**30 + 1)


def no_file(a: Attacker) -> None:
    a.out.piece(2, 0, b"small")


def short_chunk(a: Attacker) -> None:
    a.piece(0, 0, SIZE, chunk=CHUNK - 1)


def long_chunk(a: Attacker) -> None:
    a.piece(0, 0, SIZE, chunk=CHUNK + 1)


def huge_frame(a: Attacker) -> None:
    a.out.socket.sendall(struct.pack(">BI", PIECE, 2**32 - 1))


def tiny_frame(a: Attacker) -> None:
    a.out.socket.sendall(struct.pack(">BI", END, 15) + bytes(15))


def data_first(a: Attacker) -> None:
    a.out.frame(a.out.stream.frames, DATA, a.text[:CHUNK])


def no_last(a: Attacker) -> None:
    """The chunk that is a piece's last isn't marked so."""
    a.head(1, 0, 5)
    a.out.frame(a.out.stream.piece(struct.pack(">IQQ", 1, 0, 5)), DATA, b"small")


def end_unmarked(a: Attacker) -> None:
    a.data()
    a.out.frame(a.out.stream.frames, END, b"")


def after_end(a: Attacker) -> None:
    a.data()
    a.out.frame(a.out.stream.frames, END, b"", True)
    a.out.frame(a.out.stream.frames, END, b"", True)


def cut_after_end(a: Attacker) -> None:
    a.data()
    a.out.frame(a.out.stream.frames, END, b"", True)
    a.out.socket.sendall(b"x")
    a.out.socket.close()


DATA_LIES = {
    overlap: "a piece that came before",
    again: "a piece that came before",
    empty: "too short a piece",
    short_piece: "too short a piece",
    beyond: "a piece beyond its file's end",
    far_beyond: "refused",
    too_long: "the head of too long a piece",
    no_file: "a piece of no file",
    short_chunk: "not the chunk that is due",
    long_chunk: "longer than a chunk",
    huge_frame: "longer than a chunk",
    tiny_frame: "too short for its tag",
    data_first: "a chunk without a piece",
    no_last: "a frame doesn't open",
    end_unmarked: "a frame doesn't open",
    cut_after_end: "beyond the stream's end",
    after_end: "beyond the stream's end",
}


@pytest.mark.parametrize("lie", DATA_LIES, ids=lambda lie: lie.__name__)
def test_our_receiver_refuses_data(ours, lie):
    process, ticket = ours.recv()
    attacker = Attacker(ticket, ours.folder("from"))
    with contextlib.suppress(OSError):  # it needn't listen to the end
        lie(attacker)
    with pytest.raises(Ended):
        attacker.control.hear("authenticated")
    assert DATA_LIES[lie] in ours.refuses(process)


MANIFEST_LIES = {
    "wrong digest": (lambda a: (a.data(), a.rest(0, 1, digest="00" * 32)), "not what its manifest says"),
    "wrong count": (lambda a: (a.data(), a.rest(0, 1, pieces=2)), "not what its manifest says"),
    "wrong size": (lambda a: (a.data(), a.rest(0, 1, size=6)), "refused"),
    "no pieces": (lambda a: (a.piece(0, 0, SIZE), a.rest(0, 1)), "not what its manifest says"),
    "a gap": (
        lambda a: (a.piece(0, 0, CHUNK), a.piece(0, CHUNK + 1, CHUNK), a.piece(1, 0, 5), a.rest(0, 1)),
        "not what",
    ),
    "closed twice": (lambda a: (a.data(), a.rest(0, 1, 1)), "closed twice"),
    "no such file": (lambda a: (a.data(), a.rest(0, 1, file=2)), "there is no such file"),
    "never closed": (lambda a: (a.data(), a.rest(0)), "never closed"),
}


@pytest.mark.parametrize("lie", MANIFEST_LIES)
def test_our_receiver_refuses_a_manifest(ours, lie):
    process, ticket = ours.recv()
    attacker = Attacker(ticket, ours.folder("from"))
    tell, why = MANIFEST_LIES[lie]
    with pytest.raises(Broken):
        tell(attacker)
    assert why in ours.refuses(process)


@pytest.mark.parametrize("number", [0, 1, 2, 65535])
def test_a_second_connection_for_a_stream_is_closed_alone(ours, number):
    """So says the page: it is a bad hello, and what was begun goes on."""
    process, ticket = ours.recv()
    attacker = Attacker(ticket, ours.folder("from"))
    attacker.data()
    assert Out(ticket, attacker.session, number).socket.recv(1) == b""
    attacker.rest(0, 1)
    ours.fine(process)
    assert (ours.into / "big").read_bytes() == attacker.files[0].path.read_bytes()


STRANGERS = {
    "nobody": {},
    "another token": {"token": "00" * 16},
    "another secret": {"transfer": "00" * 16, "resume": "00" * 16},
}


@pytest.mark.parametrize("who", STRANGERS)
def test_a_stranger_is_refused_and_the_ticket_holds(ours, who):
    process, ticket = ours.recv()
    with pytest.raises(Broken):
        greet(connect(ticket), None, 1, **STRANGERS[who])
    attacker = Attacker(ticket, ours.folder("from"))
    with pytest.raises(Broken):  # once, and no more
        greet(connect(ticket), None, 1, token=ticket.token.hex())
    attacker.data()
    attacker.rest(0, 1)
    ours.fine(process)
