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
    """Its name on the screen, its text if it is a file's, the hash by which it is known, and what the binary lists."""

    name: str
    text: str | None
    hash: str
    listed: str

    def is_called(self, name: object) -> bool:
        """Whether its runs have this name, with which the list begins; a file's own name may be another."""
        return self.listed.replace(" (the default): ", ": ", 1).startswith(f"{clean(name)}: ")


def read(named: str, local: Local) -> Scenario:
    """As `ciphermeter run` takes it: what has a `/` or ends in `.toml` is a file. The binary here checks it."""
    is_file = "/" in named or named.endswith(".toml")
    if not is_file:
        # Its text is part of the binary, whose hash stands beside this one.
        key = hashlib.sha256(f"name {named}".encode()).hexdigest()
        return Scenario(clean(named, 60), None, key, clean(local.listed(named)))
    file = Path(named)
    content = files.read(file, "the scenario", MOST_BYTES, "name another file")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise Problem(f"{clean(file)} is not UTF-8, so it is no scenario; name another file") from error
    key = hashlib.sha256(b"file " + content).hexdigest()
    return Scenario(clean(file.name, 60), text, key, clean(local.listed(named)))
