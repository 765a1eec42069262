"""Runs to load: one measured for these tests, those of the golden stores, and the example's."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["hangs"]
REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLE = REPOSITORY / "python" / "examples" / "run.json"
SCHEMA = REPOSITORY / "crates" / "report" / "src" / "export.schema.json"
GOLDENS = REPOSITORY / "crates" / "cli" / "tests" / "goldens"
LIMIT = 120  # seconds


class Program:
    """The binary under test, with a store in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        built = REPOSITORY / "target" / "release" / "ciphermeter"
        self.path, self.folder = os.environ.get("CIPHERMETER", str(built)), folder
        homes = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
        self.environment = {**os.environ, **{name: str(folder) for name in homes}}
        self.environment.pop("CIPHERMETER_STORE", None)

    def __call__(self, *arguments: object, codes: tuple[int, ...] = (0,)) -> str:
        command = [self.path, *map(str, arguments)]
        ended = subprocess.run(
            command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT
        )
        assert ended.returncode in codes, ended.stderr.decode()
        return ended.stdout.decode()

    def export(self, store: Path, run: int, kind: str = "json") -> str:
        return self("export", run, "--store", store, "--format", kind)


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return Program(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def measured(program: Program) -> Path:
    """A store with two runs of three seconds, which need not decide anything: exit code 5."""
    store = program.folder / "measured.db"
    lists = ["--algorithm", "aes-256-gcm", "--provider", "aws-lc,ring", "--operation", "seal", "--budget", "3s"]
    for message in ("64,16KiB", "1KiB"):
        program("run", *lists, "--message", message, "--quiet", "--store", store, codes=(0, 5))
    return store


@pytest.fixture(scope="session")
def goldens(program: Program) -> dict[str, tuple[Path, int]]:
    """Stored runs of every kind, by the golden store's name and their number in it."""
    runs: dict[str, tuple[Path, int]] = {}
    for name in ("runs", "parallel"):
        store = Path(shutil.copy(GOLDENS / f"{name}.db", program.folder))
        numbers = re.findall(r"^ *(\d+) ", program("list", "--store", store), re.MULTILINE)
        runs.update({f"{name} {number}": (store, int(number)) for number in numbers})
    return runs


@pytest.fixture
def example() -> dict[str, Any]:
    """The example's document, to be changed."""
    return json.loads(EXAMPLE.read_text(encoding="utf-8"))


@pytest.fixture
def write(tmp_path: Path):
    """Writes a document, or bytes, and says where."""

    def write(document: object, name: str = "run.json") -> Path:
        path = tmp_path / name
        path.write_bytes(document if isinstance(document, bytes) else json.dumps(document).encode())
        return path

    return write
