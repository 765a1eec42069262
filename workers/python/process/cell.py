"""A prepared cell: each iteration is a fresh process that makes one call and says how long that took."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from facts import TRACED, suffices
from kinds import Layout, Want
from messages import Failure, Unsupported, Value
from process.child import OPERATIONS
from process.procedure import NONCES, both
from stream import sha256, stream

WORKER = Path(__file__).resolve().parent.parent  # where Python finds the child's modules

KEY = 32  # bytes

COPIES = 8  # the most copies of the message that a child has, those of the sizes before it included

LIMIT = 120  # seconds: a call that takes longer hangs


class Cell:
    """A measured cell."""

    def __init__(self, algorithm: str, want: Want) -> None:
        self.algorithm, self.operation, self.message, self.seed = algorithm, want.operation, want.message, want.seed
        self.key, self.aad = stream("key", self.seed, KEY), stream("aad", self.seed, want.aad)
        self.rest = stream("nonce", self.seed, NONCES[algorithm])[8:]
        self.last = 0  # the number of the last iteration; 0 is digest's
        self.left: tuple[int, str] | None = (
            None  # the last iteration of the latest sample, and what its output hashes to
        )

    def open(self) -> None:
        suffices(COPIES * self.message)

    def close(self) -> None:
        """Each process has ended with its call."""

    def move_to(self, layout: Layout) -> None:
        """A process of its own lies where the system puts it."""

    def sample(self, _warmup_ns: int, iterations: int) -> dict[str, Value]:
        """Without a warm-up: each call is the first of its process."""
        self.left, first, ns = None, self.last + 1, 0
        for _ in range(iterations):
            self.last += 1
            made = self.call(self.last)
            ns += made["ns"]
            TRACED.note(made["peak"])
            self.left = self.last, made["sha256"]
        return {"ns": ns, "cpu_ns": None, "first": first, "last": self.last}

    def call(self, iteration: int) -> dict:
        """Has a process make one call. Raises Failure."""
        asked = {"algorithm": self.algorithm, "operation": self.operation, "message": self.message, "seed": self.seed}
        asked |= {"key": self.key.hex(), "nonce": self.nonce(iteration).hex(), "aad": self.aad.hex()}
        command = [sys.executable, "-m", "process.child"]
        try:
            ended = subprocess.run(  # what is asked comes on its input: other users can read arguments
                command, cwd=WORKER, input=json.dumps(asked).encode(), capture_output=True, timeout=LIMIT, check=True
            )
            return json.loads(ended.stdout)
        except subprocess.CalledProcessError as error:
            told = error.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {error.returncode}"]
            raise self.failed(iteration, told[-1]) from None
        except subprocess.TimeoutExpired:
            raise self.failed(iteration, f"it did not end within {LIMIT} s") from None
        except ValueError:
            raise self.failed(iteration, "it said something else than what it came to") from None

    def failed(self, iteration: int, why: str) -> Failure:
        return Failure(f"the process of call {iteration} failed: {why}; send the sample again, or release the cell")

    def nonce(self, iteration: int) -> bytes:
        return iteration.to_bytes(8, "big") + self.rest

    def latency(self, _warmup_ns: int, _count: int) -> NoReturn:
        raise Unsupported("calls in processes of their own are timed by sample, each alone with iterations 1")

    def digest(self, first: int, iteration: int) -> str:
        """The SHA-256 of what this iteration left, or of the same made anew in this process."""
        if first > iteration:
            raise Failure(f"{first} to {iteration} is no range of iterations; send another first")
        if self.left and self.left[0] == iteration:
            return self.left[1]
        data = stream("message", self.seed, self.message)
        made = both(self.algorithm, self.key, self.nonce(iteration), data, self.aad)
        output = made[OPERATIONS[self.algorithm].index(self.operation)].output
        return sha256(output).hexdigest()
