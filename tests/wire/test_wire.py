"""The second implementation and our binary move files to each other."""

from __future__ import annotations

import os
import time
import zlib
from pathlib import Path

import pytest

from conftest import tree
from receiver import Receiver
from sender import Entry, Sender, send
from test_attacks import FILES, SIZE, admitted
from wire import PATIENCE, Broken

SUITES = ["aes-256-gcm", "chacha20-poly1305"]
CHUNK = 262_144
SIZES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2**24 + 1]


def make_files(folder: Path) -> list[Path]:
    """Files of every size that matters, and a folder with a file, a folder and an empty one in it."""
    for size in SIZES:
        (folder / f"{size}").write_bytes(bytes(at * 31 % 251 for at in range(min(size, 251))) * (size // 251 + 1))
        with (folder / f"{size}").open("r+b") as file:
            file.truncate(size)
    (folder / "photos" / "none").mkdir(parents=True)
    (folder / "photos" / "2024").mkdir()
    (folder / "photos" / "2024" / "ä b.jpg").write_bytes(b"three words here")
    return sorted(folder.iterdir())


@pytest.mark.parametrize("streams", [1, 3])
@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("who", ["sender", "receiver"])
def test_our_receiver_takes_what_it_sends(ours, suite, streams, who):
    from_ = ours.folder("from")
    files = make_files(from_)
    process, ticket = ours.recv(*(["--cipher", suite] if who == "receiver" else []))
    authenticated, failed, durable = send(ticket, files, suite if who == "sender" else None, streams)
    ours.fine(process)
    assert (authenticated["files"], failed, durable["files"]) == (7, [], 7)
    assert tree(ours.into) == tree(from_)


@pytest.mark.parametrize("streams", [1, 3])
@pytest.mark.parametrize("suite", SUITES)
def test_our_sender_sends_what_it_takes(ours, suite, streams):
    from_ = ours.folder("from")
    files = make_files(from_)
    receiver = Receiver(ours.into)
    process = ours.send(receiver.ticket, "--cipher", suite, "--streams", str(streams), *files)
    receiver.receive()
    ours.fine(process)
    assert tree(ours.into) == tree(from_)


class Holder(Receiver):
    """Has other bytes already, so that it shows which of them came again."""

    def have(self) -> list[tuple[int, int, int]]:
        ranges = [(1, 100, 1000), (1, CHUNK, 1), (2, 0, 4)]
        for number, offset, length in ranges:
            os.pwrite(self.files[number].part, b"-" * length, offset)
        return ranges


def test_our_sender_leaves_out_what_is_there(ours):
    texts = [b"", bytes(2 * CHUNK + 1), b"four"]
    paths = [ours.home / f"{number}" for number in range(3)]
    for path, text in zip(paths, texts):
        path.write_bytes(text)
    holder = Holder(ours.into)
    process = ours.send(holder.ticket, *paths)
    holder.receive()
    ours.fine(process)
    came = (ours.into / "1").read_bytes()
    assert came == bytes(100) + b"-" * 1000 + bytes(CHUNK - 1100) + b"-" + bytes(CHUNK)
    assert (ours.into / "2").read_bytes() == b"----"


def test_a_sender_comes_back(ours):
    process, ticket = ours.recv()
    first = admitted(ticket)
    first.piece(0, CHUNK, CHUNK)
    first.piece(1, 0, 5)
    journal = ours.into / f".ciphermeter-{first.transfer}" / "journal"
    until = time.monotonic() + PATIENCE
    while not journal.exists() or journal.read_bytes().count(b"\n") < 2:  # what is not recorded comes again
        assert time.monotonic() < until
        time.sleep(0.01)
    for line in journal.read_bytes().splitlines():
        check, _, text = line.partition(b" ")
        assert int(check, 16) == zlib.crc32(text)
    first.cut()
    second = first.again()
    assert second.welcome["attempt"] == 2 and "resume" not in second.welcome
    assert second.complete()[2]["files"] == 2
    assert second.have == [[(CHUNK, CHUNK)], [(0, 5)]]
    ours.fine(process)
    assert [(ours.into / file.name).read_bytes() for file in FILES] == [FILES[0].text[:SIZE], b"small"]


@pytest.mark.parametrize("word", ["changed", "unreadable", "struck by lightning"])
def test_a_file_is_withdrawn_and_a_name_is_taken(ours, word):
    process, ticket = ours.recv()
    sender = admitted(ticket)
    (ours.into / "small").write_text("mine")
    sender.data()
    sender.end()
    sender.control.say("withdrawn", file=0, why=word)
    authenticated, failed, durable = sender.finish()
    assert (authenticated["files"], durable["files"]) == (1, 0)
    assert failed == [{"is": "failed", "file": 1, "why": "exists"}]
    assert ours.end(process)[0] == 5
    assert tree(ours.into) == {"small": b"mine"}


def test_nothing_but_empty_files_and_folders(ours):
    process, ticket = ours.recv()
    sender = Sender(ticket, [Entry(f"{number}") for number in range(100)], streams=3)
    assert sender.complete()[2]["files"] == 100
    ours.fine(process)
    assert tree(ours.into) == {f"{number}": b"" for number in range(100)}


@pytest.mark.parametrize(("aes", "suite"), [(89, SUITES[1]), (90, SUITES[0]), (91, SUITES[0])])
@pytest.mark.parametrize("right", [True, False])
def test_the_suite_is_reckoned_alike(ours, aes, suite, right):
    class Rated(Receiver):
        def welcome(self, hello: dict) -> dict:
            rates = [{"suite": name, "seal": 1, "open": open_} for name, open_ in zip(SUITES, (aes, 100))]
            taken = suite if right else SUITES[1 - SUITES.index(suite)]
            return {**super().welcome(hello), "suites": rates, "suite": taken}

    file = ours.home / "file"
    file.write_bytes(b"three words here")
    receiver = Rated(ours.into)
    process = ours.send(receiver.ticket, file)
    if right:
        receiver.receive()
        ours.fine(process)
    else:
        with pytest.raises(Broken):
            receiver.receive()
        assert "suite" in ours.refuses(process)
