"""What a sender may offer, and what may happen meanwhile: nothing that is there changes, and nothing goes elsewhere."""

from __future__ import annotations

import contextlib
import json
import os
import time
import zlib
from pathlib import Path

import pytest

from calls import Answerer
from conftest import tree
from sender import Entry, Folder, Sender, connect, greet
from wire import PATIENCE, Broken, Ended

HOOK = "repo/.git/hooks/post-checkout"
REPO = [Folder("repo"), Folder("repo/.git"), Entry(HOOK, b"evil", 0o755)]


def ends(sender: Sender) -> None:
    """The rest of a transfer, whose receiver need not listen to its end."""
    with contextlib.suppress(Broken, OSError):
        sender.data()
        sender.end()
        sender.finish()


@pytest.mark.parametrize("size", [2**63 - 1, 2**63, 2**64 - 1])
def test_a_size_that_no_disk_has_is_refused_with_the_offer(ours, size):
    process, ticket = ours.recv()
    with pytest.raises(Ended, match=f"can have {size} bytes"):
        Sender(ticket, [Entry("a", size=size, more={"data": 0})]).offer()
    assert "--into" in ours.refuses(process)


@pytest.mark.parametrize("seconds", [2**63 - 1, -(2**63)])
def test_a_time_that_no_clock_has_is_cut(ours, seconds):
    process, ticket = ours.recv()
    Sender(ticket, [Entry("a", b"text", time=seconds * 10**9)]).complete()
    ours.fine(process)
    assert tree(ours.into) == {"a": b"text"}


@pytest.mark.parametrize("name", ["caf\u00e9", "notes ", "notes.", "Notes", "n\u043etes", "notes\u200b"], ids=ascii)
def test_a_look_alike_was_not_asked_for(ours, name):
    answerer = Answerer([Entry(name, b"text")])
    process = ours.fetch(answerer.ticket, "--yes", "host:notes", "host:cafe\u0301")
    with pytest.raises(Ended, match="was not asked for"):
        answerer.answer().offer()
    ours.refuses(process)


def test_names_that_look_alike_are_two(ours):
    twins = ["caf\u00e9", "cafe\u0301", "A", "a", "a ", "a."]
    process, ticket = ours.recv()
    Sender(ticket, [Entry(name, name.encode()) for name in twins]).complete()
    ours.fine(process)
    assert tree(ours.into) == {name: name.encode() for name in twins}


def test_a_link_is_no_file_that_was_asked_for(ours):
    answerer = Answerer([Entry("notes", mode=0, more={"link": "other"})])
    process = ours.fetch(answerer.ticket, "host:notes")
    with pytest.raises(Broken):
        answerer.answer().offer()
    ours.refuses(process)


def test_a_key_comes_once_in_a_line(ours):
    process, ticket = ours.recv()
    control = connect(ticket)
    greet(control, token=ticket.token.hex())
    line = Entry("a").line().replace(b"{", b'{"name":".bashrc",', 1)
    control.write(line + b'{"is":"offered","files":1,"bytes":0}\n')
    with pytest.raises(Ended, match="duplicate"):
        control.hear("ready")
    ours.refuses(process)


LATE = {
    "file": Entry("late", b"text").line(),
    "folder": Folder("late").line(),
    "offered": b'{"is":"offered","files":0,"bytes":0}\n',
    "device": b'{"is":"device","name":"sda","mode":420}\n',
}


@pytest.mark.parametrize("kind", LATE)
def test_nothing_is_offered_after_the_offer(ours, kind):
    process, ticket = ours.recv()
    sender = Sender(ticket, [Entry("a", b"text")]).offer().open()
    sender.control.write(LATE[kind])
    ends(sender)
    assert "invalid message" in ours.refuses(process)


def test_the_receiving_folder_stays_the_one_that_it_was(ours):
    process, ticket = ours.recv()
    sender = Sender(ticket, [Folder("d"), Entry("d/a", b"text")]).offer().open()
    ours.into.rename(ours.home / "moved")
    ours.into.symlink_to(ours.folder("elsewhere"))
    ends(sender)
    ours.fine(process)
    assert tree(ours.home / "moved") == {"d": None, "d/a": b"text"}
    assert tree(ours.home / "elsewhere") == {}


def test_nothing_goes_through_a_folder_that_became_a_link(ours):
    process, ticket = ours.recv()
    sender = Sender(ticket, [Entry("repo/a", b"evil")]).offer().open()
    (ours.into / "repo").symlink_to(ours.folder("elsewhere"))
    ends(sender)
    assert ours.end(process)[0] == 5
    assert tree(ours.home / "elsewhere") == {}


