"""What the tests of the OpenMP worker share: the process behind its pipes, and answers that come from elsewhere."""

import hashlib
import json
import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
CPUS = len(os.sched_getaffinity(0))
SEED = 42


class Skip(Exception):
    """A test that cannot run here, and why."""


class Worker:
    """A process, which must end with exit code 0 when its input does."""

    program = HERE / "build/openmp"

    def __init__(self, *wrapper: str, **environment: str) -> None:
        env = {key: value for key, value in os.environ.items() if not key.startswith(("OMP_", "GOMP_"))}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen([*wrapper, str(self.program)], env=env | environment, **pipes)
        self.cells = 0

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        rest, _ = self.process.communicate(timeout=60)
        if kind is None:
            equal(self.process.returncode, 0, "exit code")
            equal(rest, b"", "what nothing had asked for")

    def line(self, line: bytes) -> dict:
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return self.read()

    def read(self) -> dict:
        answer = self.process.stdout.readline()
        if not answer.endswith(b"\n") or len(answer) > 65536:
            raise AssertionError(f"no answer, or one that is too long: {answer[:100]!r}")
        return json.loads(answer)

    def ask(self, do: str, **keys: object) -> dict:
        return self.line(json.dumps({"do": do, **keys}).encode())

    def need(self, kind: str, do: str, **keys: object) -> dict:
        answer = self.ask(do, **keys)
        if answer["is"] != kind:
            raise AssertionError(f"expected {kind} to {do} {str(keys)[:200]}, got {answer}")
        return answer

    def describe(self) -> list:
        answers = [self.ask("describe")]
        while answers[-1]["is"] != "end":
            answers.append(self.read())
        return answers

    def cell(self, **keys: object) -> int:
        """Prepares a cell, by default one of AES of 64 bytes in the form `static` with one thread."""
        self.cells += 1
        self.need("ready", "prepare", **cell(self.cells) | keys)
        return self.cells

    def release(self, cell: int) -> None:
        self.need("released", "release", cell=cell)


def cell(number: int) -> dict:
    which = {"provider": "openmp", "algorithm": "aes-256-ctr", "operation": "encrypt", "form": "static"}
    return {**which, "cell": number, "message": 64, "aad": 0, "threads": 1, "seed": SEED}


def equal(got: object, expected: object, what: object) -> None:
    if got != expected:
        raise AssertionError(f"{what}: expected {str(expected)[:300]}, got {str(got)[:300]}")


def stream(label: str, length: int, seed: int = SEED) -> bytes:
    hashes = (hashlib.sha256(f"ciphermeter {label} {seed} {i}".encode()).digest() for i in range(128))
    period = b"".join(hashes)[:4093]
    return (period * (length // 4093 + 1))[:length]


def ctr(text: bytes, iteration: int, at: int = 0) -> bytes:
    """What `openssl enc` makes of `text`, which begins `at` bytes into the message."""
    counter = ((iteration << 64) + at // 16) % (1 << 128)
    key, iv = stream("key", 32).hex(), counter.to_bytes(16, "big").hex()
    command = ["openssl", "enc", "-aes-256-ctr", "-K", key, "-iv", iv]
    return subprocess.run(command, input=text, capture_output=True, check=True).stdout


def xor(text: bytes, key: bytes, at: int = 0) -> bytes:
    pad = (key * ((at % len(key) + len(text)) // len(key) + 1))[at % len(key) :][: len(text)]
    both = int.from_bytes(text, "big") ^ int.from_bytes(pad, "big")
    return both.to_bytes(len(text), "big")


def sha(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def threads() -> list:
    return [count for count in (1, 2, 3, 7) if count <= CPUS]
