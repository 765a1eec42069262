"""Ciphermeter's worker for the transfer scheme of the paper: it speaks PROTOCOL.md on standard input and output.

It promises one answer for each line (describe: a list), never a crash for anything that a line says, and exit code 0 at
the end of its input. However it ends, no file and no process of it stays.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import BinaryIO, NoReturn

from host import PROVIDER, Host
from messages import MAX_LINE, failure

ENDING = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


def main(names: list[str]) -> int:
    if names not in ([], [PROVIDER]):
        print(f"study worker: no provider {' '.join(names)!r}; it knows {PROVIDER}", file=sys.stderr)
        return 2
    host = Host()
    for ending in ENDING:
        signal.signal(ending, leave)
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer, host)
    except OSError as error:
        print(f"study worker: its standard input or output failed: {error}", file=sys.stderr)
        return 1
    finally:
        for ending in ENDING:  # another one shall not stop the cleaning up
            signal.signal(ending, signal.SIG_IGN)
        host.close()
    return 0


def leave(ending: int, _: FrameType | None) -> NoReturn:
    """Lets every `finally` on the way out do its work."""
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
