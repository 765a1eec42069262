"""Our sender that listens gives nothing to whoever is not its receiver, and to its receiver only what is due."""

from __future__ import annotations

import contextlib
import secrets
import socket
import time

import pytest

from calls import Caller
from conftest import tree
from sender import connect, greet, join
from test_calls import TEXTS, given
from test_wire import SUITES
from wire import HELLO, PATIENCE, Broken, Ended, Session

QUIET = 0.5  # seconds without a byte


def accepted(ours, ticket) -> tuple[Caller, Session]:
    """A receiver that may open its data connections."""
    caller = Caller(ours.into, ticket)
    control, welcome = caller.greet()
    return caller, caller.agree(control, welcome)


def complete(caller: Caller, session: Session, streams: int) -> None:
    caller.take_streams(session, streams)
    caller.control.hear("sent")
    caller.place(caller.control)


def refused(ticket, kind: str = "call", **message: object) -> str:
    """What somebody hears who says this."""
    control = connect(ticket)
    control.say(kind, **message)
    with pytest.raises(Ended) as said:
        control.hear()
    assert said.value.kind == "refused"
    with pytest.raises(Broken, match="cut"):  # and nothing else
        control.hear()
    return str(said.value)


ANY = "00" * 16
HELLO_LINE = {"wire": 3, "suites": [], "streams": 1}
STRANGERS = {
    "nobody": ("call", {"wire": 3}, "neither token nor resume|no unfinished transfer"),
    "another token": ("call", {"wire": 3, "token": ANY}, "the token is wrong"),
    "another secret": ("call", {"wire": 3, "transfer": ANY, "resume": ANY}, "no unfinished transfer"),
    "another version": ("call", {"wire": 4, "token": "TOKEN"}, "version 3"),
    "a token that is no text": ("call", {"wire": 3, "token": 7}, "understand the call"),
    "a hello": ("hello", {**HELLO_LINE, "token": "TOKEN"}, "understand the call"),
    "a ready": ("ready", {}, "understand the call"),
}


@pytest.mark.parametrize("who", STRANGERS)
def test_a_stranger_is_refused_and_the_ticket_holds(ours, who):
    process, ticket = ours.serve(*given(ours))
    kind, message, why = STRANGERS[who]
    message = {key: ticket.token.hex() if value == "TOKEN" else value for key, value in message.items()}
    said = refused(ticket, kind, **message)
    assert any(words in said for words in why.split("|")), said
    Caller(ours.into, ticket).receive()
    ours.fine(process)
    assert tree(ours.into) == TEXTS


def test_our_receiver_that_listens_refuses_a_call(ours):
    process, ticket = ours.recv()
    assert "understand the hello" in refused(ticket, wire=3, token=ticket.token.hex())
    welcome = greet(connect(ticket), token=ticket.token.hex())
    assert welcome["attempt"] == 1, "the ticket holds"
    process.kill()


def test_a_token_admits_once_and_a_secret_only_its_owner(ours):
    process, ticket = ours.serve(*given(ours))
    caller, session = accepted(ours, ticket)
    assert "this ticket was used" in refused(ticket, wire=3, token=ticket.token.hex())
    for transfer, resume in [
        (caller.transfer, ANY),
        (ANY, caller.resume),
        (caller.transfer, None),
        (None, caller.resume),
    ]:
        said = {"transfer": transfer, "resume": resume}
        why = refused(ticket, wire=3, **{key: value for key, value in said.items() if value})
        assert "not known here" in why or "neither token nor resume" in why
    # The receiver that was there first noticed nothing of it.
    complete(caller, session, 1)
    ours.fine(process)
    assert tree(ours.into) == TEXTS


def closed(plain: socket.socket) -> bool:
    """Whether it ends, with no byte before."""
    plain.settimeout(PATIENCE)
    try:
        return plain.recv(1) == b""
    except ConnectionResetError:
        return True


def reflected(caller: Caller, session: Session) -> tuple[Session, int]:
    """The MAC is what a sender that connects would say."""
    welcome = {"transfer": caller.transfer, "attempt": caller.attempt, "suite": session.suite}
    return Session.of(caller.control, welcome, "sender"), 0


def of_another_attempt(caller: Caller, session: Session) -> tuple[Session, int]:
    welcome = {"transfer": caller.transfer, "attempt": caller.attempt + 1, "suite": session.suite}
    return Session.of(caller.control, welcome, "receiver"), 0


