"""A person at a terminal of 80 by 24 whom our `recv` asks."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import termios
import threading
import time
import unicodedata
from contextlib import suppress

from conftest import LIMIT, Ours
from wire import Ticket

WIDTH, HEIGHT = 80, 24
PROMPT = re.compile(rb"(?:\[[^\]\n]*\bN\b[^\]\n]*\]|q stops:) \Z")
QUESTION = re.compile(r"(?=.*\by\b)(?=.*\bN\b)(?=.*\bl\b)")
TAKEN = re.compile(r"(?=.*\bs\b)(?=.*\br\b)(?=.*\bc\b)(?=.*\bN\b)(?=.*\bl\b)")


def width(line: str) -> int:
    """How many columns a terminal needs."""
    marks = [one for one in line if not unicodedata.combining(one)]
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in marks)


class Terminal:
    def __init__(self, ours: Ours, *more: object) -> None:
        self.start(ours, "--ticket-file", ours.home / "ticket", *more)
        self.ticket = ours.ticket(self.process)

    @classmethod
    def fetching(cls, ours: Ours, ticket: Ticket, *more: object) -> Terminal:
        """With a sender that listens and printed this ticket."""
        terminal = cls.__new__(cls)
        terminal.start(ours, "--ssh", ours.fake_ssh(ticket), *more)
        return terminal

    @classmethod
    def resuming(cls, ours: Ours) -> Terminal:
        """Of an unfinished transfer."""
        terminal = cls.__new__(cls)
        terminal.start(ours, "--resume")
        return terminal

    def start(self, ours: Ours, *more: object) -> None:
        self.output, self.seen = b"", 0
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", HEIGHT, WIDTH, 0, 0))
        ours.environment.update(TERM="xterm", NO_COLOR="1")
        command = ("recv", "--quiet", "--into", ours.into, *more)
        self.process = ours.start(*command, stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        self.reading = threading.Thread(target=self.read, daemon=True)
        self.reading.start()

    def read(self) -> None:
        with suppress(OSError):  # when the last one has left it
            while more := os.read(self.master, 65_536):
                self.output += more

    def wait(self) -> list[str]:
        """What was printed since the last answer, when the cursor stays behind a prompt; that is the last line."""
        until = time.monotonic() + LIMIT
        while not PROMPT.search(output := self.output, self.seen):
            assert time.monotonic() < until and self.process.poll() is None, self.output.decode()
            time.sleep(0.01)
        text = output[self.seen :].decode()
        self.seen = len(output)
        return text.replace("\r\n", "\n").split("\n")

    def question(self, asked: re.Pattern = QUESTION) -> list[str]:
        """The lines before the prompt, which fit the screen with it."""
        *lines, prompt = self.wait()
        assert asked.search(prompt), (lines, prompt)
        assert len(lines) <= HEIGHT - 1 and max(map(width, [*lines, prompt])) <= WIDTH, lines
        return lines

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())
        until = time.monotonic() + LIMIT
        while len(self.output) < self.seen + len(text) and text != "\x04":  # the echo is no part of what comes
            assert time.monotonic() < until
            time.sleep(0.01)
        self.seen += len(text.replace("\n", "\r\n")) if text != "\x04" else 0

    def end(self) -> int:
        code = self.process.wait(LIMIT)
        self.reading.join(LIMIT)
        os.close(self.master)
        return code
