"""A sender that was let in and dawdles is given up: it cannot hold `recv` for ever."""

from __future__ import annotations

import contextlib
import time
from concurrent.futures import ThreadPoolExecutor

from sender import Entry, Out, Sender
from wire import Broken, line_of

FILES = [Entry("a", b"a" * 70_000), Entry("b", b"b" * 70_000)]
GIVEN_UP = 40  # seconds, with a patience of 5: a busy machine may take some more


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
    for number in range(GIVEN_UP // 2):
        sender.control.write(Entry(f"{number}").line())
        time.sleep(2)
    return sender


def trickles_a_line(ticket) -> object:
    """Not even a whole line, but always something."""
    sender = Sender(ticket)
    for byte in line_of("file", {"name": "a" * GIVEN_UP}):
        sender.control.write(bytes([byte]))
        time.sleep(1)
    return sender


def trickles_after_the_data(ticket) -> object:
    sender = never_says_that_all_was_sent(ticket)
    for _ in range(GIVEN_UP):
        sender.control.write(b" ")
        time.sleep(1)
    return sender


def comes_back_with_nothing(ticket) -> None:
    first = Sender(ticket, FILES).offer()
    first.cut()
    until = time.monotonic() + GIVEN_UP
    while time.monotonic() < until:
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

    def endures(dawdler) -> str:
        own = ours.another(dawdler.__name__)
        process, ticket = own.recv("--patience", "5s")
        begun = time.monotonic()
        with ThreadPoolExecutor(1) as beside:
            kept = beside.submit(dawdler, ticket)  # held, for what is dropped is closed
            own.refuses(process)
            took = time.monotonic() - begun
            with contextlib.suppress(Broken, OSError):  # nobody listens any more
                kept.result()
        return f"{took:.0f} s" if took < GIVEN_UP else f"{took:.0f} s: too long"

    with ThreadPoolExecutor(len(DAWDLERS)) as threads:
        took = dict(zip([dawdler.__name__ for dawdler in DAWDLERS], threads.map(endures, DAWDLERS)))
    print(took)
    assert not [one for one in took.values() if "too long" in one], took
