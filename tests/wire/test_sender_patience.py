"""Our sender gives a receiver up that lies still or trickles, whatever is due: `--patience` holds in every state."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from receiver import Receiver
from wire import Broken, line_of

MUCH = 32 << 20  # bytes; more than the system's buffers hold
LIVES = 12  # signs of life, one each half second: longer than the patience


class Silent(Receiver):
    """Goes on as it must until the state that a test is about; `over` is set when the sender has ended."""

    def begin(self, folder: Path) -> None:
        super().begin(folder)
        self.over = threading.Event()

    def until_ready(self) -> tuple:
        control, welcome = self.greet()
        return control, self.agree(control, welcome)

    def until_sent(self) -> object:
        control, session = self.until_ready()
        self.take_streams(session, 1)
        control.hear("sent")
        return control

    def trickle(self, line: bytes) -> None:
        for byte in line:
            self.control.write(bytes([byte]))
            if self.over.wait(0.5):
                return


def never_shakes_hands(end: Silent) -> object:
    return end.listener.accept()


def never_welcomes(end: Silent) -> None:
    end.meet()


def trickles_its_welcome(end: Silent) -> None:
    end.meet()
    end.trickle(line_of("welcome", {"why": "a" * 100}))


def trickles_its_answer(end: Silent) -> None:
    """The person may take any time, but not the lines that follow the decision."""
    end.hear_offer(end.greet()[0])
    end.control.say("skip", file=1, why="declined")
    end.trickle(line_of("have", {"file": "0" * 100}))


def takes_no_data_connection(end: Silent) -> None:
    end.until_ready()


def takes_a_byte_at_a_time(end: Silent) -> None:
    end.until_ready()
    source, _ = end.listener.accept()
    while source.recv(1) and not end.over.wait(0.1):
        pass


def never_says_that_all_came(end: Silent) -> None:
    end.until_sent()


def trickles_its_first_receipt(end: Silent) -> None:
    end.until_sent()
    end.trickle(line_of("authenticated", {"files": "0" * 100}))


def says_the_first_receipt_and_no_more(end: Silent) -> None:
    end.until_sent().say("authenticated", files=2)


def welcomes_nothing_that_comes_back(end: Silent) -> object:
    """It had accepted, so no person is asked."""
    end.until_ready()
    end.control.plain.close()
    for one in end.listener.accept():
        with contextlib.suppress(AttributeError):
            one.close()
    return end.meet()


def accepts_nothing_that_comes_back(end: Silent) -> None:
    end.until_ready()
    end.control.plain.close()
    end.listener.accept()[0].close()
    end.hear_offer(end.greet()[0])


STATES = [
    never_shakes_hands,
    never_welcomes,
    trickles_its_welcome,
    trickles_its_answer,
    takes_no_data_connection,
    takes_a_byte_at_a_time,
    never_says_that_all_came,
    trickles_its_first_receipt,
    says_the_first_receipt_and_no_more,
    welcomes_nothing_that_comes_back,
    accepts_nothing_that_comes_back,
]


def begin(ours, state) -> tuple[Silent, subprocess.Popen]:
    own = ours.another(state.__name__)
    much = state in (takes_no_data_connection, takes_a_byte_at_a_time)
    for name, text in {"0": bytes(MUCH if much else 10), "1": b"one"}.items():
        (own.home / name).write_bytes(text)
    end = Silent(own.into)
    return end, own.send(end.ticket, "--patience", "5s", "--streams", "1", own.home / "0", own.home / "1")


def test_send_gives_up_a_receiver_that_lies_still_in_any_state(ours):
    """All at once: they mostly wait. Only that they end is asserted, and that no name appears."""

    def endures(state) -> str:
        end, process = begin(ours, state)
        with ThreadPoolExecutor(1) as beside:
            kept = beside.submit(state, end)  # held, for what is dropped is closed
            try:
                code, _, err = ours.end(process)
                said = "" if code == 5 and err else f"ended with {code}: {err}"
            except subprocess.TimeoutExpired:
                process.kill()
                said = "hangs"
            end.over.set()
            end.give_up()
            with contextlib.suppress(Broken, OSError, ValueError):
                kept.result()
        return said

    with ThreadPoolExecutor(len(STATES)) as threads:
        said = dict(zip([state.__name__ for state in STATES], threads.map(endures, STATES)))
    assert not any(said.values()), said


def test_send_waits_for_a_disk_that_works_longer_than_its_patience(ours):
    """The first receipt, again and again, says that the receiver lives."""

    def slow(end: Silent) -> None:
        control = end.until_sent()
        for _ in range(LIVES):
            control.say("authenticated", files=2)
            end.over.wait(0.5)
        control.say("durable", files=2)
        control.hear("bye")

    end, process = begin(ours, slow)
    slow(end)
    ours.fine(process)
