"""What an end holds of the other's secrets."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import pytest

from sender import Entry, Sender


def memory(pid: int) -> bytes:
    """All memory that a process can write."""
    held = []
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as source:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            place, rights, *_ = line.split()
            start, end = (int(one, 16) for one in place.split("-"))
            if rights.startswith("rw"):
                source.seek(start)
                with contextlib.suppress(OSError):  # what only the system reads
                    held.append(source.read(end - start))
    return b"".join(held)


def test_recv_holds_the_hash_of_the_resume_secret_alone(ours):
    process, ticket = ours.recv()
    sender = Sender(ticket, [Entry("file", b"a" * 100_000)]).offer().open()
    try:
        held = memory(process.pid)
    except PermissionError:
        pytest.skip("the system shows no process another's memory")
    secret = bytes.fromhex(sender.resume)
    assert hashlib.sha256(secret).digest() in held
    assert secret not in held and sender.resume.encode() not in held
    state = (ours.into / f".ciphermeter-{sender.transfer}" / "state.json").read_text()
    assert hashlib.sha256(secret).hexdigest() in state and sender.resume not in state
    sender.data()
    sender.end()
    sender.finish()
    ours.fine(process)
