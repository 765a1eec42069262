"""The second implementation and our binary move files to each other."""

from __future__ import annotations

import os
import time
import zlib
from pathlib import Path

import pytest

from second import Out, Receiver, connect, finish, gaps, greet, manifest, offer, send, send_pieces
from test_attacks import SIZE, Attacker
from wire import PATIENCE, Broken, Session

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


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every name under a folder, and what it holds."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return {name: path.read_bytes() if path.is_file() else None for name, path in paths.items()}


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
        ranges = [(0, 0, 0), (1, 100, 1000), (1, CHUNK, 1), (2, 0, 4)]
        for number, offset, length in ranges:
            os.pwrite(self.files[number].part, b"-" * length, offset)
        return ranges[1:]


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
    first = Attacker(ticket, ours.folder("from"))
    first.piece(0, CHUNK, CHUNK)
    first.piece(1, 0, 5)
    journal = ours.into / f".ciphermeter-{first.session.transfer.hex()}" / "journal"
    until = time.monotonic() + PATIENCE
    while not journal.exists() or journal.read_bytes().count(b"\n") < 2:  # what is not written down comes again
        assert time.monotonic() < until
        time.sleep(0.01)
    for line in journal.read_bytes().splitlines():
        check, _, text = line.partition(b" ")
        assert int(check, 16) == zlib.crc32(text)
    for way in [out.socket for out in first.outs] + [first.control.plain]:
        way.close()
    control = connect(ticket)
    welcome = greet(control, None, 1, transfer=first.session.transfer.hex(), resume=first.welcome["resume"])
    assert welcome["attempt"] == 2 and "resume" not in welcome
    for file in first.files:
        file.pieces.clear()
    offer(control, first.files, [])
    assert [file.have for file in first.files] == [[(CHUNK, CHUNK)], [(0, 5)]]
    work = [(number, file, *gap) for number, file in enumerate(first.files) for gap in gaps(file)]
    send_pieces(Out(ticket, Session.of(control, welcome), 0), work)
    for number, file in enumerate(first.files):
        manifest(control, number, file)
    assert finish(control)[2]["files"] == 2
    ours.fine(process)
    assert [(ours.into / file.name).read_bytes() for file in first.files] == [first.text[:SIZE], b"small"]


def test_a_file_is_withdrawn_and_a_name_is_taken(ours):
    process, ticket = ours.recv()
    sender = Attacker(ticket, ours.folder("from"))
    (ours.into / "small").write_text("mine")
    sender.data()
    sender.end()
    sender.control.say("withdrawn", file=0, why="it changed")
    manifest(sender.control, 1, sender.files[1])
    authenticated, failed, durable = finish(sender.control)
    assert (authenticated["files"], [one["file"] for one in failed], durable["files"]) == (1, [1], 0)
    assert process.wait(60) == 5
    assert (ours.into / "small").read_text() == "mine" and not (ours.into / "big").exists()


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
        assert "the suite is not the one" in ours.refuses(process)


def test_keys_are_exchanged_so_that_a_quantum_computer_learns_nothing(ours):
    _, ticket = ours.recv()
    assert connect(ticket).tls.get_group_name() == "X25519MLKEM768"
