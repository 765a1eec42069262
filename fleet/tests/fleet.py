"""The programs under test, in folders of the test's own, ended with all that a test started."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

BINARY = os.environ["CIPHERMETER"]
PROGRAM = os.environ["CIPHERMETER_FLEET"]
# A job in a shell's background ignores Ctrl-C, and so would all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
LIMIT = 280
"""Seconds after which what is waited for does not come."""

TINY = """name = "tiny"
title = "two ciphers at one size"
budget = "{budget}"
precision = "50%"
[[cells]]
algorithms = ["aes-256-gcm", "chacha20-poly1305"]
operations = ["seal"]
messages = ["16KiB"]
"""


def until(what: str, look: Callable[[], Any]) -> Any:
    """What `look` finds, once it finds something."""
    end = time.monotonic() + LIMIT
    while not (found := look()):
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.02)
    return found


class Ended:
    """How a command ended."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        out, err = process.communicate(timeout=LIMIT)
        self.code, self.out, self.err = process.returncode, out.decode(), err.decode()

    def __repr__(self) -> str:
        return f"{self.code}\n{self.out}\n{self.err}"


class Fleet:
    """Starts ciphermeter-fleet with a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._started: list[subprocess.Popen[bytes]] = []
        folders = {
            "HOME": "home",
            "XDG_STATE_HOME": "state",
            "XDG_DATA_HOME": "data",
            "XDG_CONFIG_HOME": "config",
            "XDG_CACHE_HOME": "cache",
        }
        for folder in folders.values():
            (home / folder).mkdir(mode=0o700)
        own = {variable: str(home / folder) for variable, folder in folders.items()}
        self.environment = {**os.environ, **own, "CIPHERMETER_PROGRAM": BINARY}

    @contextlib.contextmanager
    def running(self) -> Iterator[Fleet]:
        try:
            yield self
        finally:
            for process in self._started:
                process.kill()
                process.communicate()

    def start(self, *words: object, prefix: Sequence[object] = (), **more: str) -> subprocess.Popen[bytes]:
        """`prefix` is a command that starts it elsewhere, in a namespace, say; `more` are variables."""
        return self.process([*prefix, PROGRAM, *words], **more)

    def process(self, command: Sequence[object], **more: str) -> subprocess.Popen[bytes]:
        pipes: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        environment = {**self.environment, **more}
        process = subprocess.Popen([str(word) for word in command], env=environment, cwd=self.home, **pipes)
        self._started.append(process)
        return process

    def run(self, *words: object, prefix: Sequence[object] = (), **more: str) -> Ended:
        return Ended(self.start(*words, prefix=prefix, **more))

    def refuses(self, *words: object, says: Sequence[str], code: int = 2, **more: str) -> None:
        """It ends with one line that says these."""
        said = self.run(*words, **more)
        assert (said.code, said.out) == (code, ""), said
        assert len(said.err.splitlines()) == 1 and said.err.startswith("ciphermeter-fleet: "), said
        for text in says:
            assert text in said.err, said

    def tiny(self, budget: str = "1s") -> Path:
        file = self.home / "tiny.toml"
        file.write_text(TINY.format(budget=budget))
        return file

    def members(self) -> dict[str, dict[str, Any]]:
        """The machines of the latest call, by name, as `status` has them."""
        calls = json.loads(self.run("status", "--json").out)["calls"]
        return {member["name"]: member for member in calls[-1]["machines"]} if calls else {}

    def is_running(self, name: str) -> bool:
        return self.members().get(name, {}).get("state") == "running"

    def runs(self) -> list[int]:
        """The numbers of the runs in the store here."""
        store = self.home / "data" / "ciphermeter" / "runs.db"
        if not store.exists():
            return []
        listed = subprocess.run([BINARY, "list", "--json", "--store", store], capture_output=True, check=True)
        return [run["run"] for run in json.loads(listed.stdout)["runs"]]


def ended(process: subprocess.Popen[bytes], signal_number: int = signal.SIGKILL) -> None:
    process.send_signal(signal_number)
    process.wait(LIMIT)
