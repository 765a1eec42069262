"""The locks of a host."""

from __future__ import annotations

import fcntl
import subprocess
import threading
from pathlib import Path

import pytest

from ciphermeter_fleet import lock, state
from ciphermeter_fleet.problem import Problem


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(
        lock, "files", lambda: [(tmp_path / "host", fcntl.LOCK_EX), (tmp_path / "store", fcntl.LOCK_SH)]
    )


def test_locks_are_held_until_they_are_let_go():
    stopped = threading.Event()
    with lock.held(stopped), pytest.raises(lock.Busy, match="repeat when that has ended"), lock.held(stopped, 0):
        pass
    with lock.held(stopped, 0):
        pass


def test_run_of_this_user_is_kept_away_and_a_host_with_the_same_home_is_not(tmp_path: Path, monkeypatch):
    stopped = threading.Event()
    other = [(tmp_path / "other host", fcntl.LOCK_EX), (tmp_path / "store", fcntl.LOCK_SH)]
    with lock.held(stopped), (tmp_path / "store").open() as store:
        with pytest.raises(BlockingIOError):
            fcntl.flock(store, fcntl.LOCK_EX | fcntl.LOCK_NB)
        monkeypatch.setattr(lock, "files", lambda: other)
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


def test_call_waits_while_status_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(state, "PATIENCE", 0)
    of_fleet = state.State()
    with of_fleet.locked():
        pass
    with (of_fleet.folder / "lock").open() as looks:
        fcntl.flock(looks, fcntl.LOCK_SH)
        with pytest.raises(Problem, match="is under way"), of_fleet.locked():
            pass
        monkeypatch.setattr(state, "PATIENCE", 600)
        end = threading.Timer(0.1, fcntl.flock, (looks, fcntl.LOCK_UN))
        end.start()
        with of_fleet.locked():
            end.join()


def test_link_is_no_lock(tmp_path: Path):
    (tmp_path / "host").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError), lock.held(threading.Event()):
        pass
    assert not (tmp_path / "elsewhere").exists()
