"""The program `ciphermeter` of this machine: where it is, which one it is, and what it is asked."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from .problem import Problem, clean, last_line

NAME = "ciphermeter"
VARIABLE = "CIPHERMETER_PROGRAM"
LIMIT = 600
"""Seconds after which a program that only reads, imports or sends is taken to hang."""


def find(named: str | None = None) -> Path:
    """The program: as named, else beside this one, else in an absolute folder of PATH, never in the current one."""
    named = named or os.environ.get(VARIABLE)
    if named:
        file = Path(named).expanduser().absolute()
        if _runs(file):
            return file
        raise Problem(f"there is no program {clean(file)}; name ciphermeter with --program")
    folders = [Path(sys.argv[0]).absolute().parent, Path(sys.executable).parent]
    folders += [folder for folder in map(Path, os.environ.get("PATH", "").split(os.pathsep)) if folder.is_absolute()]
    for folder in folders:
        if _runs(folder / NAME):
            return folder / NAME
    raise Problem(
        "there is no program ciphermeter beside this one or in PATH; copy it there, or name it with --program"
    )


def _runs(file: Path) -> bool:
    return file.is_file() and os.access(file, os.X_OK)


def sha256(file: Path) -> str:
    """The hash by which binaries are compared."""
    digest = hashlib.sha256()
    with file.open("rb") as opened:
        while part := opened.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def version(program: Path) -> str:
    """As it says itself."""
    said = _run(program, ["--version"]).stdout.decode("utf-8", "replace")
    return clean(said.removeprefix("ciphermeter "), 60)


class Local:
    """What a fleet asks of the program here: its store, and what is decided from that."""

    def __init__(self, program: Path, store: str | None) -> None:
        self.program = program
        self._store = [] if store is None else ["--store", store]

    def listed(self, scenario: str) -> str:
        """What it says of a scenario, a name or a file; raises what is wrong with it."""
        said = _run(self.program, ["list", "scenarios", "--", scenario])
        if said.returncode != 0:
            raise Problem(last_line(said.stderr))
        return said.stdout.decode("utf-8", "replace")

    def stored(self) -> dict[int, str]:
        """When each stored run began, by its number."""
        listed = _run(self.program, ["list", "--json", *self._store])
        if listed.returncode != 0 and not listed.stdout:
            return {}
        return {run["run"]: run["started"] for run in json.loads(listed.stdout)["runs"]}

    def take_in(self, export: bytes) -> int:
        """Imports a run, and returns its number: the same one for a run that is there already."""
        said = _run(self.program, ["import", "-", *self._store], export)
        number = re.search(rb"\brun (\d+)\b", said.stdout)
        if said.returncode != 0 or number is None:
            raise Problem(last_line(said.stderr) or f"`ciphermeter import` ended with {said.returncode}")
        return int(number[1])

    def push(self, run: int, url: str, machine: str, certificate: str | None) -> None:
        """Sends a run to a server; what it does not take waits in the queue of `ciphermeter push`."""
        command = ["push", str(run), "--to", url, f"--machine={machine}", *self._store]
        command += [] if certificate is None else ["--certificate", certificate]
        said = _run(self.program, command)
        if said.returncode != 0:
            raise Problem(last_line(said.stderr) or f"`ciphermeter push` ended with {said.returncode}")

    def can_push(self, url: str) -> None:
        """Raises what is missing, before a minute of measuring."""
        said = _run(self.program, ["push", "--to", url, "--help"])
        if said.returncode != 0:
            raise Problem(last_line(said.stderr))

    def answer(self, runs: dict[str, int]) -> tuple[str, bool]:
        """What the runs of these machines come to, as the binary says it, and whether one cipher serves all."""
        words = [f"{machine}={run}" for machine, run in runs.items()]
        width = ["--color", "always"] if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else []
        said = _run(self.program, ["machines", *width, *self._store, "--", *words])
        if not said.stdout:
            raise Problem(last_line(said.stderr) or f"`ciphermeter machines` ended with {said.returncode}")
        return said.stdout.decode("utf-8", "replace"), said.returncode == 0


def _run(program: Path, words: list[str], given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command: list[Any] = [program, *words]
    # What it starts, such as ciphermeter-serve, calls it in turn.
    found = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    pipes: dict[str, Any] = {"input": given, "capture_output": True}
    try:
        return subprocess.run(command, env=found, timeout=LIMIT, start_new_session=True, **pipes)
    except OSError as error:
        raise Problem(f"cannot start {clean(program)}: {error.strerror}; name ciphermeter with --program") from error
    except subprocess.TimeoutExpired as error:
        raise Problem(
            f"`ciphermeter {words[0]}` did not end within {LIMIT} s; see what it waits for, and repeat"
        ) from error
