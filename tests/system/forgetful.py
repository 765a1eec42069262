"""A file system that forgets what was not synced: a `Disk` that processes can use, and that stops before each step.

Bytes reach it at once, since FUSE writes through unless it is told otherwise. It does not hear of `syncfs`, which Linux
passes on for virtiofs only and answers with success for all other file systems in user space: what relies on that loses
everything here, as it would there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import mfusepy

from disk import Disk, Image, Node

RENAME_NOREPLACE = 1


class Fuse(mfusepy.FUSE):
    """What mfusepy drops of libfuse's calls: a rename's flags, and which open file is cut."""

    def rename_fuse_3(self, old: bytes, new: bytes, flags: int) -> int:
        return self.operations.rename(old.decode(), new.decode(), flags)

    def truncate_fuse_3(self, path: bytes | None, length: int, file) -> int:  # noqa: ANN001
        return self.operations.truncate(path and path.decode(), length, file.contents.fh if file else None)


class Forgetful(mfusepy.Operations):
    use_ns = True
    # Handles, not paths, tell which file is meant: it may have lost its name since.
    flag_nopath = flag_nullpath_ok = True

    def __init__(self, exclusive_renames: bool = True) -> None:
        self.disk = Disk()
        self.exclusive_renames = exclusive_renames
        self.handles: dict[int, Node] = {}
        self.before: Callable[[str], None] = lambda step: None

    def at(self, path: str | None, handle: int | None = None) -> Node:
        node = self.disk.find(path) if path is not None else self.handles.get(handle)
        if node is None:
            raise mfusepy.FuseOSError(errno.ENOENT)
        return node

    def place(self, path: str) -> tuple[Node, str]:
        folder, name = os.path.split(path)
        return self.at(folder), name

    def handle(self, node: Node) -> int:
        handle = len(self.handles) + 1
        self.handles[handle] = node
        return handle

    def init_with_config(self, conn_info, config_3) -> None:  # noqa: ANN001
        config_3.use_ino = config_3.hard_remove = 1
        config_3.attr_timeout = 0  # a second name changes what is known of the first

    def getattr(self, path: str, fh: int | None = None) -> dict[str, int]:
        node = self.at(path, fh)
        times = {f"st_{time}time": node.modified for time in "amc"}
        owner = {"st_uid": os.getuid(), "st_gid": os.getgid()}
        about = {"st_mode": node.mode, "st_nlink": node.links, "st_ino": node.number, "st_size": len(node.data)}
        return {**about, **times, **owner}

    def readdir(self, path: str, fh: int) -> list[str]:
        return [".", "..", *self.at(path, fh).entries]

    def opendir(self, path: str) -> int:
        return self.handle(self.at(path))

    def open(self, path: str, flags: int) -> int:
        return self.handle(self.at(path))

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        return bytes(self.handles[fh].data[offset : offset + size])

    def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
        node = self.handles[fh]
        held = node.change()
        held.extend(bytes(max(0, offset - len(held))))
        held[offset : offset + len(data)] = data
        node.modified = time.time_ns()
        return len(data)

    def truncate(self, path: str, length: int, fh: int | None = None) -> int:
        data = self.at(path, fh).change()
        del data[length:]
        data.extend(bytes(length - len(data)))
        return 0

    def fallocate(self, path: str, mode: int, offset: int, size: int, fh: int) -> int:
        data = self.handles[fh].change()
        data.extend(bytes(max(0, offset + size - len(data))))
        return 0

    def chmod(self, path: str, mode: int) -> int:
        node = self.at(path)
        node.mode = stat.S_IFMT(node.mode) | stat.S_IMODE(mode)
        return 0

    def utimens(self, path: str, times: tuple[int, int] | None = None) -> int:
        self.at(path).modified = times[1] if times else time.time_ns()
        return 0

    def statfs(self, path: str) -> dict[str, int]:
        return {"f_bsize": 4096, "f_frsize": 4096, "f_blocks": 1 << 20, "f_bfree": 1 << 19, "f_bavail": 1 << 19}

    def create(self, path: str, mode: int, flags: int) -> int:
        self.before(f"create {path}")
        node = self.disk.node(stat.S_IFREG | stat.S_IMODE(mode))
        self.disk.change((*self.place(path), node))
        return self.handle(node)

    def mkdir(self, path: str, mode: int) -> int:
        self.before(f"mkdir {path}")
        self.disk.change((*self.place(path), self.disk.node(stat.S_IFDIR | stat.S_IMODE(mode))))
        return 0

    def link(self, target: str, source: str) -> int:
        self.before(f"link {source} {target}")
        self.disk.change((*self.place(target), self.at(source)))
        return 0

    def unlink(self, path: str) -> int:
        self.before(f"unlink {path}")
        self.disk.change((*self.place(path), None))
        return 0

    def rmdir(self, path: str) -> int:
        if self.at(path).entries:
            raise mfusepy.FuseOSError(errno.ENOTEMPTY)
        return self.unlink(path)

    def rename(self, old: str, new: str, flags: int = 0) -> int:
        if flags and not (self.exclusive_renames and flags == RENAME_NOREPLACE):
            raise mfusepy.FuseOSError(errno.EINVAL)
        if flags and self.disk.find(new):
            raise mfusepy.FuseOSError(errno.EEXIST)
        self.before(f"rename {old} {new}")
        node = self.at(old)
        self.disk.change((*self.place(old), None), (*self.place(new), node))
        return 0

    def fsync(self, path: str, datasync: int, fh: int) -> int:
        node = self.handles[fh]
        self.before(f"sync {self.name(node)}")
        node.sync(whole=not datasync)
        return 0

    def fsyncdir(self, path: str, datasync: int, fh: int) -> int:
        node = self.handles[fh]
        self.before(f"sync {self.name(node)}")
        self.disk.sync_folder(node)
        return 0

    def name(self, node: Node) -> str:
        """For what is told of a step."""
        todo = [("/", self.disk.root)]
        for path, folder in todo:
            if folder is node:
                return path
            todo.extend((f"{path.rstrip('/')}/{name}", inner) for name, inner in folder.entries.items())
        return "a removed file"


@contextlib.contextmanager
def mounted(folder: Path, forgetful: Forgetful) -> Iterator[None]:
    """All that uses it must have ended in the end."""
    options = {"foreground": True, "nothreads": True, "default_permissions": True}
    thread = threading.Thread(target=Fuse, args=(forgetful, str(folder)), kwargs=options, daemon=True)
    thread.start()
    try:
        until = time.monotonic() + 60
        while not folder.is_mount():
            assert thread.is_alive() and time.monotonic() < until, "it was not mounted"
            time.sleep(0.002)
        yield
    finally:
        # The thread ends when the system has let go of the last file, which may take seconds.
        if subprocess.run(["umount", folder], check=False).returncode:
            subprocess.run(["umount", "--lazy", folder], check=True)
            raise AssertionError("something still uses it")


def restore(image: Image, folder: Path) -> None:
    """Puts an image into an empty folder of an ordinary file system."""
    placed: dict[int, Path] = {}
    for name, entry in image.items():
        path = folder / name
        if entry.data is None:
            path.mkdir()
        elif entry.number in placed:
            path.hardlink_to(placed[entry.number])
        else:
            path.write_bytes(entry.data)
            os.utime(path, ns=(entry.modified, entry.modified))
            placed[entry.number] = path
        path.chmod(stat.S_IMODE(entry.mode))
