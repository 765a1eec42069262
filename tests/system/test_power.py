"""A transfer survives a loss of power.

It runs once on a disk that forgets, and is resumed from each image that a cut before each step would leave. Both ends
lose their power at the same moment. What is promised:

- a file under its final name is complete, in every image;
- what the journal on the disk says is here is here: with `placing`, `recv --resume` alone gives the remaining names;
  with pieces, both ends resume, and only the rest is sent;
- before that the transfer is resumed, too, or one end says that there is nothing to resume; a receiver that says so
  leaves nothing behind;
- once `send` has ended well, all is there, with permissions and times.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import LIMIT, Ours
from disk import Image, Loss
from forgetful import Forgetful, mounted, restore

SHORT = {"a": 100, "empty": 0, "inner/b": 300_000, "inner/most/c": 5000}
LONG = {"a": 1 << 20, "b": 1 << 20}
MIXTURES = range(6)


@dataclass
class Cut:
    """What a loss of power leaves, just before a step."""

    step: str
    images: list[tuple[str, Image]]
    journal: str  # what of the receiver's is on the disk, with a name or without

    @property
    def pieces(self) -> int:
        """Bytes that are recorded."""
        return sum(json.loads(line[9:]).get("length", 0) for line in self.journal.splitlines())


class Power:
    """Two ends on a forgetful disk, with the receiver's folder `into` and the sender's `states`."""

    def __init__(self, ours: Ours, forgetful: Forgetful, files: dict[str, int]) -> None:
        self.ours, self.forgetful, self.disk = ours, forgetful, forgetful.disk
        self.mount = ours.folder("disk")
        self.source = ours.folder("source")
        for name, size in files.items():
            path = self.source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(os.urandom(size))
            path.chmod(0o755)
            os.utime(path, (1e9, 1e9))
        self.files = {f"source/{name}": (self.source / name).read_bytes() for name in files}
        self.cuts: list[Cut] = []

    def begin(self, *more: object) -> tuple[subprocess.Popen, subprocess.Popen]:
        """The receiver and the sender."""
        for folder in ["into", "states"]:
            (self.mount / folder).mkdir()
        self.disk.sync_folder(self.disk.root)
        ticket = self.ours.home / "ticket"
        recv = self.start("recv", "--yes", "--ticket-file", ticket, "--into", self.mount / "into")
        self.ours.appears(ticket, recv)
        return recv, self.start("send", "--ticket-file", ticket, self.source, *more)

    def start(self, command: str, *more: object, folder: Path | None = None) -> subprocess.Popen:
        """One end, on the forgetful disk or in a restored folder."""
        self.ours.environment["XDG_STATE_HOME"] = str((folder or self.mount) / "states")
        return self.ours.start(command, "--quiet", "--json", *more)

    def run(self, *more: object, losses: list[Loss], mixtures: range = range(0)) -> None:
        """Transfers all, and keeps what a cut before each step would leave; the last cut is after the end."""

        def cut(step: str) -> None:
            images = [(loss.value, self.disk.image(loss)) for loss in losses]
            images += [(f"a mixture: {seed}", self.disk.mixed(seed)) for seed in mixtures]
            self.cuts.append(Cut(step, images, self.journal()))

        recv, send = self.begin(*more)
        self.forgetful.before = cut
        assert send.wait(LIMIT) == 0, send.communicate()
        cut("nothing more")
        assert recv.wait(LIMIT) == 0, recv.communicate()

    def journal(self) -> str:
        into = self.disk.root.entries["into"]
        states = [node for name, node in into.entries.items() if name.startswith(".ciphermeter-")]
        journals = [node.entries["journal"] for node in states if "journal" in node.entries]
        return journals[0].kept_data.decode() if journals else ""

    def check_names(self, image: Image) -> None:
        """What has its final name is complete."""
        for name, entry in image.items():
            if name.startswith("into/") and "/.ciphermeter-" not in name and entry.data is not None:
                assert entry.data == self.files[name.removeprefix("into/")], f"{name} is not what was sent"

    def has_all(self, image: Image) -> bool:
        """With permissions and times."""
        found = [image.get(f"into/{name}") for name in self.files]
        expected = (stat.S_IFREG | 0o755, 10**18)
        return all(found) and all((entry.mode, entry.modified) == expected for entry in found)

    def resumed(self, image: Image, folder: Path, alone: bool) -> tuple[str, int]:
        """What comes of an image when both ends are started again: a word, and how many bytes were sent. `alone`: the
        receiver should need no sender."""
        restore(image, folder)
        into, address = folder / "into", f"127.0.0.1:{free_port()}"
        recv = self.start("recv", "--resume", "--yes", "--listen", address, "--into", into, folder=folder)
        if not (is_waiting(recv) if alone else listens(recv, address)):
            out, err = (text.decode() for text in recv.communicate())
            if recv.returncode == 0:
                assert "all had come before" in out, out
                return "finished alone", 0
            assert "no unfinished transfer in" in err, err
            return "nothing here", 0
        send = self.start("send", "--resume", "--to", address, "--limit", "1GB", folder=folder)
        out, err = (text.decode() for text in send.communicate(timeout=LIMIT))
        if send.returncode:
            assert "no unfinished transfer to resume" in err, err
            recv.kill()
            return "nothing there", 0
        assert recv.wait(LIMIT) == 0, recv.communicate()
        return "resumed", json.loads(out)["bytes"]

    def check(self, cut: Cut, image: Image, folder: Path) -> None:
        """An image is what was promised."""
        self.check_names(image)
        must_finish = '"placing"' in cut.journal
        may_finish = any(name.endswith("/journal") and b'"placing"' in entry.data for name, entry in image.items())
        outcome, sent = self.resumed(image, folder, must_finish or may_finish)
        if not self.has_all(image):
            if must_finish:
                assert outcome == "finished alone"
            elif cut.pieces:
                assert (outcome, sent) == ("resumed", sum(map(len, self.files.values())) - cut.pieces)
        left = {path.relative_to(folder / "into").as_posix(): path for path in (folder / "into").rglob("*")}
        left = {name: path.read_bytes() for name, path in left.items() if path.is_file()}
        if outcome in ("resumed", "finished alone") or self.has_all(image):
            assert left == self.files
        elif outcome == "nothing here":
            assert left == {}

    def check_all(self) -> None:
        tried: set[tuple] = set()
        for cut in self.cuts:
            for loss, image in cut.images:
                # Many steps leave the same.
                key = (cut.journal, *((name, entry.number, entry.data) for name, entry in image.items()))
                if key in tried:
                    continue
                tried.add(key)
                folder = self.ours.folder(f"image-{len(tried)}")
                try:
                    self.check(cut, image, folder)
                except AssertionError as error:
                    raise AssertionError(f"{folder.name}: cut before `{cut.step}`, {loss}: {error}") from error
        print(f"{len(self.cuts)} cuts, {len(tried)} images")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(recv: subprocess.Popen, address: str) -> bool:
    """Whether it listens, or has ended."""
    host, port = address.split(":")
    until = time.monotonic() + LIMIT
    while recv.poll() is None:
        assert time.monotonic() < until, "it neither listens nor ends"
        with socket.socket() as probe:
            if probe.connect_ex((host, int(port))) == 0:
                return True
        time.sleep(0.002)
    return False


def is_waiting(recv: subprocess.Popen) -> bool:
    """Whether it does not end."""
    try:
        recv.wait(5)
    except subprocess.TimeoutExpired:
        return True
    return False


@pytest.fixture
def power(ours: Ours, request: pytest.FixtureRequest) -> Iterator[Power]:
    """Parametrized with the files, and whether the file system has renames that don't overwrite."""
    files, exclusive_renames = request.param
    power = Power(ours, Forgetful(exclusive_renames), files)
    with mounted(power.mount, power.forgetful):
        yield power
        for process in ours.started:
            process.kill()
            process.communicate()


def on(files: dict[str, int], exclusive_renames: bool = True):
    return pytest.mark.parametrize("power", [(files, exclusive_renames)], indirect=True)


@pytest.mark.parametrize("power", [(SHORT, True), (SHORT, False)], indirect=True, ids=["renames", "links"])
def test_short_transfer_is_resumed_or_was_nothing(power):
    power.run(losses=[Loss.ALL, Loss.BYTES])
    power.check_all()
    assert all(power.has_all(image) for _, image in power.cuts[-1].images), "though `send` said that it is on disk"


@on(LONG)
def test_what_a_journal_records_is_there(power):
    power.run("--limit", "400kB", losses=[Loss.ALL])
    recorded = [cut for cut in power.cuts if cut.pieces]
    assert recorded, "it was too short"
    power.cuts = [*recorded[:: max(1, len(recorded) // 8)], power.cuts[-1]]
    power.check_all()


@pytest.mark.deep
@pytest.mark.parametrize(
    "power",
    [(SHORT, True), (SHORT, False), (LONG, True)],
    indirect=True,
    ids=["renames", "links", "pieces"],
)
def test_every_cut_has_every_image(power):
    power.run("--limit", "400kB", losses=[*Loss], mixtures=MIXTURES)
    power.check_all()
