"""What is received is what was accepted, in every attempt of a transfer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import tree
from sender import Entry, Folder, Sender
from wire import Ended

HOME = [
    Entry("holiday.jpg", b"jpg"),
    Entry(".bashrc", b"rm -rf ~"),
    Folder(".ssh", 0o700),
    Entry(".ssh/authorized_keys", b"ssh-ed25519 mine"),
    Folder(".config"),
    Entry(".config/autostart/x.desktop", b"[Desktop Entry]"),
]
FILES = {thing.name: thing.text for thing in HOME if isinstance(thing, Entry)}
SMALL = [Folder("d"), Entry("d/a", b"twelve bytes"), Entry("d/b", b"b" * 70_000), Entry("c", b"c")]


def files(folder: Path) -> dict[str, bytes]:
    return {name: text for name, text in tree(folder).items() if text is not None}


@pytest.mark.parametrize("where", [[], ["--no-folder"]], ids=["anew", "straight"])
def test_recv_refuses_hidden_names_under_yes(ours, where):
    process, ticket = ours.recv(*where, straight=False)
    with pytest.raises(Ended, match=r"--hidden") as said:
        Sender(ticket, HOME).offer()
    assert any(name in str(said.value) for name in (".bashrc", ".ssh", ".config"))
    assert said.value.kind == "refused"
    ours.refuses(process)
    assert list(ours.into.iterdir()) == []


@pytest.mark.parametrize("name", [".profile", ".config/x", ".a/b/c"])
def test_recv_refuses_a_single_hidden_name_under_yes(ours, name):
    process, ticket = ours.recv(straight=False)
    with pytest.raises(Ended, match=r"--hidden"):
        Sender(ticket, [Entry(name)]).offer()
    ours.refuses(process)


def test_recv_accepts_hidden_names_that_are_wanted(ours):
    process, ticket = ours.recv("--hidden", "--json", straight=False)
    sender = Sender(ticket, HOME)
    sender.complete()
    folder = ours.into / f"transfer-{sender.transfer[:8]}"
    assert ours.went_into(process) == folder.resolve()
    assert files(folder) == FILES
    assert list(ours.into.iterdir()) == [folder]


def test_recv_accepts_hidden_names_within_a_folder(ours):
    process, ticket = ours.recv(straight=False)
    Sender(ticket, [Folder("d"), Entry("d/.git/config", b"text")]).complete()
    ours.fine(process)
    assert files(ours.into) == {"d/.git/config": b"text"}


TWO = [Entry("one", b"1"), Entry("two", b"2")]
INSIDE = [Folder("there"), Entry("there/one", b"1")]


@pytest.mark.parametrize(
    ("things", "options", "anew"),
    [
        (TWO, [], True),
        (TWO, ["--no-folder"], False),
        (TWO[:1], [], False),
        ([Folder("d"), Entry("d/one", b"1"), Entry("d/two", b"2")], [], False),
        (INSIDE, [], True),
        (INSIDE, ["--no-folder"], False),
        ([Entry("there/one", b"1")], [], True),
    ],
    ids=["two", "two straight", "one", "a folder", "one that is there", "straight into it", "one without a line"],
)
def test_names_go_where_nothing_else_is(ours, things, options, anew):
    (ours.into / "there").mkdir()
    (ours.into / "there" / "old").write_bytes(b"old")
    process, ticket = ours.recv("--json", *options, straight=False)
    sender = Sender(ticket, things)
    sender.complete()
    folder = ours.into / f"transfer-{sender.transfer[:8]}" if anew else ours.into
    assert ours.went_into(process) == folder.resolve()
    came = {thing.name: thing.text for thing in sender.files}
    assert files(folder) == (came if anew else {**came, "there/old": b"old"})
    assert files(ours.into / "there") == {"old": b"old"} or not anew


BEYOND = {
    "larger": [*SMALL[:3], Entry("c", b"cc")],
    "one more": [*SMALL, Entry("e")],
    "one more folder": [*SMALL, Folder("e")],
    "one more inside": [*SMALL, Entry("d/e")],
    "hidden": [*SMALL, Entry(".bashrc")],
    "executable": [*SMALL[:3], Entry("c", b"c", 0o755)],
    "executable for others": [*SMALL[:3], Entry("c", b"c", 0o645)],
    "a file instead of a folder": [Entry("d"), SMALL[3]],
    "a folder instead of a file": [*SMALL[:3], Folder("c")],
    "another name": [*SMALL[:3], Entry("C", b"c")],
}


def twice(ways: dict, *restarted: str) -> list:
    """Each way at once, and these after kill -9 as well: what was accepted is on disk, or it isn't."""
    return [(how, False) for how in ways] + [(how, True) for how in restarted]


