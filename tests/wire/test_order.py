"""Lines out of their order, recorded attempts and stale state end an attempt or the transfer, and complete nothing."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import struct

import pytest

from conftest import tree
from receiver import Receiver
from sender import Entry, Out, Sender, connect, greet, tell
from tap import Tap
from wire import HELLO, RATES, WIRE, Broken, Ended, line_of

FILES = [Entry("big", bytes(range(251)) * 1200), Entry("small", b"small")]
WHOLE = {file.name: file.text for file in FILES}
SUMS = {"files": len(FILES), "bytes": sum(file.size for file in FILES)}


def after_welcome(*lines: bytes):
    return lambda ticket: Sender(ticket, FILES).control.write(b"".join(lines))


def before_ready(*lines: bytes):
    """Behind the offer, all at once: the receiver has accepted it meanwhile."""

    def lie(ticket) -> None:
        sender = Sender(ticket, FILES)
        tell(sender.control, FILES)
        sender.control.write(b"".join(lines))
        while True:
            sender.control.hear("have", "ready")

    return lie


def before_hello(ticket) -> None:
    control = connect(ticket)
    control.say("sent")
    control.hear("welcome")


HELLO_LINE = line_of("hello", {"wire": WIRE, "suites": RATES, "streams": 1})
OFFER = [file.line() for file in FILES]
ORDERS = {
    "sent instead of an offer": after_welcome(line_of("sent", {})),
    "a second hello": after_welcome(HELLO_LINE),
    "digests that were not asked for": after_welcome(OFFER[0], line_of("digests", {"sha256": []})),
    "withdrawn within the offer": after_welcome(OFFER[0], line_of("withdrawn", {"file": 0, "why": "changed"})),
    "bye within the offer": after_welcome(*OFFER, line_of("bye", {})),
    "a line of the other end": after_welcome(line_of("ready", {})),
    "a second offer": before_ready(line_of("offered", SUMS)),
    "one more file": before_ready(OFFER[0]),
    "digests for nothing": before_ready(line_of("digests", {"sha256": []})),
    "bye": before_ready(line_of("bye", {})),
}


@pytest.mark.parametrize("order", ORDERS)
def test_lines_out_of_their_order_end_the_transfer(ours, order):
    process, ticket = ours.recv("--patience", "5s")
    with contextlib.suppress(Broken):
        ORDERS[order](ticket)
    ours.refuses(process)


def test_a_first_line_that_is_no_hello_is_refused_and_spends_no_ticket(ours):
    process, ticket = ours.recv()
    with pytest.raises(Ended, match="hello"):
        before_hello(ticket)
    Sender(ticket, FILES).complete()
    ours.fine(process)


class Disorderly(Receiver):
    """Says these lines where a test wants them."""

    before_welcome, before_ready, before_sent, after_sent = [], [], [], []

    def welcome(self, hello: dict) -> dict:
        self.control.write(b"".join(self.before_welcome))
        return super().welcome(hello)

    def hear_offer(self, control) -> None:
        super().hear_offer(control)
        control.write(b"".join(self.before_ready))

    def place(self, control) -> None:
        control.write(b"".join(self.after_sent))
        control.hear("bye")


AUTHENTICATED, DURABLE = (line_of(word, {"files": 1}) for word in ("authenticated", "durable"))
READY, SKIP = line_of("ready", {}), line_of("skip", {"file": 0, "why": "declined"})
ANSWERS = {
    "ready before the welcome": ("before_welcome", [READY]),
    "a receipt before the welcome": ("before_welcome", [AUTHENTICATED]),
    "a receipt before ready": ("before_ready", [AUTHENTICATED]),
    "the last receipt before ready": ("before_ready", [DURABLE]),
    "a second welcome": ("before_ready", [line_of("welcome", {})]),
    "a comparison behind the answer": ("before_ready", [SKIP, line_of("compare", {"files": [0]})]),
    "the same skipped twice": ("before_ready", [SKIP, SKIP]),
    "the second receipt without the first": ("after_sent", [DURABLE]),
    "a failure that was skipped": (
        "after_sent",
        [AUTHENTICATED, line_of("have", {"file": 0, "offset": 0, "length": 1})],
    ),
    "ready again": ("after_sent", [READY]),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_answers_out_of_their_order_end_the_transfer(ours, answer):
    where, lines = ANSWERS[answer]
    (ours.home / "file").write_bytes(b"three words here")
    liar = Disorderly(ours.into)
    setattr(liar, where, lines)
    process = ours.send(liar.ticket, "--patience", "5s", "--streams", "1", ours.home / "file")
    with pytest.raises(Broken):
        liar.receive()
    ours.refuses(process)


class Recorded(Out):
    """Keeps what it sent."""

    def __init__(self, *arguments) -> None:
        super().__init__(*arguments)
        self.hello, self.sent = self.stream.session.hello(self.stream.number, self.stream.salt), b""

    def frame(self, sequence, kind, text, last=False) -> None:
        sealed = sequence.seal(kind, text, last)
        self.sent += sealed
        self.socket.sendall(sealed)


@pytest.mark.parametrize("opened", ["by the recorded hello", "by a new one", "by its own, which came before"])
def test_a_recorded_attempt_opens_nothing(ours, opened):
    """An attempt's bytes are worth nothing in a later one, whichever hello they come behind."""
    process, ticket = ours.recv()
    first = Sender(ticket, FILES).offer()
    first.outs = [Recorded(ticket, first.session, 0)]
    first.data()
    out = first.outs[0]
    if opened.startswith("by its own"):
        again = socket.create_connection(ticket.addresses[0])
        with contextlib.suppress(ConnectionError):
            again.sendall(out.hello + out.sent)
            assert again.recv(1) == b""
    first.cut()
    second = first.again().offer()
    if opened == "by a new one":
        replay = Out(ticket, second.session, 0).socket
        replay.sendall(out.sent)
        with pytest.raises(Broken):
            second.finish()
        second = first.again().offer()
    else:
        replay = socket.create_connection(ticket.addresses[0])
        with contextlib.suppress(ConnectionError):
            replay.sendall(out.hello + out.sent)
            assert replay.recv(1) == b""
    assert tree(ours.into) == {}
    second.open().data()
    second.end()
    second.finish()
    ours.fine(process)
    assert tree(ours.into) == WHOLE


