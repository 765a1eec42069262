"""What one end can cost the other has a limit: memory, sockets, and how long a crowd keeps others out."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from conftest import LIMIT, tree
from receiver import Receiver
from sender import Entry, Out, Sender
from wire import Broken, line_of

MIB = 2**20


def peak(process) -> int:
    """The most memory that a process has had at once, in bytes."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def test_what_is_withdrawn_costs_a_word(ours):
    """Reasons of 60,000 characters for 8,000 files would be 480 MB."""
    process, ticket = ours.recv()
    sender = Sender(ticket, [Entry(f"{number}") for number in range(8000)]).offer().open()
    sender.end()
    for number in range(8000):
        sender.control.say("withdrawn", file=number, why="x" * 60_000)
    sender.control.say("sent")
    sender.control.hear("authenticated")
    most = peak(process)
    print(f"withdrawn: {most / MIB:.0f} MiB")
    assert most < 64 * MIB
    sender.control.hear("durable")
    sender.control.say("bye")
    assert ours.end(process)[0] == 5


def test_a_long_offer_costs_what_its_names_do(ours):
    process, ticket = ours.recv()
    Sender(ticket, [Entry(f"d/{number}") for number in range(200_000)]).offer()
    most = peak(process)
    print(f"offer: {most / MIB:.0f} MiB")
    assert most < 200 * MIB


@pytest.mark.parametrize("quiet", [False, True])
def test_what_a_sender_gives_as_its_reason_is_cut(ours, quiet):
    process, ticket = ours.recv(quiet=quiet)
    sender = Sender(ticket, [Entry("a")]).offer()
    sender.control.say("broke-off", why="because " * 8000)
    code, out, err = ours.end(process)
    assert code == 5 and "because" in err and len(out + err) < 1500


class Hoarder(Receiver):
    """Claims to have every second byte of some files."""

    count = 0

    def have(self) -> list[tuple[int, int, int]]:
        each = len(self.files)
        ranges = ((at % each, 2 * (at // each)) for at in range(self.count))
        self.control.write(
            b"".join(line_of("have", {"file": file, "offset": offset, "length": 1}) for file, offset in ranges)
        )
        return []


@pytest.mark.parametrize(("count", "each", "many"), [(65_536, 1, False), (65_537, 1, True), (65_537, 20, True)])
def test_send_remembers_no_more_ranges_than_it_must(ours, count, each, many):
    files = [ours.home / f"{number}" for number in range(each)]
    for file in files:
        file.write_bytes(bytes(MIB // 4))
    hoarder = Hoarder(ours.into)
    hoarder.count = count
    process = ours.send(hoarder.ticket, "--patience", "5s", "--streams", "1", *files)
    with contextlib.suppress(Broken):
        control, welcome = hoarder.greet()
        hoarder.agree(control, welcome)
        if not many:
            assert hoarder.listener.accept()[0].recv(1) == b"c"  # a data connection's first byte
            process.kill()
            return
        control.hear()
    assert many
    ours.refuses(process)


class Crowd:
    """Idle sockets from these addresses, so many from each; a restless one opens another for each that is closed."""

    def __init__(self, ticket, sources: Iterable[str], count: int, restless: bool = False) -> None:
        self.place, self.restless, self.opened = ticket.addresses[0], restless, 0
        self.all, self.over = selectors.DefaultSelector(), threading.Event()
        for source in [source for source in sources for _ in range(count)]:
            self.open(source)
        self.thread = threading.Thread(target=self.stay)
        self.thread.start()

    def open(self, source: str) -> None:
        one = socket.socket()
        one.setblocking(False)
        one.bind((source, 0))
        one.connect_ex(self.place)
        self.opened += 1
        self.all.register(one, selectors.EVENT_READ, source)

    def stay(self) -> None:
        while not self.over.is_set():
            for key, _ in self.all.select(0.1):
                self.all.unregister(key.fileobj)
                key.fileobj.close()
                if self.restless:
                    self.open(key.data)
            time.sleep(0.01)

    def __enter__(self) -> Crowd:
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()
        for key in list(self.all.get_map().values()):
            key.fileobj.close()


OTHERS = [f"127.0.0.{number}" for number in range(2, 7)]
CROWDS = {
    "another address": (OTHERS[:1], 400, False),
    "another address, restless": (OTHERS[:1], 400, True),
    "the sender's address": (["127.0.0.1"], 400, False),
    "five addresses": (OTHERS, 40, False),
    "five addresses, restless": (OTHERS, 40, True),
}


@pytest.mark.parametrize("which", CROWDS)
def test_a_crowd_keeps_nobody_out(ours, which):
    (ours.home / "file").write_bytes(b"three words here")
    recv, ticket = ours.recv()
    with Crowd(ticket, *CROWDS[which]) as crowd:
        time.sleep(0.3)
        ours.fine(ours.send(ticket, ours.home / "file"))
        ours.fine(recv)
        assert crowd.opened >= 200
    assert tree(ours.into) == {"file": b"three words here"}


def test_a_crowd_does_not_close_what_an_admitted_sender_opens(ours):
    """Data connections that say their hello slowly, while each newcomer of the crowd wants their place."""
    recv, ticket = ours.recv()
    files = [Entry(f"{number}", b"x" * 100_000) for number in range(4)]
    sender = Sender(ticket, files, streams=4).offer()
    sender.outs = [Out(ticket, sender.session, 0)]
    with Crowd(ticket, OTHERS, 80, restless=True):
        time.sleep(0.3)
        sender.outs += [Out(ticket, sender.session, number, at_once=20) for number in (1, 2, 3)]
        time.sleep(1.5)
        for out in sender.outs[1:]:
            out.socket.sendall(out.unsaid)
        sender.data()
        sender.end()
        sender.finish()
        ours.fine(recv)
    assert len(tree(ours.into)) == 4


def test_a_crowd_does_not_disturb_a_transfer(ours):
    (ours.home / "file").write_bytes(bytes(4 * MIB))
    recv, ticket = ours.recv()
    send = ours.send(ticket, "--limit", "2MiB", ours.home / "file")
    with Crowd(ticket, OTHERS, 80, restless=True):
        ours.fine(send)
        ours.fine(recv)
    assert send.wait(LIMIT) == 0 and tree(ours.into) == {"file": bytes(4 * MIB)}