@pytest.mark.parametrize(("how", "restarted"), twice(BEYOND, "larger", "one more", "executable", "another name"))
def test_what_an_offer_adds_is_left_out_under_yes(ours, how, restarted):
    process, ticket = ours.recv(restarts=restarted)
    first = Sender(ticket, SMALL).offer()
    first.cut()
    if restarted:
        process = ours.restart(process, ticket)
    second = first.again(BEYOND[how])
    second.complete()
    code, out, _ = ours.end(process)
    added = [thing for thing in second.things if thing not in SMALL]
    assert code == 5
    assert added
    assert all(f"NOT received: {thing.name}: it " in out for thing in added), out
    assert set(second.skipped.values()) == ({"beyond"} if any(isinstance(thing, Entry) for thing in added) else set())
    assert files(ours.into) == {thing.name: thing.text for thing in second.files if thing in SMALL}


WITHIN = {
    "the same": SMALL,
    "smaller": [*SMALL[:3], Entry("c")],
    "fewer": SMALL[:2],
    "none": [],
    "another order": SMALL[::-1],
    "other permissions": [Folder("d", 0o700), Entry("d/a", b"twelve bytes", 0o600), *SMALL[2:]],
    "other bytes": [*SMALL[:3], Entry("c", b"d", time=10**18)],
    "smaller in another order": [Entry("c", b"c"), Entry("d/b", b"a" * 65_537), Entry("d/a", b"twelve")],
}


@pytest.mark.parametrize(("how", "restarted"), twice(WITHIN, "the same", "smaller", "fewer", "another order"))
def test_an_offer_that_shrinks_is_accepted_under_yes(ours, how, restarted):
    process, ticket = ours.recv(restarts=restarted)
    first = Sender(ticket, SMALL).offer().open()
    first.piece(1, 0, 2**16)
    first.cut()
    if restarted:
        process = ours.restart(process, ticket)
    second = first.again(WITHIN[how])
    second.complete()
    code, out, _ = ours.end(process)
    assert files(ours.into) == {thing.name: thing.text for thing in second.files}
    gone = {thing.name for thing in first.files} - {thing.name for thing in second.files}
    assert code == (5 if gone else 0)
    said = " ".join(out.split())
    lines = re.findall(r"NOT received: (.*?): the sender no longer offers it", said)
    assert {name for line in lines for name in line.split(", ")} == gone and len(lines) <= 1, out


def test_the_limit_is_what_was_accepted_first(ours):
    """An offer within it lowers nothing and raises nothing."""
    process, ticket = ours.recv()
    first = Sender(ticket, SMALL).offer()
    first.cut()
    second = first.again([Entry("d/b", b"b")]).offer()
    second.cut()
    third = first.again(SMALL).offer()
    third.cut()
    fourth = first.again([Entry("d/b", b"b" * 70_001)])
    fourth.complete()
    assert fourth.skipped == {0: "beyond"}
    code, out, _ = ours.end(process)
    assert code == 5
    assert "NOT received: d/b: it has 70001 bytes; accepted were 70000; ask for it" in out.replace("\n", " ")
    assert files(ours.into) == {}


def test_recv_looks_at_the_free_space(ours):
    process, ticket = ours.recv()
    with pytest.raises(Ended, match="disk has"):
        Sender(ticket, [Entry("huge", size=2**60)]).offer()
    assert "disk has" in ours.refuses(process)
