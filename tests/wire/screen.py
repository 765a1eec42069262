"""A terminal that shows what a program draws: enough of ECMA-48 for lines that are drawn again."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import termios
import threading
from contextlib import suppress

from conftest import LIMIT, Ours

# A control sequence, a control character, or text.
TOKEN = re.compile(r"\x1b\[(\??[0-9;]*)([A-Za-z])|([\x00-\x1f])|([^\x00-\x1f]+)")


class Screen:
    """`frames` are the screen's lines after each piece of output. Every character has one column."""

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self.rows, self.row, self.column = [""], 0, 0
        self.frames, self.rest = [], ""

    def feed(self, text: str) -> None:
        text = self.rest + text
        cut = text.rfind("\x1b") if re.search(r"\x1b(\[[?0-9;]*)?$", text) else len(text)
        self.rest = text[cut:]
        for token in TOKEN.finditer(text[:cut]):
            self.act(*token.groups())
        self.frames.append([row.rstrip() for row in self.rows])

    def act(self, number: str | None, command: str | None, control: str | None, text: str | None) -> None:
        if text:
            self.write(text)
        elif control == "\r":
            self.column = 0
        elif control == "\n":
            self.down()
        elif command in ("A", "B", "C", "D"):
            count = int(number or 1)
            self.row = max(0, self.row + {"A": -count, "B": count}.get(command, 0))
            self.column = max(0, self.column + {"C": count, "D": -count}.get(command, 0))
        elif command == "K":
            row = self.rows[self.row]
            self.rows[self.row] = "" if number == "2" else row[: self.column]
        elif command == "J":
            self.rows[self.row :] = [self.rows[self.row][: self.column]]
        elif command not in ("m", "h", "l"):
            raise AssertionError(f"unknown: {number!r} {command!r} {control!r}")

    def write(self, text: str) -> None:
        for one in text:
            if self.column == self.columns:  # a terminal goes on in the next line only now
                self.down()
                self.column = 0
            row = self.rows[self.row].ljust(self.column)
            self.rows[self.row] = row[: self.column] + one + row[self.column + 1 :]
            self.column += 1

    def down(self) -> None:
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append("")


class Shown:
    """A program of ours on such a terminal."""

    def __init__(self, ours: Ours, screen: Screen, *command: object) -> None:
        self.screen = screen
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", screen.lines, screen.columns, 0, 0))
        ours.environment.update(TERM="xterm", NO_COLOR="1")
        self.process = ours.start(*command, stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        self.reading = threading.Thread(target=self.read, daemon=True)
        self.reading.start()

    def read(self) -> None:
        output = b""
        with suppress(OSError):  # when the last one has left it
            while more := os.read(self.master, 65_536):
                output += more
                try:
                    text, output = output.decode(), b""
                except UnicodeDecodeError:
                    continue  # a character was cut
                self.screen.feed(text)

    def end(self) -> int:
        code = self.process.wait(LIMIT)
        self.reading.join(LIMIT)
        os.close(self.master)
        return code
