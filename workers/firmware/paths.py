"""Where things are, the tables of targets and providers, and how a command is run."""

import shlex
import subprocess
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


class CannotBuild(Exception):
    """What failed, then what to do."""


def read(name: str) -> dict:
    return tomllib.loads((HERE / name).read_text())


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
