"""Of two senders of one transfer the later one counts, whatever the earlier one does, and has its whole patience."""

from __future__ import annotations

import pytest

from calls import Caller
from conftest import tree
from sender import Entry, Sender, connect, greet, tell
from wire import Broken

FILES = [Entry("a", b"a" * 70_000), Entry("b", b"b" * 70_000)]
WHOLE = {file.name: file.text for file in FILES}


def only_says_hello(first: Sender) -> Sender:
    return first.again()


def offers_half(first: Sender) -> Sender:
    second = first.again()
    second.control.write(FILES[0].line())
    return second


def is_cut_in_a_line(first: Sender) -> Sender:
    second = first.again()
    second.control.write(FILES[0].line()[:20])
    return second


def does_not_read_its_answer(first: Sender) -> Sender:
    second = first.again()
    tell(second.control, FILES)
    return second


def opens_nothing(first: Sender) -> Sender:
    return first.again().offer()


def sends_half(first: Sender) -> Sender:
    second = first.again().offer().open()
    second.piece(0, 0, 2**16)
    return second


def ends_its_data(first: Sender) -> Sender:
    second = first.again().offer().open()
    second.data()
    second.end()
    return second


STATES = [
    only_says_hello,
    offers_half,
    is_cut_in_a_line,
    does_not_read_its_answer,
    opens_nothing,
    sends_half,
    ends_its_data,
]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_the_later_sender_is_served_while_the_earlier_one_is_silent(ours, state):
    """The earlier one would be waited for a minute."""
    process, ticket = ours.recv()
    first = Sender(ticket, FILES).offer()
    first.cut()
    earlier = state(first)
    assert first.again().complete()[2]["files"] == 2
    ours.fine(process)
    assert tree(ours.into) == WHOLE
    earlier.cut()


def test_a_crowd_of_earlier_senders_costs_the_last_one_nothing(ours):
    process, ticket = ours.recv()
    first = Sender(ticket, FILES).offer()
    first.cut()
    who = {"transfer": first.transfer, "resume": first.resume}
    crowd = []
    for _ in range(20):
        crowd.append(connect(ticket))
        greet(crowd[-1], **who)
    assert first.again().complete()[2]["files"] == 2
    ours.fine(process)
    assert tree(ours.into) == WHOLE


def test_the_later_receiver_is_served_while_the_earlier_one_is_silent(ours):
    """The other way round: the sender listens."""
    for file in FILES:
        (ours.home / file.name).write_bytes(file.text)
    process, ticket = ours.serve(*(ours.home / name for name in WHOLE), patience_ms=60_000)
    caller = Caller(ours.into, ticket)
    control, welcome = caller.greet()
    caller.agree(control, welcome)
    caller.cut()
    held = []
    for _ in range(2):
        caller.meet()  # and nothing more
        held.append(caller.control)
    caller.receive()
    assert ours.end(process)[0] == 0
    assert tree(ours.into) == WHOLE


def test_a_first_offer_that_another_sender_cuts_ends_the_receiver(ours):
    """There is nothing to resume before the offer's end, so its sender cannot come back."""
    process, ticket = ours.recv()
    first = Sender(ticket, FILES)
    with pytest.raises(Broken):
        first.again()
    ours.refuses(process)
