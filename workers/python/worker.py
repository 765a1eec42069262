"""Ciphermeter's Python worker: it speaks PROTOCOL.md on standard input and output.

It hosts the providers named as arguments (without arguments: all that it knows), and loads no other library, so that
the memory and the start of a process show one provider alone. It promises one answer for each line (describe: a
list), never a crash for anything that a line says, and exit code 0 at the end of its input. However it ends, no file
and no process of it stays.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import BinaryIO, NoReturn

from host import Host
from messages import MAX_LINE, failure
from providers import KNOWN, load

ENDINGS = {signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGTERM)}  # Windows has no SIGHUP


def main(names: list[str]) -> int:
    strangers = [name for name in names if name not in KNOWN]
    if strangers:
        print(f"python worker: no provider {strangers[0]!r}; it knows {', '.join(KNOWN)}", file=sys.stderr)
        return 2
    host = Host(*load(names or list(KNOWN)))
    # An interrupt ends the process at once and quietly, as it ends programs in C, unless something must be cleaned up
    # first.
    for ending in ENDINGS if host.tidies else {signal.SIGINT}:
        signal.signal(ending, leave if host.tidies else signal.SIG_DFL)
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer, host)
    except OSError as error:
        print(f"python worker: its standard input or output failed: {error}", file=sys.stderr)
        return 1
    finally:
        if host.tidies:
            for ending in ENDINGS:  # a second one must not stop it
                signal.signal(ending, signal.SIG_IGN)
            host.close()
    return 0


def leave(ending: int, _: FrameType | None) -> NoReturn:
    """Exits through every `finally`."""
    sys.exit(128 + ending)


def serve(requests: BinaryIO, replies: BinaryIO, host: Host) -> None:
    """Answers the lines of `requests` on `replies` until they end."""
    while line := requests.readline(MAX_LINE):
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            while (rest := requests.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                pass
            reply = failure(f"a line of more than {MAX_LINE} bytes; send a shorter one")
        elif line.strip(b" \t\r\n"):
            reply = host.answer(line)
        else:
            continue
        replies.write(reply)
        replies.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
