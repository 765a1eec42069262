"""Files: where this user's are, how they are read up to a limit, and replaced as a whole."""

from __future__ import annotations

import os
from pathlib import Path

from .problem import Problem, clean


def xdg(variable: str, below_home: str) -> Path:
    """A folder of the XDG base directories."""
    named = Path(os.environ.get(variable, ""))
    return named if named.is_absolute() else Path.home() / below_home


def read(file: Path, what: str, most: int, remedy: str) -> bytes:
    """What a user names, which may be anything."""
    try:
        with file.open("rb") as opened:
            content = opened.read(most + 1)
    except OSError as error:
        raise Problem(f"cannot read {what} {clean(file)}: {error.strerror}; {remedy}") from error
    if len(content) > most:
        raise Problem(f"{clean(file)} is longer than {most >> 10} KiB; {remedy}")
    return content


def replace(file: Path, content: bytes) -> None:
    """The file holds the old content or the new one, also after a loss of power."""
    part = file.with_suffix(".part")
    with part.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    part.replace(file)
