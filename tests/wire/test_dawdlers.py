"""An end that was let in and dawdles is given up, where the sender listens and the receiver calls."""

from __future__ import annotations

import contextlib
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from calls import Answerer, Caller
from sender import Entry
from test_patience import ENDLESS
from wire import RATES, WIRE, Broken, line_of

TEXT = bytes(32 << 20)  # more than the system's buffers hold


def lets_in(caller: Caller) -> tuple:
    control, welcome = caller.greet()
    return caller.agree(control, welcome), welcome["streams"]


def opens_no_data_connection(caller: Caller) -> None:
    lets_in(caller)


def opens_one_of_two(caller: Caller) -> None:
    session, _ = lets_in(caller)
    caller.take(*caller.open(session, 0))


def reads_nothing(caller: Caller) -> None:
    caller.join(*lets_in(caller))


def never_welcomes(caller: Caller) -> None:
    caller.meet()


def trickles_its_welcome(caller: Caller) -> None:
    caller.meet()
    for byte in line_of("welcome", {"why": "a" * ENDLESS}):
        caller.control.write(bytes([byte]))
        time.sleep(1)


def vanishes_before_ready(caller: Caller) -> None:
    caller.hear_offer(caller.greet()[0])
    caller.cut()


def vanishes_after_ready(caller: Caller) -> None:
    caller.join(*lets_in(caller))
    caller.cut()


def calls_again_and_says_nothing(caller: Caller) -> None:
    vanishes_after_ready(caller)
    caller.meet()


def calls_again_with_nothing(caller: Caller) -> None:
    """Always in time, and before the last attempt has ended."""
    lets_in(caller)
    while True:
        try:
            lets_in(caller)
        except ConnectionRefusedError:
            return  # it has ended
        except (Broken, ConnectionError):
            pass
        time.sleep(0.2)


CALLERS = [
    opens_no_data_connection,
    opens_one_of_two,
    reads_nothing,
    never_welcomes,
    trickles_its_welcome,
    vanishes_before_ready,
    vanishes_after_ready,
    calls_again_and_says_nothing,
    calls_again_with_nothing,
]


def never_says_hello(answerer: Answerer) -> None:
    answerer.meet()


def trickles_its_hello(answerer: Answerer) -> None:
    answerer.meet()
    for byte in line_of("hello", {"wire": WIRE, "suites": RATES, "streams": 2, "why": "a" * ENDLESS}):
        answerer.control.write(bytes([byte]))
        time.sleep(1)


def never_offers(answerer: Answerer) -> None:
    answerer.answer()


def takes_no_data_connection(answerer: Answerer) -> None:
    answerer.answer().offer()


def says_nothing_on_its_data_connections(answerer: Answerer) -> None:
    answerer.answer().offer().open()


def answers_again_with_nothing(answerer: Answerer) -> None:
    answerer.listener.settimeout(10)  # our receiver pauses less
    with contextlib.suppress(TimeoutError):  # nobody calls any more
        while True:
            with contextlib.suppress(Broken):
                answerer.answer().offer().open().cut()


ANSWERERS = [
    never_says_hello,
    trickles_its_hello,
    never_offers,
    takes_no_data_connection,
    says_nothing_on_its_data_connections,
    answers_again_with_nothing,
]


def gives_up(process, own, dawdler, end) -> str:
    with ThreadPoolExecutor(1) as beside:
        kept = beside.submit(dawdler, end)  # `end` is held, for what is dropped is closed
        try:
            code, _, err = own.end(process)
        except subprocess.TimeoutExpired:
            process.kill()  # or the dawdler would go on
            return "wrong: it hangs"
        with contextlib.suppress(Broken, OSError):  # nobody listens any more
            kept.result()
    return "given up" if code == 5 else f"wrong: code {code}, {err}"


def all_at_once(ends: list, run) -> None:
    """They mostly wait."""
    with ThreadPoolExecutor(len(ends)) as threads:
        found = dict(zip([end.__name__ for end in ends], threads.map(run, ends)))
    assert set(found.values()) == {"given up"}, found


def test_a_sender_that_listens_gives_a_dawdler_up(ours):
    (ours.home / "file").write_bytes(TEXT)

    def endures(dawdler) -> str:
        own = ours.another(dawdler.__name__)
        process, ticket = own.serve(ours.home / "file", streams=2, patience_ms=5000)
        return gives_up(process, own, dawdler, Caller(own.into, ticket))

    all_at_once(CALLERS, endures)


def test_a_receiver_that_calls_gives_a_dawdler_up(ours):
    def endures(dawdler) -> str:
        own = ours.another(dawdler.__name__)
        answerer = Answerer([Entry("a", b"a" * 70_000)], streams=2)
        process = own.fetch(answerer.ticket, "--patience", "5s", "host:a")
        return gives_up(process, own, dawdler, answerer)

    all_at_once(ANSWERERS, endures)
