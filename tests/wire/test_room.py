"""An offer costs what it makes: its bytes, its files, and every folder around them."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from sender import Entry, Folder, Sender
from terminal import Terminal
from wire import Broken, Ended

MIB = 2**20
DEEP = "/".join("d" * 61)


def deep(count: int) -> list[Entry]:
    """Empty files, each below 62 folders of its own that have no line."""
    return [Entry(f"{number}/{DEEP}/file") for number in range(count)]


@pytest.fixture
def small(ours) -> Iterator[object]:
    """`ours` with a receiving folder of 4 MiB and 900 inodes."""
    if os.getuid() != 0:
        pytest.skip("only root can mount a small file system")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,nr_inodes=900", "tmpfs", ours.into], check=True)
    yield ours
    for process in ours.started:
        process.kill()
        process.wait()
    subprocess.run(["umount", "-l", ours.into], check=True)


def test_folders_are_counted(ours):
    """Also those without a line of their own."""
    terminal = Terminal(ours, "--no-folder")
    with ThreadPoolExecutor(1) as beside:
        offering = beside.submit(Sender(terminal.ticket, deep(50)).offer)
        text = " ".join(terminal.question())
        terminal.type("n\n")
        with pytest.raises(Ended):
            offering.result()
    assert "50 files in 3,100 folders, 0 B, 12.7 MB on the disk" in text, text
    assert terminal.end() == 5


def test_folders_without_a_line_count_as_entries(ours):
    process, ticket = ours.recv()
    with pytest.raises(Ended, match="more entries than a transfer may have"):
        Sender(ticket, deep(16_000)).offer()
    ours.refuses(process)


LARGE = {
    "folders with a line": ([Folder(f"{number}") for number in range(1025)], "which take 4198400 bytes"),
    "small files": ([Entry(f"{number}", b"x") for number in range(1025)], "which take 4198400 bytes"),
    "files with short holes": ([Entry(f"{n}", size=MIB - 1, more={"data": 0}) for n in range(5)], "bytes free"),
    "empty files": ([Entry(f"{number}") for number in range(950)], "which take 950 inodes"),
    "empty files in folders": ([Entry(f"{n}/{n}") for n in range(460)], "which take 920 inodes"),
}


@pytest.mark.parametrize("which", LARGE)
def test_what_does_not_fit_is_refused_before_a_byte_comes(small, which):
    things, why = LARGE[which]
    process, ticket = small.recv()
    with pytest.raises(Ended, match=why) as said:
        Sender(ticket, things).offer()
    assert said.value.kind == "refused"
    assert "free some" in small.refuses(process)
    assert list(small.into.iterdir()) == []


def test_what_just_fits_is_received(small):
    process, ticket = small.recv()
    Sender(ticket, deep(8)).complete()
    small.fine(process)


LIAR = [Entry("a", size=12 * MIB, more={"data": 0}), Entry("b", size=24 * MIB, more={"data": 4096})]


def send_all(sender: Sender) -> None:
    """The bytes of all files, by the megabyte, though they were offered as holes."""
    with contextlib.suppress(OSError):  # the reason comes over the control channel
        for number, file in enumerate(sender.files):
            have = sum(length for _, length in sender.have[number])
            for at in range(have, file.size, MIB):
                sender.out.piece(number, at, bytes(min(MIB, file.size - at)))


def on_disk(ours) -> int:
    return sum(path.stat().st_blocks * 512 for path in ours.into.rglob("*"))


def test_a_sender_that_sends_more_than_it_declared_is_stopped(ours):
    process, ticket = ours.recv()
    sender = Sender(ticket, LIAR).offer().open()
    send_all(sender)
    with pytest.raises(Ended, match="more bytes than its files were offered with"):
        sender.control.hear("authenticated")
    assert on_disk(ours) < 18 * MIB
    ours.refuses(process)


def test_coming_back_brings_no_more_than_was_declared(ours):
    process, ticket = ours.recv("--patience", "20s")
    sender = Sender(ticket, LIAR).offer().open()
    for at in range(12):
        sender.out.piece(0, at * MIB, bytes(MIB))
    sender.cut()
    sender = sender.again().offer().open()
    send_all(sender)
    with pytest.raises(Broken):
        sender.control.hear("authenticated")
    assert on_disk(ours) < 18 * MIB
    assert "more bytes than its files were offered with" in ours.refuses(process)
