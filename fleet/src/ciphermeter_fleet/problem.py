"""Errors as a user reads them, one line with the remedy; and text from outside, made safe to print."""

from __future__ import annotations

FINE, USAGE, NOTHING, PARTIAL, INTERRUPTED = 0, 2, 4, 5, 130
"""The exit codes of `ciphermeter`, as far as a fleet has them."""

MOST_OF_TEXT = 300


class Problem(Exception):
    """A command cannot go on. Its text is one line with the remedy."""

    def __init__(self, text: str, code: int = USAGE) -> None:
        super().__init__(text)
        self.code = code


def clean(text: object, most: int = MOST_OF_TEXT) -> str:
    """Text from outside as one line: only printable characters, cut to `most`."""
    words = " ".join(str(text)[: 8 * most].split())
    line = "".join(character if character.isprintable() else "?" for character in words)
    return line if len(line) <= most else line[: most - 1] + "…"


def last_line(text: bytes) -> str:
    """The last line that a program wrote, without the program's name."""
    lines = [line for line in map(clean, text.decode("utf-8", "replace").splitlines()) if line]
    return lines[-1].removeprefix("ciphermeter: ").removeprefix("ciphermeter-fleet: ") if lines else ""
