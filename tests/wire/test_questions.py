"""A person is asked, on a terminal, and sees what matters whatever the names are."""

from __future__ import annotations

import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from conftest import LIMIT, is_plain, tree
from sender import CHUNK, Entry, Folder, Sender
from terminal import TAKEN, WIDTH, Terminal, width
from wire import Ended

ONE = [Entry("holiday.jpg", b"jpg" * 411)]


class Asked:
    """A terminal, and a sender that waits for the answer."""

    def __init__(self, ours, things, *more: object) -> None:
        self.terminal = Terminal(ours, "--no-folder", *more)
        self.sender, self.threads = Sender(self.terminal.ticket, things), ThreadPoolExecutor(1)
        self.offering = self.threads.submit(self.sender.offer)

    def answer(self, text: str) -> None:
        self.terminal.type(text)

    def again(self, things) -> None:
        self.sender.cut()
        self.sender = self.sender.again(things)
        self.offering = self.threads.submit(self.sender.offer)

    def completes(self, code: int = 0) -> None:
        self.offering.result().open().data()
        self.sender.end()
        self.sender.finish()
        assert self.terminal.end() == code

    def declines(self) -> None:
        with pytest.raises(Ended):
            self.offering.result()
        assert self.terminal.end() == 5
        assert is_plain(self.terminal.output.decode().replace("\r\n", "\n"))


@pytest.mark.parametrize("answer", ["y\n", "n\n", "\n", "\x04"], ids=["yes", "no", "nothing", "the end"])
def test_only_a_yes_accepts(ours, answer):
    asked = Asked(ours, ONE)
    lines = asked.terminal.question()
    assert re.search(r"holiday\.jpg.*1[.,]2", " ".join(lines))
    assert not re.search("hidden|executable", "".join(lines))
    asked.answer(answer)
    if answer == "y\n":
        asked.completes()
        assert tree(ours.into) == {"holiday.jpg": ONE[0].text}
    else:
        asked.declines()
        assert tree(ours.into) == {}


def test_what_was_typed_before_the_question_answers_nothing(ours):
    terminal = Terminal(ours, "--no-folder")
    terminal.type("y\n")
    sender, threads = Sender(terminal.ticket, ONE), ThreadPoolExecutor(1)
    offering = threads.submit(sender.offer)
    terminal.question()
    assert not offering.done()
    terminal.type("n\n")
    with pytest.raises(Ended):
        offering.result()
    assert terminal.end() == 5
    assert tree(ours.into) == {}


def test_an_answer_that_is_none_is_asked_again(ours):
    asked = Asked(ours, ONE)
    asked.terminal.question()
    asked.answer("maybe\n")
    assert "Answer y, n, l, or - and a name." in asked.terminal.wait()[0]
    asked.answer("l\n")
    asked.terminal.wait()
    asked.answer("\n")  # the one that a reader of the list typed
    asked.terminal.wait()
    asked.answer("y\n")
    asked.completes()


def test_names_are_left_out_until_the_answer_fits(ours):
    things = [Folder("d"), Entry("d/a.sh", b"a", 0o755), Entry("d/b", b"b"), Entry("d/c.txt", b"c")]
    asked = Asked(ours, things)
    asked.terminal.question()
    asked.answer("-nothing\n")
    assert 'No name matches "nothing"' in asked.terminal.wait()[0]
    asked.answer("-[\n")
    assert "write it like" in " ".join(asked.terminal.wait())
    asked.answer("-*.sh\n")
    text = " ".join(asked.terminal.question())
    assert "1 file left out." in text and "2 files" in text and "a.sh" not in text and "executable" not in text
    asked.answer("- d/b\n")
    assert "d/b" not in " ".join(asked.terminal.question())
    asked.answer("y\n")
    asked.completes()
    assert asked.sender.skipped == {0: "declined", 1: "declined"}
    assert tree(ours.into) == {"d": None, "d/c.txt": b"c"}


def test_leaving_out_everything_declines(ours):
    asked = Asked(ours, ONE)
    asked.terminal.question()
    asked.answer("-*\n")
    asked.declines()
    assert tree(ours.into) == {}


@pytest.mark.parametrize("answer, names", [("s", {}), ("r", {"a-1", "b-1"}), ("c", {"b-1"}), ("n", None), ("y", None)])
def test_what_becomes_of_taken_names_is_asked(ours, answer, names):
    (ours.into / "a").write_bytes(b"same")
    (ours.into / "b").write_bytes(b"mine")
    asked = Asked(ours, [Entry("a", b"same"), Entry("b", b"your"), Entry("new", b"new")])
    lines = asked.terminal.question(TAKEN)
    text = " ".join(lines)
    assert re.search(r"exists +4 B +a ", text) and "2 names exist in the folder." in text, text
    asked.answer(f"{answer}\n")
    if answer == "y":  # it says nothing about them
        assert "Answer s, r, c, n, l, or - and a name." in asked.terminal.wait()[0]
        asked.answer("n\n")
    if names is None:
        asked.declines()
        assert set(tree(ours.into)) == {"a", "b"}
    else:
        asked.completes()
        assert set(tree(ours.into)) == {"a", "b", "new", *names}
        assert (ours.into / "b").read_bytes() == b"mine"


