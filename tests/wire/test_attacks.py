"""Our receiver refuses the second implementation's sender where that has the keys and lies."""

from __future__ import annotations

import contextlib
import struct
import time

import pytest

from conftest import tree
from sender import CHUNK, DATA, END, Entry, Out, Sender, connect, greet
from wire import PATIENCE, Broken, Ended

SIZE = 2 * CHUNK + 1
TEXT = bytes(range(251)) * (SIZE // 251 + 1)
FILES = [Entry("big", TEXT[:SIZE]), Entry("small", b"small")]


def admitted(ticket) -> Sender:
    """A sender that was let in, offered two files, and has two data connections."""
    return Sender(ticket, FILES, streams=2).offer().open()


def overlap(a: Sender) -> None:
    a.piece(0, 0, 2 * CHUNK)
    a.piece(0, CHUNK, CHUNK + 1)


def again(a: Sender) -> None:
    a.data()
    a.piece(0, 0, SIZE)


def empty(a: Sender) -> None:
    """Only an empty file has an empty piece."""
    a.piece(0, 0, 0)


def short_piece(a: Sender) -> None:
    """With more of them a sender could fill the receiver's memory."""
    a.piece(0, 0, 2**16 - 1)


def beyond(a: Sender) -> None:
    a.out.piece(0, 0, TEXT[: SIZE + 1])


def far_beyond(a: Sender) -> None:
    a.out.head(0, 2**64 - 1, 2)


def too_long(a: Sender) -> None:
    a.out.head(0, 0, 2**30 + 1)


def no_file(a: Sender) -> None:
    a.out.piece(2, 0, b"small")


def short_chunk(a: Sender) -> None:
    a.piece(0, 0, SIZE, chunk=CHUNK - 1)


def long_chunk(a: Sender) -> None:
    a.piece(0, 0, SIZE, chunk=CHUNK + 1)


def huge_frame(a: Sender) -> None:
    a.out.socket.sendall(struct.pack(">BI", 1, 2**32 - 1))


def tiny_frame(a: Sender) -> None:
    a.out.socket.sendall(struct.pack(">BI", END, 15) + bytes(15))


def data_first(a: Sender) -> None:
    a.out.frame(a.out.stream.frames, DATA, TEXT[:CHUNK])


def no_last(a: Sender) -> None:
    """The chunk that is a piece's last isn't marked so."""
    a.out.frame(a.out.stream.piece(a.out.head(1, 0, 5)), DATA, b"small")


def elsewhere(a: Sender) -> None:
    """A piece's key opens it in its own place only."""
    a.out.head(0, CHUNK, CHUNK + 1)
    a.out.frame(a.out.stream.piece(struct.pack(">IQQ", 0, 0, CHUNK + 1)), DATA, TEXT[:CHUNK])


def another_stream(a: Sender) -> None:
    a.out.frame(a.outs[1].stream.frames, 1, struct.pack(">IQQ", 1, 0, 5))


def end_unmarked(a: Sender) -> None:
    a.data()
    a.out.frame(a.out.stream.frames, END, b"")


def after_end(a: Sender) -> None:
    a.data()
    a.out.frame(a.out.stream.frames, END, b"", True)
    a.out.frame(a.out.stream.frames, END, b"", True)


def cut_after_end(a: Sender) -> None:
    a.data()
    a.out.frame(a.out.stream.frames, END, b"", True)
    a.out.socket.sendall(b"x")
    a.out.socket.close()


def hole_over_a_piece(a: Sender) -> None:
    a.piece(0, 0, 2 * CHUNK)
    a.out.hole(0, CHUNK, CHUNK + 1)


def piece_over_a_hole(a: Sender) -> None:
    a.out.hole(0, 0, 2 * CHUNK)
    a.piece(0, CHUNK, CHUNK + 1)


def hole_beyond(a: Sender) -> None:
    a.out.hole(0, 0, SIZE + 1)


def hole_far_beyond(a: Sender) -> None:
    a.out.hole(0, 2**64 - 1, 2)


def short_hole(a: Sender) -> None:
    a.out.hole(0, 0, 2**16 - 1)


def hole_in_no_file(a: Sender) -> None:
    a.out.hole(2, 0, 2**16)


# What only the sender itself can say, because it is authentic.
PIECE_LIES = {
    hole_over_a_piece: "a piece that came before",
    piece_over_a_hole: "a piece that came before",
    hole_beyond: "a piece beyond the end of its file",
    hole_far_beyond: "invalid",
    short_hole: "a piece that is too short",
    hole_in_no_file: "a piece of an unknown file",
    overlap: "a piece that came before",
    again: "a piece that came before",
    empty: "a piece that is too short",
    short_piece: "a piece that is too short",
    beyond: "a piece beyond the end of its file",
    far_beyond: "invalid",
    too_long: "the head of too long a piece",
    no_file: "a piece of an unknown file",
}
# What may have become of any frame on its way.
FRAME_LIES = {
    short_chunk: "a chunk other than the next one",
    long_chunk: "longer than a chunk",
    huge_frame: "longer than a chunk",
    tiny_frame: "too short for its tag",
    data_first: "a chunk without a piece",
    no_last: "a frame failed authentication",
    elsewhere: "a frame failed authentication",
    another_stream: "a frame failed authentication",
    end_unmarked: "a frame failed authentication",
    cut_after_end: "data after the stream's end",
    after_end: "data after the stream's end",
}


@pytest.mark.parametrize("lie", PIECE_LIES, ids=lambda lie: lie.__name__)
def test_our_receiver_refuses_pieces(ours, lie):
    process, ticket = ours.recv()
    sender = admitted(ticket)
    with contextlib.suppress(OSError):  # it needn't listen to the end
        lie(sender)
    with pytest.raises(Ended):
        sender.control.hear("authenticated")
    assert PIECE_LIES[lie] in ours.refuses(process)


@pytest.mark.parametrize("lie", FRAME_LIES, ids=lambda lie: lie.__name__)
def test_our_receiver_cuts_what_carries_damage_and_waits(ours, lie):
    process, ticket = ours.recv("--patience", "1s", quiet=False)
    sender = admitted(ticket)
    with contextlib.suppress(OSError):  # it needn't listen to the end
        lie(sender)
    with pytest.raises(Broken) as broken:
        sender.control.hear("authenticated")
    assert not isinstance(broken.value, Ended)
    code, _, err = ours.end(process)
    said = " ".join(err.split())
    assert FRAME_LIES[lie] in said and "waiting for the sender to come back" in said
    assert code == 5 and tree(ours.into) == {}


def end(a: Sender, *say: tuple[str, dict]) -> None:
    a.end()
    for kind, message in say:
        a.control.say(kind, **message)
    a.finish()


def gap(a: Sender) -> None:
    a.piece(0, 0, CHUNK)
    a.piece(0, CHUNK + 1, CHUNK)
    a.piece(1, 0, 5)
    end(a)


def withdrawn(number: object) -> tuple[str, dict]:
    return "withdrawn", {"file": number, "why": "changed"}


LAST_LIES = {
    "no pieces of a file": (lambda a: (a.piece(0, 0, SIZE), end(a)), "incomplete"),
    "no pieces": (end, "incomplete"),
    "a gap": (gap, "incomplete"),
    "withdrawn twice": (lambda a: (a.data(), end(a, withdrawn(0), withdrawn(0))), "withdrawn"),
    "withdrawn and no file": (lambda a: (a.data(), end(a, withdrawn(2))), "does not exist"),
    "withdrawn and below": (lambda a: (a.data(), end(a, withdrawn(-1))), "invalid"),
    "a manifest": (lambda a: (a.data(), end(a, ("manifest", {"file": 0, "size": SIZE, "pieces": 1}))), "manifest"),
}


@pytest.mark.parametrize("lie", LAST_LIES)
def test_our_receiver_refuses_what_follows_the_data(ours, lie):
    process, ticket = ours.recv()
    tell, why = LAST_LIES[lie]
    with pytest.raises(Broken):
        tell(admitted(ticket))
    assert why in ours.refuses(process)


def test_a_stream_without_its_end_completes_nothing(ours):
    """Every byte was there: what is missing is the word that there are no more."""
    process, ticket = ours.recv()
    sender = admitted(ticket)
    sender.data()
    sender.outs[0].end()
    sender.outs[1].socket.close()
    with pytest.raises(Broken):
        sender.finish()
    assert tree(ours.into) == {}
    sender.cut()
    assert sender.again().complete()[2]["files"] == 2
    ours.fine(process)


@pytest.mark.parametrize("number", [0, 1, 2, 65535])
def test_a_second_connection_for_a_stream_is_closed_alone(ours, number):
    """So says the page: it is a bad hello, and what was begun goes on."""
    process, ticket = ours.recv()
    sender = admitted(ticket)
    sender.data()
    state, until = ours.into / f".ciphermeter-{sender.transfer}", time.monotonic() + PATIENCE
    parts = [state / f"{one}.part" for one in range(2)]
    while [part.exists() and part.read_bytes() for part in parts] != [file.text for file in FILES]:
        assert time.monotonic() < until  # both streams were there first
        time.sleep(0.01)
    assert Out(ticket, sender.session, number).socket.recv(1) == b""
    sender.end()
    sender.finish()
    ours.fine(process)
    assert (ours.into / "big").read_bytes() == FILES[0].text


STRANGERS = {
    "nobody": {},
    "another token": {"token": "00" * 16},
    "another secret": {"transfer": "00" * 16, "resume": "00" * 16},
}


@pytest.mark.parametrize("who", STRANGERS)
def test_a_stranger_is_refused_and_the_ticket_holds(ours, who):
    process, ticket = ours.recv()
    with pytest.raises(Broken):
        greet(connect(ticket), **STRANGERS[who])
    sender = admitted(ticket)
    with pytest.raises(Broken):  # once, and no more
        greet(connect(ticket), token=ticket.token.hex())
    sender.data()
    sender.end()
    sender.finish()
    ours.fine(process)
