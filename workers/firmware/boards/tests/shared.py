"""What the tests of the boards share: paths, programs for this machine, and a worker behind its pipes."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

BOARDS = Path(__file__).resolve().parent.parent
FIRMWARE = BOARDS.parent
BUILD = FIRMWARE / "build"
OUT = BUILD / "boards"
sys.path.insert(0, str(FIRMWARE))

from test_client import Skip, Worker, equal  # noqa: E402, F401 # the firmware's own


def run(command: list, **options: object) -> str:
    """Its standard output; fails with the end of its standard error."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]}: exit code {done.returncode}: {(done.stderr or done.stdout)[-1500:]}")
    return done.stdout


def program(name: str, sources: list, *flags: object) -> Path:
    """A C program for this machine, with sanitizers."""
    OUT.mkdir(parents=True, exist_ok=True)
    made = OUT / name
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    run(["gcc", "-std=gnu17", "-g", "-O1", *sanitizers, *flags, *sources, "-o", made])
    return made


def worker(runner: Path, provider: str, max_line: int = 16896) -> Worker:
    return Worker(SimpleNamespace(runner=runner, provider=provider, max_line=max_line, ends=True))