def test_question_about_taken_names_fits_the_screen(ours):
    things = [Entry(f"{number:03}", b"x") for number in range(60)]
    for thing in things:
        (ours.into / thing.name).write_bytes(b"y")
    asked = Asked(ours, things)
    asked.terminal.question(TAKEN)
    asked.answer("-*\n")
    asked.declines()


def test_a_wider_offer_names_all_that_is_wider(ours):
    before = [Folder("d"), *[Entry(f"d/{number}", b"text") for number in range(30)]]
    asked = Asked(ours, before)
    asked.terminal.question()
    asked.answer("y\n")
    asked.offering.result()
    asked.again(
        [*before[:-1], Entry("d/29", b"longer"), Entry("d/readme.txt"), Entry("d/.x"), Entry("d/run", b"", 0o755)]
    )
    text = "\n".join(asked.terminal.question())
    for line in (
        r"new .* d/readme\.txt",
        r"new hidden .* d/\.x",
        r"new executable .* d/run",
        r"larger, was 4 B .* d/29",
    ):
        assert re.search(line, text), text
    assert " d/7" not in text and "The other 29 stay within what you accepted." in text.replace("\n", " "), text
    asked.answer("n\n")
    asked.declines()


NAMES = {
    "holiday.jpg": "holiday.jpg",
    "a\u200bb": r'"a\u{200b}b"',
    "c\u00a0d": r'"c\u{a0}d"',
    "e\u3164f": r'"e\u{3164}f"',
    "g\u2800h": r'"g\u{2800}h"',
    "i\U000e0041j": r'"i\u{e0041}j"',
    "שלום": "שלום",
    "largo  ": '"largo  "',
}
RUNS = {"invoice.pdf" + " " * 60 + ".exe": ".exe", "y" * 120 + "-" + "z" * 120 + ".sh": ".sh", "run.sh": "run.sh"}
HIDDEN = [".bashrc", ".ssh/authorized_keys", ".config/autostart/x.desktop"]


def test_no_name_hides(ours):
    """Whatever the sender lists last, pads or blanks stands at the top, flagged, and shows its end."""
    things = [Entry(name, b"text") for name in NAMES] + [Entry(name, b"text", 0o755) for name in RUNS]
    things += [Entry("x" * 220 + ".txt")] + [Entry(name, b"text") for name in HIDDEN]
    asked = Asked(ours, things)
    lines = asked.terminal.question()
    text = "\n".join(lines)
    for shown in NAMES.values():
        assert shown in text, text
    flagged = {"executable": list(RUNS.values()), "hidden": HIDDEN}
    for flag, names in flagged.items():
        for name in names:
            before = [line.partition(name)[0] for line in lines if name in line]
            assert before and all(flag in one and re.search(r"\d", one) for one in before), (name, text)
    first = {shown: text.index(shown) for shown in [*RUNS.values(), *HIDDEN, *NAMES.values()]}
    assert max(first[name] for name in [*RUNS.values(), *HIDDEN]) < min(first[name] for name in NAMES.values()), text
    asked.answer("n\n")
    asked.declines()


LONGEST = "/".join(["n" * 255] * 16)
WIDE = "/".join(["の" * 85] * 16)


MANY = [f"{number}{LONGEST[3:]}" for number in range(30)]


@pytest.mark.parametrize(
    ("names", "mode"),
    [([LONGEST], 0o644), ([LONGEST], 0o755), ([WIDE], 0o755), ([LONGEST, WIDE], 0o644), (MANY, 0o755)],
    ids=["one", "an executable", "a wide one", "two", "thirty"],
)
def test_the_longest_names_fit_the_screen(ours, names, mode):
    asked = Asked(ours, [Entry(name, b"text", mode) for name in names])
    text = " ".join(asked.terminal.question())
    assert ("executable" in text) == (mode == 0o755)
    asked.answer("n\n")
    asked.declines()


@pytest.mark.parametrize("mode", [0o711, 0o645, 0o654])
def test_executable_for_anyone_is_executable(ours, mode):
    asked = Asked(ours, [*ONE, Entry("x", b"text", mode)])
    assert any(re.search(r"executable.* x$", line) for line in asked.terminal.question())
    asked.answer("n\n")
    asked.declines()


