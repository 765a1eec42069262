"""What both ends show while files move: lines that fit, and nothing of them at the end."""

from __future__ import annotations

import re
import subprocess

import pytest

from screen import Screen, Shown

BAR = "█"
SIZE = 1_500_000
NAMES = ["holiday" + "x" * 70 + ".jpg", "b.iso", "d.tar"]


def show(ours, columns: int, lines: int) -> tuple[Screen, Screen]:
    """The screens of a receiver and of a sender that moves three files over three connections."""
    for number, name in enumerate(NAMES):
        (ours.home / name).write_bytes(bytes([number]) * SIZE)
    screens = Screen(columns, lines), Screen(columns, lines)
    ticket = ours.home / "ticket"
    command = ("recv", "--yes", "--no-folder", "--ticket-file", ticket, "--into", ours.into)
    recv = Shown(ours, screens[0], *command)
    ours.ticket(recv.process)
    options = ("--streams", "3", "--limit", "1500KiB", "--ticket-file", ticket)
    send = Shown(ours, screens[1], "send", *options, *(ours.home / name for name in NAMES))
    assert (send.end(), recv.end()) == (0, 0), (screens[0].frames[-1], screens[1].frames[-1])
    return screens


def is_drawn(line: str) -> bool:
    return re.search(r"^(receiving|sending) |^  .* [ 0-9]{3}% of 1.50 MB$", line) is not None


def is_short(name: str) -> bool:
    """One of the names, of which the long one was cut in the middle."""
    return name in NAMES[1:] or ("…" in name and name.endswith(".jpg"))


def bars(frame: list[str]) -> list[str]:
    """The lines of progress, below all others."""
    lines = [line for line in frame if line]
    first = next((number for number, line in enumerate(lines) if is_drawn(line)), len(lines))
    assert all(map(is_drawn, lines[first:])), f"a rest of an earlier line, or one that is too long: {lines}"
    return lines[first:]


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (60, 10), (40, 24), (80, 6)])
def test_lines_fit_and_are_gone_at_the_end(ours, columns, lines):
    for verb, screen in zip(["receiving", "sending"], show(ours, columns, lines), strict=True):
        drawn = [shown for frame in screen.frames if (shown := bars(frame))]
        assert drawn, "nothing was drawn"
        has_room = columns >= 60 and lines >= 8
        # How many files move at once is the sender's choice.
        assert max(map(len, drawn)) in ((2, 3, 4) if has_room else (1,))
        for shown in drawn:
            *files, whole = shown
            assert whole.startswith(f"{verb} "), shown
            assert all(line.startswith("  ") and "% of 1.50 MB" in line for line in files), shown
        if has_room:
            assert any(" left" in shown[-1] or columns < 80 for shown in drawn)
            # Of a file that moved between two looks at a busy machine nothing is drawn.
            named = {line.split()[0] for shown in drawn for line in shown[:-1]}
            assert 1 <= len(named) <= 3 and all(is_short(name) for name in named), named
        last = [line for line in screen.frames[-1] if line]
        assert bars(last) == [] and last[-1].endswith((".", "B")), last
        assert any(line.startswith(("received 3 files", "sent 3 files")) for line in last), last


def test_nothing_is_drawn_without_a_terminal_or_with_quiet(ours):
    (ours.home / "file").write_bytes(bytes(SIZE))
    recv, ticket = ours.recv(quiet=False)
    screen = Screen(80, 24)
    file = ours.home / "ticket"
    send = Shown(ours, screen, "send", "--quiet", "--limit", "1500KiB", "--ticket-file", file, ours.home / "file")
    assert ticket.addresses and send.end() == 0
    _, err = (text.decode() for text in recv.communicate(timeout=60))
    assert isinstance(recv, subprocess.Popen) and BAR not in err and "\x1b" not in err
    assert not any(map(bars, screen.frames))
