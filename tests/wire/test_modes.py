"""Permissions and times arrive as they were, and nothing is more open than it was, not even while it arrives."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conftest import LIMIT, tree
from receiver import Receiver
from sender import Entry, Folder, Sender, things_of

# Name, mode as it is offered, mode as it arrives under a mask of 022.
FOLDERS = [
    ("private", 0o700, 0o700),
    ("private/open", 0o755, 0o755),
    ("private/open/group", 0o750, 0o750),
    ("private/open/group/fixed", 0o555, 0o755),
    ("private/nobody", 0o000, 0o700),
    ("private/all", 0o777, 0o755),
]
KEY = "private/key"
NIGHT = 1_700_000_000_123_456_789


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def arrived(into: Path) -> dict[str, int]:
    return {name: mode_of(into / name) for name, _, _ in FOLDERS}


def as_they_should(into: Path) -> None:
    assert arrived(into) == {name: mode for name, _, mode in FOLDERS}
    assert mode_of(into / KEY) == 0o644


@contextmanager
def watched(into: Path) -> Iterator[list[str]]:
    """What others could look into while it arrives; seen only if it lasts, so nothing seen proves little."""
    open_, over = [], threading.Event()

    def look() -> None:
        while not over.is_set():
            for path in [into / "private", *into.glob(".ciphermeter-*")]:
                try:
                    if mode_of(path) & 0o077:
                        open_.append(path.name)
                except OSError:
                    pass

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield open_
    finally:
        over.set()
        thread.join()


def test_a_folder_arrives_as_private_as_it_was(ours):
    process, ticket = ours.recv()
    things = [Folder(name, mode) for name, mode, _ in FOLDERS] + [Entry(KEY, b"key" * 9999, 0o644)]
    with watched(ours.into) as open_:
        Sender(ticket, things).complete()
        ours.fine(process)
    assert open_ == []
    as_they_should(ours.into)


def test_the_order_of_the_offer_opens_nothing(ours):
    """Even if a folder's line comes after what is in it."""
    process, ticket = ours.recv()
    things = [Entry(KEY, b"key", 0o644)] + [Folder(name, mode) for name, mode, _ in reversed(FOLDERS)]
    Sender(ticket, things).complete()
    ours.fine(process)
    as_they_should(ours.into)


@pytest.mark.parametrize("second", [False, True], ids=["our receiver", "the second"])
def test_our_sender_tells_modes_and_times(ours, second):
    from_ = ours.folder("from")
    for name, mode, _ in FOLDERS:
        (from_ / name).mkdir()
        (from_ / name / "file").write_bytes(b"text")
        os.utime(from_ / name / "file", ns=(NIGHT, NIGHT + mode))
    (from_ / KEY).write_bytes(b"key")
    (from_ / KEY).chmod(0o4644)
    (from_ / "private" / "old").write_bytes(b"old")
    os.utime(from_ / "private" / "old", ns=(NIGHT, -1_500_000_000))  # before 1970
    for name, mode, _ in reversed(FOLDERS):
        if os.getuid() == 0 or mode & 0o500 == 0o500:  # others couldn't send it
            (from_ / name).chmod(mode)
    if second:
        receiver = Receiver(ours.into)
        process = ours.send(receiver.ticket, from_ / "private")
        mask = os.umask(0o022)
        receiver.receive()
        os.umask(mask)
    else:
        recv, ticket = ours.recv()
        with watched(ours.into) as open_:
            process = ours.send(ticket, from_ / "private")
            ours.fine(recv)
        assert open_ == []
    ours.fine(process)
    as_they_should(ours.into)
    times = {thing.name: thing.time for thing in things_of([from_ / "private"]) if isinstance(thing, Entry)}
    for name, modified in times.items():
        assert (ours.into / name).stat().st_mtime_ns == modified, name


@pytest.mark.parametrize("modified", [NIGHT, 0, 999_999_999, 2**31 * 10**9 + 1], ids=["now", "1970", "below 1", "2038"])
def test_times_arrive_to_the_nanosecond(ours, modified):
    process, ticket = ours.recv()
    Sender(ticket, [Entry("file", b"text", time=modified)]).complete()
    ours.fine(process)
    assert (ours.into / "file").stat().st_mtime_ns == modified


def test_a_folder_without_a_line_of_its_own_is_private(ours):
    process, ticket = ours.recv()
    Sender(ticket, [Entry("a/b/file", b"text"), Folder("a/b/c", 0o755)]).complete()
    ours.fine(process)
    modes = [mode_of(ours.into / name) for name in ("a", "a/b", "a/b/c", "a/b/file")]
    assert modes == [0o700, 0o700, 0o755, 0o644]


@pytest.mark.parametrize(("there", "offered"), [(0o755, 0o700), (0o700, 0o777)])
def test_a_folder_that_is_there_keeps_its_mode(ours, there, offered):
    (ours.into / "d").mkdir()
    (ours.into / "d").chmod(there)
    process, ticket = ours.recv()
    Sender(ticket, [Folder("d", offered), Entry("d/x", b"text"), Folder("d/e", offered)]).complete()
    ours.fine(process)
    assert mode_of(ours.into / "d") == there
    assert mode_of(ours.into / "d" / "e") == offered & ~0o022
    assert tree(ours.into) == {"d": None, "d/x": b"text", "d/e": None}


# A file system without permissions, which everybody may read: FAT where the kernel has it, else NTFS as FUSE shows it.
BARE = [
    (["mkfs.vfat"], ["mount", "-t", "vfat", "-o", "loop,umask=022"]),
    (["mkntfs", "-F", "-Q", "-q"], ["ntfs-3g", "-o", "umask=022"]),
]


@pytest.fixture
def bare(tmp_path) -> Iterator[Path]:
    """Such a file system, mounted."""
    if os.getuid() != 0:
        pytest.skip("only root can mount a file system without permissions")
    place, image, why = tmp_path / "bare", tmp_path / "image", []
    place.mkdir()
    for make, mount in BARE:
        image.unlink(missing_ok=True)
        with image.open("wb") as file:
            file.truncate(2**25)
        missing = [tool for tool in (make[0], mount[0]) if not shutil.which(tool)]
        if missing:
            why.append(f"there is no {missing[0]}")
            continue
        commands = [*make, image], [*mount, image, place]
        done = [subprocess.run(command, capture_output=True, text=True) for command in commands]
        if done[1].returncode == 0:
            yield place
            subprocess.run(["umount", place], check=True)
            return
        why.append(done[1].stderr.strip().splitlines()[0])
    pytest.skip(f"no file system without permissions can be mounted: {'; '.join(why)}")


def test_recv_warns_where_other_users_can_read(ours, bare):
    ours.into = bare
    process, ticket = ours.recv(quiet=False)
    os.set_blocking(process.stderr.fileno(), False)
    said, until = b"", time.monotonic() + LIMIT
    while b"other users" not in said:
        assert time.monotonic() < until, said
        said += process.stderr.read() or b""
    Sender(ticket, [Folder("d"), Entry("d/file", b"text")]).complete()
    assert ours.end(process)[0] == 0
    assert tree(bare)["d/file"] == b"text"


def test_recv_warns_of_nothing_elsewhere(ours):
    process, ticket = ours.recv(quiet=False)
    Sender(ticket, [Entry("file", b"text")]).complete()
    code, _, err = ours.end(process)
    assert code == 0 and "other users" not in err