def test_a_large_folder_shows_counts_and_what_is_flagged(ours):
    things = [Folder("photos"), *[Entry(f"photos/{number % 100}/{number}.jpg", b"jpg") for number in range(9_999)]]
    asked = Asked(ours, [*things, Entry("photos/42/run.sh", b"#!/bin/sh", 0o755)])
    lines = asked.terminal.question()
    text = "\n".join(lines)
    assert re.search(r"10[,. \u202f']?000", text), text
    assert any(re.search(r"executable.*run\.sh", line) for line in lines), text
    asked.answer("l\n")
    page = asked.terminal.wait()
    assert len(page) <= 24 and max(map(width, page)) <= WIDTH
    asked.answer("\n")
    assert asked.terminal.wait()[0] != page[0]
    asked.answer("q\n")
    asked.terminal.question()
    asked.answer("n\n")
    asked.declines()


def test_more_flagged_names_than_a_screen_are_counted(ours):
    asked = Asked(ours, [*ONE, *[Entry(f".x{number}", b"text", 0o755) for number in range(200)]])
    text = "\n".join(asked.terminal.question())
    assert "hidden" in text and "executable" in text and re.search(r"\b(200|1[789]\d)\b", text), text
    asked.answer("n\n")
    asked.declines()


def test_every_name_is_listed_page_by_page(ours):
    names = [f"folder{number % 7}/a name of some length {number}" for number in range(90)]
    asked = Asked(ours, [Entry(name, b"text") for name in names])
    asked.terminal.question()
    asked.answer("l\n")
    listed = []
    for _ in range(20):
        page = asked.terminal.wait()
        assert len(page) <= 24 and max(map(width, page)) <= WIDTH
        listed += page
        if re.search(r"\bN\b", page[-1]):
            break
        asked.answer("\n")
    assert all(any(name in line for line in listed) for name in names)
    asked.answer("y\n")
    asked.completes()
    assert set(names) <= set(tree(ours.into))


@pytest.mark.parametrize("answer", ["y\n", "n\n"], ids=["yes", "no"])
def test_an_offer_that_grows_is_asked_about(ours, answer):
    asked = Asked(ours, ONE)
    asked.terminal.question()
    asked.answer("y\n")
    asked.offering.result()
    asked.again([*ONE, Entry(".bashrc", b"rm -rf ~")])
    assert any(re.search(r"hidden.*\.bashrc", line) for line in asked.terminal.question())
    asked.answer(answer)
    if answer == "y\n":
        asked.completes()
        assert tree(ours.into) == {"holiday.jpg": ONE[0].text, ".bashrc": b"rm -rf ~"}
    else:
        asked.declines()
        assert tree(ours.into) == {}


def test_an_offer_that_shrinks_is_not_asked_about(ours):
    asked = Asked(ours, [*ONE, Entry("b", b"b")])
    asked.terminal.question()
    asked.answer("y\n")
    asked.offering.result()
    asked.again(ONE)
    asked.completes(code=5)  # what was accepted and never came is missing
    assert tree(ours.into) == {"holiday.jpg": ONE[0].text}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "kill"])
def test_interrupt_at_the_question_is_a_no(ours, number):
    asked = Asked(ours, ONE)
    asked.terminal.question()
    asked.terminal.process.send_signal(number)
    with pytest.raises(Ended) as ended:
        asked.offering.result(LIMIT)
    assert ended.value.kind == "refused"
    assert asked.terminal.end() == 130
    assert "interrupted; nothing was accepted yet" in asked.terminal.output.decode()
    assert tree(ours.into) == {}


@pytest.mark.parametrize("answer", ["y\n", "n\n"])
def test_an_unfinished_transfer_is_shown_and_accepted_again(ours, answer):
    """Its state is in the folder, which may have come from elsewhere with all that is in it."""
    process, ticket = ours.recv("--hidden")
    hook = Entry(".git/hooks/post-checkout", b"#!/bin/sh\n" * 300_000, mode=0o755)
    sender = Sender(ticket, [Folder(".git"), Folder(".git/hooks"), hook, Entry("small", b"small")]).offer().open()
    sender.piece(0, CHUNK, CHUNK)
    sender.piece(1, 0, 5)
    journal, until = ours.into / f".ciphermeter-{sender.transfer}" / "journal", time.monotonic() + LIMIT
    while not journal.exists() or b"piece" not in journal.read_bytes():
        assert process.poll() is None and time.monotonic() < until, process.stderr.read()
        time.sleep(0.01)
    process.kill()
    process.wait(LIMIT)
    sender.cut()
    unasked = ours.start("recv", "--resume", "--yes", "--into", ours.into)
    assert unasked.wait(LIMIT) == 5 and b"hidden" in unasked.stderr.read()
    terminal = Terminal.resuming(ours)
    lines = terminal.question()
    assert re.search(r"post-checkout.*hidden.*executable|executable.*hidden", " ".join(lines)), lines
    terminal.type(answer)
    if answer == "n\n":
        assert terminal.end() == 5
        assert not (ours.into / ".git").exists()
        return
    again = sender.again()
    again.offer().open().data()
    again.end()
    again.finish()
    assert terminal.end() == 0
    assert (ours.into / hook.name).read_bytes() == hook.text
