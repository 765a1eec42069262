"""Neither end learns a path of the other's."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import LIMIT, Ours, tree
from receiver import Receiver
from sender import Entry, Folder, Sender
from wire import Broken

SECRET = "divorce-papers"
THINGS = [Folder("d"), Entry("d/a", b"a" * 70_000), Entry("b", b"b")]


def tells_nothing(ours: Ours, heard: list[bytes]) -> None:
    """Neither the folder nor where it is, in what the other end heard."""
    text = b"\n".join(heard).decode()
    assert SECRET not in text and str(ours.home) not in text and "/tmp" not in text, text


def states(into: Path) -> list[Path]:
    return list(into.glob(".ciphermeter-*"))


def taken(into: Path) -> None:
    (into / "b").write_bytes(b"mine")


def file_in_the_way(into: Path) -> None:
    (into / "d").write_bytes(b"mine")


def link_in_the_way(into: Path) -> None:
    (into / "d").symlink_to("/")


def link_to_nowhere(into: Path) -> None:
    (into / "b").symlink_to("nowhere")


def part_gone(into: Path) -> None:
    for part in into.glob(".ciphermeter-*/*.part"):
        part.unlink()


def part_is_a_folder(into: Path) -> None:
    part_gone(into)
    for state in states(into):
        for number in range(2):
            (state / f"{number}.part").mkdir(exist_ok=True)


def journal_is_a_folder(into: Path) -> None:
    for state in states(into):
        (state / "journal").unlink(missing_ok=True)
        (state / "journal").mkdir()


def state_gone(into: Path) -> None:
    for state in states(into):
        shutil.rmtree(state, ignore_errors=True)


def all_gone(into: Path) -> None:
    shutil.rmtree(into, ignore_errors=True)


def moved(into: Path) -> None:
    into.rename(into.with_name("elsewhere"))


def read_only(into: Path) -> None:
    """Root is not bound by it."""
    into.chmod(0o500)


MISHAPS = [
    *(taken, file_in_the_way, link_in_the_way, link_to_nowhere, part_gone, part_is_a_folder),
    *(journal_is_a_folder, state_gone, all_gone, moved, read_only),
]
MOMENTS = ["before the hello", "before the offer", "before the data", "before the end", "before coming back"]


def sender_meets(ticket, at: str, happens, heard: list[bytes]) -> None:
    """A transfer in which something happens at one moment."""
    happens() if at == "before the hello" else None
    sender = Sender(ticket, THINGS)
    sender.control.heard = heard
    happens() if at == "before the offer" else None
    if at == "before coming back":
        sender.offer().open().piece(0, 0, 2**16)
        sender.cut()
        happens()
        sender = sender.again()
        sender.control.heard = heard
    sender.offer().open()
    happens() if at == "before the data" else None
    with contextlib.suppress(OSError):  # the reason comes over the control channel
        sender.data()
        sender.end()
    happens() if at == "before the end" else None
    sender.finish()


@pytest.mark.parametrize("mishap", MISHAPS, ids=lambda mishap: mishap.__name__)
def test_recv_tells_no_path(ours, mishap):
    def suffers(at: str) -> None:
        own = ours.another(at.replace(" ", "-"))
        own.into = own.folder(SECRET)
        process, ticket = own.recv("--patience", "5s")
        heard = []
        with contextlib.suppress(Broken, OSError):
            sender_meets(ticket, at, lambda: mishap(own.into), heard)
        process.kill()  # what it prints here is another test's matter
        assert heard or at == "before the hello"
        tells_nothing(own, heard)

    with ThreadPoolExecutor(len(MOMENTS)) as threads:
        list(threads.map(suffers, MOMENTS))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a file system to be filled")
def test_a_full_disk_tells_no_path(ours):
    ours.into = ours.folder(SECRET)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", ours.into], check=True)
    try:
        process, ticket = ours.recv("--patience", "5s")
        sender = Sender(ticket, [Entry("a", bytes(2**21))]).offer().open()
        with contextlib.suppress(OSError):
            (ours.into / "filler").write_bytes(bytes(2**23))
        with contextlib.suppress(OSError):  # it needn't listen to the end
            sender.data()
            sender.end()
        with pytest.raises(Broken):
            sender.finish()
        tells_nothing(ours, sender.control.heard)
        assert ours.end(process)[0] == 5
    finally:
        process.kill()
        process.wait(LIMIT)
        subprocess.run(["umount", "-l", ours.into], check=True)


def changed(path: Path) -> None:
    path.write_bytes(b"other")


def became_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def became_a_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


def became_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


CHANGES = [changed, Path.unlink, became_a_folder, became_a_link, became_a_pipe]


class Late(Receiver):
    """Says `ready` only when something has happened to the sender's files."""

    def hear_offer(self, control) -> None:
        super().hear_offer(control)
        self.happens()


@pytest.mark.parametrize("all_", [False, True], ids=["the files", "their folder"])
def test_send_tells_no_path(ours, all_):
    from_ = ours.folder(SECRET) / "inner"
    from_.mkdir()
    paths = [from_ / change.__name__ for change in CHANGES]
    for path in [*paths, from_ / "kept"]:
        path.write_bytes(b"text")
    late = Late(ours.into)

    def happens() -> None:
        for change, path in zip(CHANGES, paths):
            change(path)
        if all_:
            shutil.rmtree(from_)

    late.happens = happens
    process = ours.send(late.ticket, from_)
    late.receive()
    code, _, _ = ours.end(process)
    assert code == 5 and tree(ours.into)["inner"] is None
    assert set(late.withdrawn.values()) <= {"gone", "changed", "unreadable"} and len(late.withdrawn) == 5 + all_
    tells_nothing(ours, late.control.heard)


def test_recv_names_what_it_refuses_in_words_of_the_offer(ours):
    """What goes back to the sender is about names that it knows."""
    ours.into = ours.folder(SECRET)
    (ours.into / "d").mkdir()
    process, ticket = ours.recv("--hidden")
    sender = Sender(ticket, THINGS).offer()
    sender.cut()
    again = sender.again([*THINGS, Entry("d/one more")])
    again.complete()
    assert list(again.skipped.values()) == ["beyond"]
    tells_nothing(ours, again.control.heard)
    ours.end(process)


@pytest.mark.parametrize("who", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_end_tells_no_path(ours, who):
    from_ = ours.folder(SECRET)
    (from_ / "file").write_bytes(b"text")
    late = Late(ours.into)
    send = ours.send(late.ticket, from_ / "file")
    late.happens = lambda: send.send_signal(who)
    with contextlib.suppress(Broken, OSError):
        late.receive()
    tells_nothing(ours, late.control.heard)
    ours.end(send)

    ours = ours.another("receiving")
    ours.into = ours.folder(SECRET)
    recv, ticket = ours.recv()
    sender = Sender(ticket, THINGS).offer()
    recv.send_signal(who)
    with pytest.raises(Broken):
        sender.control.hear()
    tells_nothing(ours, sender.control.heard)
    ours.end(recv)
