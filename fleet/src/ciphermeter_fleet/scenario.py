"""Which scenario: one that the binary has, or a file, which goes to the hosts as it is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from . import files
from .binary import Local
from .problem import Problem, clean

MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class Scenario:
    """Its name on the screen, its text if it is a file's, and the hash by which it is known."""

    name: str
    text: str | None
    hash: str


def read(named: str, local: Local) -> Scenario:
    """As `ciphermeter run` takes it: what has a `/` or ends in `.toml` is a file. The binary here checks it."""
    is_file = "/" in named or named.endswith(".toml")
    scenario = _of_file(Path(named)) if is_file else _built_in(named)
    local.check(named)
    return scenario


def _built_in(name: str) -> Scenario:
    # Its text is part of the binary, whose hash stands beside this one.
    return Scenario(clean(name, 60), None, hashlib.sha256(f"name {name}".encode()).hexdigest())


def _of_file(file: Path) -> Scenario:
    content = files.read(file, "the scenario", MOST_BYTES, "name another file")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise Problem(f"{clean(file)} is not UTF-8, so it is no scenario; name another file") from error
    return Scenario(clean(file.name, 60), text, hashlib.sha256(b"file " + content).hexdigest())