def test_a_recorded_handshake_opens_nothing(ours):
    """The bytes of an admitted sender's control channel, token and all, said again."""
    process, ticket = ours.recv()
    tap = Tap(ticket, 0)
    sender = Sender(tap.ticket, FILES)
    stranger = socket.create_connection(ticket.addresses[0])
    stranger.sendall(bytes(tap.attempts[0][0]))
    with contextlib.suppress(ConnectionError):
        while stranger.recv(4096):
            pass
    sender.complete()
    ours.fine(process)


def test_a_flood_of_hellos_disturbs_no_transfer(ours):
    """From the sender's own address: right in form, wrong in proof, some cut in half, some reset."""
    process, ticket = ours.recv()
    sender = Sender(ticket, FILES, streams=2).offer()
    sender.outs = [Out(ticket, sender.session, 0)]
    held = []
    for number in range(200):
        one = socket.create_connection(ticket.addresses[0])
        hello = b"cmD3" + struct.pack(">H", number % 3) + os.urandom(48)
        one.sendall(hello[: HELLO if number % 2 else 30])
        if number % 5 == 0:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.close()
        else:
            held.append(one)
    for _ in range(5):
        with pytest.raises(Broken):
            greet(connect(ticket), token="00" * 16)
    sender.outs.append(Out(ticket, sender.session, 1))
    sender.data()
    sender.end()
    sender.finish()
    ours.fine(process)
    assert tree(ours.into) == WHOLE


def arrived(sender: Sender) -> Sender:
    """Until the receiver's journal has something of the first file."""
    while not sender.have[0]:
        sender.open().piece(0, 0, 2**17)
        sender.cut()
        sender = sender.again().offer()
    sender.cut()
    return sender


STALE = {"the journal": "journal", "the journal and the parts": "[!s]*", "the state": "state.json"}


@pytest.mark.parametrize("which", STALE)
def test_stale_state_passes_no_old_bytes_for_new_ones(ours, which):
    """What R kept is put back to what it was before the sender changed a file."""
    process, ticket = ours.recv(restarts=True)
    first = arrived(Sender(ticket, FILES).offer())
    state = ours.into / f".ciphermeter-{first.transfer}"
    process.kill()
    process.wait()
    old = ours.home / "old"
    shutil.copytree(state, old)
    process = ours.restart(process, ticket)
    changed = [Entry("big", FILES[0].text[::-1], time=10**18), FILES[1]]
    arrived(first.again(changed).offer())
    process.kill()
    process.wait()
    for one in old.glob(STALE[which]):
        shutil.copy2(one, state / one.name)
    process = ours.restart(process, ticket)
    last = first.again(changed)
    last.complete()
    ours.fine(process)
    assert tree(ours.into) == {file.name: file.text for file in changed}


def test_a_control_channel_that_is_closed_halfway_is_a_cut(ours):
    """The end of one direction, in form: what is here stays, and the sender comes back."""
    process, ticket = ours.recv()
    first = Sender(ticket, FILES).offer().open()
    first.piece(0, 0, 2**17)
    first.control.tls.shutdown()
    first.control.plain.shutdown(socket.SHUT_WR)
    with contextlib.suppress(ConnectionError):
        assert first.outs[0].socket.recv(1) == b""
    second = first.again().offer()
    assert sum(length for _, length in second.have[0]) <= 2**17
    second.open().data()
    second.end()
    second.finish()
    ours.fine(process)
    assert tree(ours.into) == WHOLE


class Numbering(Receiver):
    """Gives each attempt the same number."""

    number = 0

    def welcome(self, hello: dict) -> dict:
        return {**super().welcome(hello), "attempt": self.number}


@pytest.mark.parametrize("number", [0, 1, 2**32 - 1])
def test_send_goes_on_whatever_number_an_attempt_has(ours, number):
    """Each attempt has a handshake of its own, so a number that comes twice repeats no key."""
    (ours.home / "file").write_bytes(FILES[0].text)
    end = Numbering(ours.into)
    end.number = number
    process = ours.send(end.ticket, "--streams", "1", ours.home / "file")
    end.agree(*end.greet())
    end.control.plain.close()
    end.listener.accept()[0].close()
    end.receive()
    ours.fine(process)
    assert tree(ours.into) == {"file": FILES[0].text}
