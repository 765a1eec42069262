"""A receiver that calls and a sender that listens move files, and find each other again."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from calls import Answerer, Caller
from conftest import tree
from sender import things_of
from test_attacks import CHUNK, FILES, SIZE
from test_wire import SUITES, make_files
from wire import PATIENCE

TEXTS = {"big": FILES[0].text[:SIZE], "small": b"small"}


def given(ours) -> list[Path]:
    """The files of the attacks, for our sender."""
    from_ = ours.folder("from")
    for name, text in TEXTS.items():
        (from_ / name).write_bytes(text)
    return [from_ / name for name in TEXTS]


@pytest.mark.parametrize("streams", [1, 3])
@pytest.mark.parametrize("suite", SUITES)
def test_our_sender_answers(ours, suite, streams):
    from_ = ours.folder("from")
    process, ticket = ours.serve(*make_files(from_), cipher=suite, streams=streams)
    Caller(ours.into, ticket).receive()
    ours.fine(process)
    assert tree(ours.into) == tree(from_)


@pytest.mark.parametrize("streams", [1, 3])
@pytest.mark.parametrize("suite", SUITES)
def test_our_receiver_calls(ours, suite, streams):
    from_ = ours.folder("from")
    files = make_files(from_)
    answerer = Answerer(things_of(files), suite, streams)
    process = ours.fetch(answerer.ticket, *[f"host:{file}" for file in files])
    authenticated, failed, durable = answerer.answer().complete()
    ours.fine(process)
    assert (authenticated["files"], failed, durable["files"]) == (7, [], 7)
    assert tree(ours.into) == tree(from_)


def test_a_stream_that_stands_still_holds_no_other_up(ours):
    big = ours.folder("from") / "big"
    big.write_bytes(b"not a hole" * (4 << 20))
    process, ticket = ours.serve(big, streams=2, patience_ms=120_000)
    caller = Caller(ours.into, ticket)

    def one_after_the_other(session, count):
        stands, goes = caller.join(session, count)
        caller.take(*goes)
        caller.take(*stands)

    caller.take_streams = one_after_the_other
    caller.receive()
    ours.fine(process)
    assert (ours.into / "big").read_bytes() == big.read_bytes()


def half_way(ours, answerer: Answerer, process) -> None:
    """Some of it is there and recorded, then the connection is cut."""
    first = answerer.answer().offer().open()
    first.piece(0, CHUNK, CHUNK)
    first.piece(1, 0, 5)
    journal, until = ours.into / f".ciphermeter-{first.transfer}" / "journal", time.monotonic() + PATIENCE
    while not journal.exists() or journal.read_bytes().count(b"\n") < 2:
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.01)


def went_on(ours, answerer: Answerer) -> None:
    assert answerer.welcome["attempt"] == 2 and "resume" not in answerer.welcome
    assert answerer.have == [[(CHUNK, CHUNK)], [(0, 5)]]
    assert tree(ours.into) == TEXTS


def test_our_receiver_calls_again(ours):
    answerer = Answerer(FILES)
    process = ours.fetch(answerer.ticket, "host:big", "host:small")
    half_way(ours, answerer, process)
    assert answerer.call == {"is": "call", "wire": 3, "token": answerer.token.hex()}
    answerer.cut()
    answerer.answer().complete()
    assert answerer.call == {"is": "call", "wire": 3, "transfer": answerer.transfer, "resume": answerer.resume}
    ours.fine(process)
    went_on(ours, answerer)


def test_our_receiver_was_killed_and_calls_again(ours):
    """It gets in by a new ticket, and knows its sender by the secret."""
    answerer = Answerer(FILES)
    process = ours.fetch(answerer.ticket, "host:big", "host:small")
    half_way(ours, answerer, process)
    process.kill()
    process.wait(PATIENCE)
    answerer.cut()
    process = ours.fetch(answerer.ticket, "--resume", "host:big", "host:small")
    answerer.answer().complete()
    assert answerer.call["token"] == answerer.token.hex()
    ours.fine(process)
    went_on(ours, answerer)


@pytest.mark.parametrize("noticed", [True, False])
def test_our_sender_is_called_again(ours, noticed):
    """Where only the receiver noticed a cut, the sender learns of it by the second call."""
    process, ticket = ours.serve(*given(ours), streams=2)
    caller = Caller(ours.into, ticket)
    control, welcome = caller.greet()
    caller.join(caller.agree(control, welcome), 2)
    if noticed:
        caller.cut()
    caller.receive()
    assert caller.attempt == 2
    ours.fine(process)
    assert tree(ours.into) == TEXTS


def test_our_sender_leaves_out_what_is_there(ours):
    process, ticket = ours.serve(*given(ours))
    caller = Caller(ours.into, ticket)
    caller.skip = lambda: {1: "declined"}
    caller.receive()
    ours.end(process)
    assert tree(ours.into) == {"big": TEXTS["big"]}
