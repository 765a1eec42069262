"""A transfer on a disk that forgets: what a loss of power leaves of both ends, and what comes of that."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ports import free_port

from conftest import LIMIT, Ours
from disk import Image, Loss
from forgetful import Forgetful, restore

MODE, MODIFIED = 0o755, 10**18
# What a receiver wraps several names in, and what it may still have of its own.
WRAP = re.compile(r"^transfer-[0-9a-f]{8}/")
OWN = ".ciphermeter-"


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
        self.mount, self.source = ours.folder("disk"), ours.folder("source")
        for name, size in files.items():
            path = self.source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(os.urandom(size))
            path.chmod(MODE)
            os.utime(path, ns=(MODIFIED, MODIFIED))
        self.files = {name: (self.source / name).read_bytes() for name in files}
        self.cuts: list[Cut] = []

    def begin(self, *more: object, into: Path | None = None) -> tuple[subprocess.Popen, subprocess.Popen]:
        """The receiver and the sender, which waits for nothing."""
        for folder in ["into", "states"]:
            (self.mount / folder).mkdir()
        self.disk.sync_folder(self.disk.root)
        ticket = self.ours.home / "ticket"
        recv = self.start("recv", "--yes", "--ticket-file", ticket, "--into", into or self.mount / "into")
        self.ours.appears(ticket, recv)
        return recv, self.start("send", "--ticket-file", ticket, *more, *sorted(self.source.iterdir()))

    def start(self, command: str, *more: object, folder: Path | None = None, quiet: bool = True) -> subprocess.Popen:
        """One end, on the forgetful disk or in a restored folder."""
        self.ours.environment["XDG_STATE_HOME"] = str((folder or self.mount) / "states")
        return self.ours.start(command, *(["--quiet"] if quiet else []), "--json", *more)

    def run(self, *more: object, losses: list[Loss], mixtures: range = range(0)) -> None:
        """Transfers all, and keeps what a cut before each step would leave. The last one: `send` has ended."""

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
        states = [node for name, node in into.entries.items() if name.startswith(OWN)]
        journals = [node.entries["journal"] for node in states if "journal" in node.entries]
        return journals[0].kept_data.decode() if journals else ""

    def has_names(self, image: Image) -> bool:
        """Whether every file has its final name. One that has it must be complete."""
        inner = {name.removeprefix("into/"): entry for name, entry in image.items() if name.startswith("into/")}
        placed = {WRAP.sub("", name): e for name, e in inner.items() if OWN not in name and e.data is not None}
        for name, entry in placed.items():
            assert entry.data == self.files[name], f"{name} is not what was sent"
            about = stat.S_IMODE(entry.mode), entry.modified
            assert about == (MODE, MODIFIED), f"{name} has lost its permissions or its time"
        return placed.keys() == self.files.keys()

    def check(self, cut: Cut, image: Image, folder: Path) -> None:
        """An image is what was promised."""
        is_done, is_placing = self.has_names(image), '"placing"' in cut.journal
        restore(image, folder)
        outcome, sent = self.resumed(folder)
        if not is_done and is_placing:
            assert outcome == "finished alone"
        elif not is_done and cut.pieces:
            assert outcome in ("resumed", "finished alone")
            assert sent <= sum(map(len, self.files.values())) - cut.pieces, "what was recorded was sent again"
        self.check_rest(folder / "into", outcome, is_done)

    def check_rest(self, into: Path, outcome: str, is_done: bool) -> None:
        paths = [path for path in into.rglob("*") if path.is_file()]
        left = {WRAP.sub("", path.relative_to(into).as_posix()): path for path in paths}
        if is_done or outcome in ("resumed", "finished alone"):
            assert {name: path.read_bytes() for name, path in left.items()} == self.files
            about = {(stat.S_IMODE(path.stat().st_mode), path.stat().st_mtime_ns) for path in paths}
            assert about == {(MODE, MODIFIED)}
        elif outcome == "nothing here":
            assert left == {}, "though the receiver says that there is nothing"

    def resumed(self, folder: Path) -> tuple[str, int]:
        """What comes of both ends in a restored folder: a word, and how many bytes were sent."""
        address = f"127.0.0.1:{free_port()}"
        where = ["--listen", address, "--into", folder / "into"]
        recv = self.start("recv", "--resume", "--yes", *where, folder=folder, quiet=False)
        is_waiting, err = waits(recv)
        if not is_waiting:
            out = recv.communicate()[0].decode()
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

    def check_cuts(self) -> None:
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
                    where = f"{folder.name}: cut before `{cut.step}`, {loss}"
                    raise AssertionError(f"{where}: {error}") from error


def waits(recv: subprocess.Popen) -> tuple[bool, str]:
    """Whether it says that it waits for a sender, or has ended; and all that it said until then."""
    said = ""
    for line in recv.stderr:
        said += line.decode()
        if "Waiting on " in " ".join(said.split()):
            return True, said
    return False, said
