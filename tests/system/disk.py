"""A disk in memory that keeps two states: what processes see, and what a loss of power is sure to leave.

A file's bytes and size are kept once it was synced, its permissions and times only by a whole sync (`fsync`, not
`fdatasync`), and a folder's entries once the folder was. What was not synced may be there all the same, in any mixture:
a cut has several images. A rename is one change, also between two folders, as in every file system with a journal.
"""

from __future__ import annotations

import enum
import itertools
import random
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field


class Loss(enum.Enum):
    """What becomes of all that was not synced."""

    ALL = "nothing of it is there"
    BYTES = "names are there, bytes are not"
    ZEROS = "names and sizes are there, and zeros for the bytes"
    NOTHING = "all of it is there"


@dataclass(eq=False)
class Node:
    """A file or a folder. What begins with `kept` is on the disk."""

    number: int
    mode: int
    modified: int = 0
    links: int = 0
    data: bytearray = field(default_factory=bytearray)
    frozen: bytes | None = b""  # the same, since the last change
    entries: dict[str, Node] = field(default_factory=dict)
    kept_data: bytes = b""
    kept_mode: int = 0
    kept_modified: int = 0
    kept_entries: dict[str, Node] = field(default_factory=dict)

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)

    def change(self) -> bytearray:
        """Its bytes, to be changed."""
        self.frozen = None
        return self.data

    def freeze(self) -> bytes:
        """Many images share them."""
        if self.frozen is None:
            self.frozen = bytes(self.data)
        return self.frozen

    def sync(self, whole: bool) -> None:
        self.kept_data = self.freeze()
        if whole:
            self.kept_mode, self.kept_modified = self.mode, self.modified

    def after(self, loss: Loss) -> bytes:
        """What it holds after a cut."""
        if loss is Loss.NOTHING:
            return self.freeze()
        kept = self.kept_data
        return kept[: len(self.data)].ljust(len(self.data), b"\0") if loss is Loss.ZEROS else kept


@dataclass(frozen=True)
class Entry:
    """What an image has under a name. Entries of one number are one file."""

    number: int
    mode: int
    modified: int
    data: bytes | None  # None: a folder


Image = dict[str, Entry]
# Each entry that comes, or goes (None).
Change = list[tuple[Node, str, "Node | None"]]


class Disk:
    def __init__(self) -> None:
        self.numbers = itertools.count(1)
        self.root = self.node(stat.S_IFDIR | 0o755)
        self.pending: list[Change] = []

    def node(self, mode: int) -> Node:
        # A new node has its permissions as soon as it has a name.
        return Node(next(self.numbers), mode, kept_mode=mode)

    def find(self, path: str) -> Node | None:
        """What processes see there."""
        node: Node | None = self.root
        for name in filter(None, path.split("/")):
            node = node.entries.get(name) if node else None
        return node

    def change(self, *entries: tuple[Node, str, Node | None]) -> None:
        """Changes entries, all at once."""
        for folder, name, node in entries:
            if (old := folder.entries.pop(name, None)) is not None:
                old.links -= 1
            if node is not None:
                folder.entries[name] = node
                node.links += 1
        self.pending.append(list(entries))

    def sync_folder(self, folder: Node) -> None:
        """Keeps the changes of a folder's entries, and those before that they build upon."""
        due: list[Change] = []
        names: set[tuple[Node, str]] = set()
        for change in reversed(self.pending):
            if any(at is folder or (at, name) in names for at, name, _ in change):
                due.insert(0, change)
                names.update((at, name) for at, name, _ in change)
        keep(due, lambda at: at.kept_entries)
        self.pending = [change for change in self.pending if all(change is not one for one in due)]
        folder.sync(whole=True)

    def image(self, loss: Loss) -> Image:
        """The disk after a cut."""
        changes = 0 if loss is Loss.ALL else len(self.pending)
        return dict(self.walk(changes, lambda node: node.after(loss)))

    def mixed(self, seed: int) -> Image:
        """As a journal leaves it: some of the last changes of entries are lost, and bytes of some files."""
        choice = random.Random(seed)
        losses: dict[Node, Loss] = {}

        def data(node: Node) -> bytes:
            return node.after(losses.setdefault(node, choice.choice([Loss.ALL, Loss.ZEROS, Loss.NOTHING])))

        return dict(self.walk(choice.randint(0, len(self.pending)), data))

    def walk(self, changes: int, data) -> Iterator[tuple[str, Entry]]:  # noqa: ANN001
        """All entries with the first of the pending changes; outer ones first."""
        folders: dict[Node, dict[str, Node]] = {}
        keep(self.pending[:changes], lambda at: folders.setdefault(at, dict(at.kept_entries)))
        todo = [("", self.root)]
        for path, folder in todo:
            for name, node in folders.get(folder, folder.kept_entries).items():
                inner = f"{path}{name}"
                bytes_ = None if node.is_folder else data(node)
                yield inner, Entry(node.number, node.kept_mode, node.kept_modified, bytes_)
                if node.is_folder:
                    todo.append((f"{inner}/", node))


def keep(changes: list[Change], entries_of) -> None:  # noqa: ANN001
    for folder, name, node in itertools.chain.from_iterable(changes):
        entries = entries_of(folder)
        entries.pop(name, None)
        if node is not None:
            entries[name] = node
