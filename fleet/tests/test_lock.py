"""The locks of a host."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import pytest

from ciphermeter_fleet import lock


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lock, "files", lambda: [tmp_path / "host", tmp_path / "store"])


def test_locks_are_held_until_they_are_let_go():
    stopped = threading.Event()
    with lock.held(stopped), pytest.raises(lock.Busy, match="repeat when that has ended"), lock.held(stopped, 0):
        pass
    with lock.held(stopped, 0):
        pass


def test_who_waits_can_be_stopped():
    stopped = threading.Event()
    stopped.set()
    with lock.held(threading.Event()), pytest.raises(lock.Busy, match="stopped"), lock.held(stopped):
        pass


def test_program_that_inherits_the_locks_holds_them_when_its_starter_is_gone():
    stopped = threading.Event()
    with lock.held(stopped) as files:
        measuring = subprocess.Popen(["sleep", "1000"], pass_fds=files)
    with pytest.raises(lock.Busy), lock.held(stopped, 0):
        pass
    measuring.kill()
    measuring.wait()
    with lock.held(stopped, 0):
        pass


def test_link_is_no_lock(tmp_path: Path):
    (tmp_path / "host").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError), lock.held(threading.Event()):
        pass
    assert not (tmp_path / "elsewhere").exists()