@pytest.mark.parametrize("things", [REPO, REPO[2:], REPO[:2]], ids=["all", "without lines", "folders"])
def test_nothing_goes_into_a_folder_that_appears_meanwhile(ours, things):
    """Not when the transfer is resumed either, until the folder is moved away."""
    process, ticket = ours.recv(straight=False)
    sender = Sender(ticket, things).offer().open()
    (ours.into / "repo" / ".git").mkdir(parents=True)
    (ours.into / "repo" / ".git" / "HEAD").write_bytes(b"mine")
    before = tree(ours.into)
    ends(sender)
    code, out, err = ours.end(process)
    assert code == 5 and "appeared meanwhile, and nothing is added to it" in " ".join((out + err).split()), (out, err)
    assert tree(ours.into) == before
    resume = ("recv", "--resume", "--yes", "--quiet", "--into", ours.into)
    assert ours.end(ours.start(*resume))[0] != 0
    assert tree(ours.into) == before
    (ours.into / "repo").rename(ours.home / "mine")
    assert ours.end(ours.start(*resume))[0] == 0
    assert tree(ours.into) == {"repo": None, "repo/.git": None} | (
        {"repo/.git/hooks": None, HOOK: b"evil"} if len(things) != 2 else {}
    )


TEXTS = [Entry("a", b"x" * 300_000), Entry("b", b"y" * 300_000)]


def state(ours) -> Path:
    return next(ours.into.glob(".ciphermeter-*"))


def half_way(ours) -> Sender:
    """A transfer whose receiver was killed after a piece of its first file."""
    process, ticket = ours.recv(restarts=True)
    sender = Sender(ticket, TEXTS).offer().open()
    sender.piece(0, 0, 2**16)
    until = time.monotonic() + PATIENCE
    while b"piece" not in (state(ours) / "journal").read_bytes():
        assert time.monotonic() < until
        time.sleep(0.01)
    process.kill()
    process.wait()
    sender.cut()
    return sender


def resumes(ours, sender: Sender) -> tuple[int, str, str]:
    process = ours.start("recv", "--resume", "--yes", "--quiet", "--patience", "5s", "--into", ours.into)
    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        with contextlib.suppress(OSError, Broken):
            sender.again().complete()
            break
        time.sleep(0.05)
    return ours.end(process)


JOURNALS = {
    "beyond all numbers": {"is": "piece", "file": 0, "offset": 2**64 - 1, "length": 2**64 - 1},
    "of no file": {"is": "piece", "file": 77, "offset": 0, "length": 5},
    "of a file that did not come": {"is": "piece", "file": 1, "offset": 0, "length": 300_000},
}


@pytest.mark.parametrize("which", JOURNALS)
def test_a_journal_that_lies_is_not_believed(ours, which):
    sender = half_way(ours)
    text = json.dumps(JOURNALS[which]).encode()
    with (state(ours) / "journal").open("ab") as journal:
        journal.write(b"%08x %s\n" % (zlib.crc32(text), text))
    assert resumes(ours, sender)[0] == 0
    assert tree(ours.into) == {entry.name: entry.text for entry in TEXTS}


def part_becomes_a_link(folder: Path, mine: Path) -> None:
    (folder / "0.part").unlink()
    (folder / "0.part").symlink_to(mine)


def part_has_another_name(folder: Path, mine: Path) -> None:
    (folder / "0.part").unlink()
    os.link(mine, folder / "0.part")


def journal_becomes_a_pipe(folder: Path, _: Path) -> None:
    (folder / "journal").unlink()
    os.mkfifo(folder / "journal")


def state_leads_out(folder: Path, _: Path) -> None:
    told = json.loads((folder / "state.json").read_text())
    (folder / "state.json").write_text(json.dumps({**told, "folder": "../elsewhere"}))


@pytest.mark.parametrize(
    "change", [part_becomes_a_link, part_has_another_name, journal_becomes_a_pipe, state_leads_out]
)
def test_a_state_that_was_changed_leads_nowhere(ours, change):
    sender, mine = half_way(ours), ours.home / "mine"
    mine.write_bytes(b"m" * 300_000)
    elsewhere = ours.folder("elsewhere")
    change(state(ours), mine)
    assert resumes(ours, sender)[0] in (0, 2, 5)
    assert mine.read_bytes() == b"m" * 300_000 and list(elsewhere.iterdir()) == []
