"""Where things are, the tables of targets and providers, and how a command is run."""

import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


class CannotBuild(Exception):
    """What failed, then what to do."""


class Table(dict):
    """A table of a file that users edit."""

    def __init__(self, place: str, told: dict) -> None:
        super().__init__(told)
        self.place = place

    def __missing__(self, key: str) -> None:
        raise CannotBuild(f"{self.place} has no `{key}`: add it, as in the tables beside it")


def read(name: str) -> Table:
    try:
        told = tomllib.loads((HERE / name).read_text())
    except tomllib.TOMLDecodeError as mistake:
        sys.exit(f"{name}: {mistake}: correct it")
    return Table(name, {key: Table(f"{name}: [{key}]", table) for key, table in told.items()})


TARGETS, PROVIDERS = read("targets.toml"), read("providers.toml")


def run(command: list, **options: object) -> None:
    done = subprocess.run([str(word) for word in command], cwd=HERE, capture_output=True, text=True, **options)
    if done.returncode != 0:
        text = f"{shlex.join(map(str, command))}\n{done.stderr.strip()}"
        raise CannotBuild(text.replace(f"{HERE}/", ""))


def write_changed(file: Path, text: str) -> None:
    """Keeps the file's time if its content is the same, so that nothing is compiled again."""
    if not file.exists() or file.read_text() != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
