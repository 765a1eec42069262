"""An end that dawdles or vanishes is given up: it cannot hold the other for ever."""

from __future__ import annotations

import contextlib
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from conftest import LIMIT
from receiver import Receiver
from sender import Entry, Out, Sender
from wire import Broken, line_of

FILES = [Entry("a", b"a" * 70_000), Entry("b", b"b" * 70_000)]
ENDLESS = 3 * LIMIT  # seconds that a dawdler goes on, unless it is cut off: a test ends long before


def opens_no_data_connection(ticket) -> object:
    return Sender(ticket, FILES, streams=2).offer()


def opens_one_of_two(ticket) -> object:
    sender = Sender(ticket, FILES, streams=2).offer()
    sender.outs = [Out(ticket, sender.session, 0)]
    sender.data()
    sender.end()
    return sender


def says_nothing_on_its_data_connections(ticket) -> object:
    return Sender(ticket, FILES, streams=2).offer().open()


def never_says_that_all_was_sent(ticket) -> object:
    sender = Sender(ticket, FILES, streams=2).offer().open()
    sender.data()
    sender.end()
    return sender


def never_offers(ticket) -> object:
    return Sender(ticket)


def trickles_its_offer(ticket) -> object:
    sender = Sender(ticket)
    for number in range(ENDLESS // 2):
        sender.control.write(Entry(f"{number}").line())
        time.sleep(2)
    return sender


def trickles_a_line(ticket) -> object:
    """Not even a whole line, but always something."""
    sender = Sender(ticket)
    for byte in line_of("file", {"name": "a" * ENDLESS}):
        sender.control.write(bytes([byte]))
        time.sleep(1)
    return sender


def trickles_after_the_data(ticket) -> object:
    sender = never_says_that_all_was_sent(ticket)
    for _ in range(ENDLESS):
        sender.control.write(b" ")
        time.sleep(1)
    return sender


def comes_back_with_nothing(ticket) -> None:
    first = Sender(ticket, FILES).offer()
    first.cut()
    while True:  # until nobody listens any more
        with contextlib.suppress(Broken, ConnectionResetError):
            first.again().offer().open().cut()
        time.sleep(0.5)


DAWDLERS = [
    opens_no_data_connection,
    opens_one_of_two,
    says_nothing_on_its_data_connections,
    never_says_that_all_was_sent,
    never_offers,
    trickles_its_offer,
    trickles_a_line,
    trickles_after_the_data,
    comes_back_with_nothing,
]


def test_recv_gives_a_dawdler_up(ours):
    """All at once: they mostly wait."""

    def endures(dawdler) -> None:
        own = ours.another(dawdler.__name__)
        process, ticket = own.recv("--patience", "5s")
        with ThreadPoolExecutor(1) as beside:
            kept = beside.submit(dawdler, ticket)  # held, for what is dropped is closed
            try:
                own.refuses(process)
            finally:
                process.kill()  # or the dawdler would go on
            with contextlib.suppress(Broken, OSError):  # nobody listens any more
                kept.result()

    with ThreadPoolExecutor(len(DAWDLERS)) as threads:
        list(threads.map(endures, DAWDLERS))


class Vanishing(Receiver):
    """Is gone before its person accepts."""

    def hear_offer(self, control) -> None:
        super().hear_offer(control)
        self.listener.close()
        control.plain.shutdown(socket.SHUT_RDWR)
        raise Broken("gone")


def test_send_keeps_nothing_of_what_was_never_accepted(ours):
    receiver = Vanishing(ours.into)
    (ours.home / "file").write_bytes(b"three words here")
    process = ours.send(receiver.ticket, "--patience", "5s", ours.home / "file")
    with pytest.raises(Broken):
        receiver.receive()
    said = ours.refuses(process)
    assert "--resume" not in said, said
    assert list((ours.home / "state").rglob("*.json")) == []