def of_nobody(_: Caller, session: Session) -> tuple[Session, int]:
    return Session(**{**vars(session), "mac_key": secrets.token_bytes(32)}), 0


def too_large(_: Caller, session: Session) -> tuple[Session, int]:
    return session, 2


def far_too_large(_: Caller, session: Session) -> tuple[Session, int]:
    return session, 65_535


@pytest.mark.parametrize("lie", [reflected, of_another_attempt, of_nobody, too_large, far_too_large])
def test_a_wrong_data_connection_is_closed_alone(ours, lie):
    """No byte comes on it, and the number that it names is still free."""
    process, ticket = ours.serve(*given(ours), streams=2)
    caller, session = accepted(ours, ticket)
    wrong, number = lie(caller, session)
    assert closed(join(ticket, wrong, number)[0])
    complete(caller, session, 2)
    ours.fine(process)
    assert tree(ours.into) == TEXTS


def test_a_second_connection_for_a_stream_is_closed_alone(ours):
    process, ticket = ours.serve(*given(ours), streams=2)
    caller, session = accepted(ours, ticket)
    streams = caller.join(session, 2)
    streams[0][0].recv(1, socket.MSG_PEEK)  # both ends have it
    assert closed(join(ticket, session, 0)[0])
    caller.join = lambda *_: streams
    complete(caller, session, 2)
    ours.fine(process)


def test_a_data_connection_of_an_earlier_attempt_is_closed(ours):
    process, ticket = ours.serve(*given(ours))
    first, session = accepted(ours, ticket)
    first.cut()
    control, welcome = first.greet()
    again = first.agree(control, welcome)
    assert closed(join(ticket, session, 0)[0])
    complete(first, again, 1)
    ours.fine(process)


def test_no_byte_comes_before_it_is_due(ours):
    """Before the welcome no connection is anybody's; before `ready` it waits, for `ready` may be overtaken."""
    process, ticket = ours.serve(*given(ours))
    caller = Caller(ours.into, ticket)
    hello = caller.meet()
    early = Session.of(caller.control, {"transfer": caller.transfer, "attempt": 1, "suite": SUITES[0]}, "receiver")
    assert closed(join(ticket, early, 0)[0])
    caller.meet = lambda: hello
    control, welcome = caller.greet()
    caller.hear_offer(control)
    plain, stream, _ = join(ticket, Session.of(control, welcome, "receiver"), 0)
    plain.settimeout(QUIET)
    with pytest.raises(TimeoutError):
        plain.recv(1)
    control.say("ready")
    session = Session.of(control, welcome, "receiver")
    plain.settimeout(PATIENCE)
    stream.session = session
    stream.__post_init__()  # the keys are those of the lines up to `ready`
    caller.join = lambda *_: [(plain, stream)]
    complete(caller, session, 1)
    ours.fine(process)
    assert tree(ours.into) == TEXTS


def crowd(ticket, count: int = 80) -> list[socket.socket]:
    """Strangers that say nothing, from more than one address."""
    found = []
    for number in range(count):
        found.append(socket.create_connection(ticket.addresses[0], PATIENCE, (f"127.0.1.{1 + number % 4}", 0)))
        if number % 2:
            found[-1].sendall(b"cmD3"[: number % 5])  # part of a hello, or nothing
    return found


def test_a_crowd_keeps_no_receiver_out(ours):
    process, ticket = ours.serve(*given(ours), streams=3)
    strangers = crowd(ticket)
    caller, session = accepted(ours, ticket)
    strangers += crowd(ticket)
    joined = caller.join(session, 3)
    strangers += crowd(ticket)
    caller.join = lambda *_: joined
    complete(caller, session, 3)
    ours.fine(process)
    for one in strangers:
        one.close()
    assert tree(ours.into) == TEXTS


def test_half_a_hello_is_closed_after_a_while(ours):
    process, ticket = ours.serve(*given(ours), patience_ms=600_000)
    caller, session = accepted(ours, ticket)
    plain, _, rest = join(ticket, session, 0, HELLO - 1)
    assert closed(plain), "long before the sender's patience ends"
    with contextlib.suppress(OSError):
        plain.sendall(rest)
    # Not at once: the other half of this one still comes in time.
    plain, stream, rest = join(ticket, session, 0, HELLO - 1)
    time.sleep(QUIET)
    plain.sendall(rest)
    caller.join = lambda *_: [(plain, stream)]
    complete(caller, session, 1)
    ours.fine(process)
    assert tree(ours.into) == TEXTS
