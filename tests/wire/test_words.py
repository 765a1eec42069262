"""What one end says, and how its files are called, does nothing to the other's terminal, nor to its own."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

from conftest import tree
from receiver import Receiver
from sender import Entry, Sender
from wire import Broken

NASTY = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202eexe\u2066\u200b\r\nyou have won\u2028" + "x" * 1000


@pytest.mark.parametrize("kind", ["broke-off", "refused", "\x1b[2J", "withdrawn"])
@pytest.mark.parametrize("quiet", [False, True])
def test_recv_shows_what_a_sender_says_as_text(ours, kind, quiet):
    process, ticket = ours.recv("--explain", quiet=quiet)
    sender = Sender(ticket, [Entry("a", b"a")]).offer().open()
    sender.data()
    sender.end()
    sender.control.say(kind, file=0, why=NASTY)
    with contextlib.suppress(Broken):
        sender.finish()
    code, out, err = ours.end(process)  # which looks at every character
    assert code == 5 or kind == "withdrawn"
    assert len(out + err) < 4000 and "x" * 500 not in out + err


class Crier(Receiver):
    """Says something nasty in one place."""

    place_ = ""

    def welcome(self, hello: dict) -> dict:
        if self.place_ == "the first word":
            self.control.say("refused", why=NASTY)
        mine = {"the reason": {"why": NASTY}, "the suite": {"suite": NASTY[:20]}}
        return {**super().welcome(hello), **mine.get(self.place_, {})}

    def have(self) -> list[tuple[int, int, int]]:
        if self.place_ in ("broke-off", "refused", "\x1b[2J"):
            self.control.say(self.place_, why=NASTY)
        return []

    def place(self, control) -> None:
        if self.place_ == "the last word":
            control.say("authenticated", files=1)
            control.say("failed", file=0, why=NASTY)
            control.say("durable", files=0)
            control.hear("bye")
        super().place(control)


PLACES = ["the first word", "the reason", "the suite", "broke-off", "refused", "\x1b[2J", "the last word"]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.replace("\x1b", "esc"))
def test_send_shows_what_a_receiver_says_as_text(ours, place):
    crier = Crier(ours.into)
    crier.place_ = place
    (ours.home / "file").write_bytes(b"text")
    process = ours.send(crier.ticket, "--explain", "--patience", "5s", ours.home / "file", quiet=False)
    with contextlib.suppress(Broken):
        crier.receive()
    code, out, err = ours.end(process)
    assert code == (0 if place == "the reason" else 5)
    assert len(out + err) < 4000 and "x" * 500 not in out + err


def link(path: Path) -> None:
    path.symlink_to("/")


@pytest.mark.parametrize("make", [os.mkfifo, link, Path.touch])
@pytest.mark.parametrize("name", ["\x1b[2J", "exe\u202egpj", b"\xff\x9b2J"], ids=["escape", "bidi", "no UTF-8"])
def test_send_shows_names_that_it_leaves_out_as_text(ours, make, name):
    from_ = ours.folder("from")
    (from_ / "file").write_bytes(b"text")
    make(from_ / os.fsdecode(name))
    recv, ticket = ours.recv("--patience", "5s")
    process = ours.send(ticket, from_, quiet=False)
    code, _, err = ours.end(process)
    assert err.strip()
    if code == 0:
        ours.fine(recv)
        assert tree(ours.into) == {"from": None, "from/file": b"text"}
