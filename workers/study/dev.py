"""Tests, formats and lints the worker with tools that requirements-dev.txt pins: dev.py test | format | lint | fix."""

import subprocess
import sys

from build import HERE, make

COMMANDS = {
    "test": [["-m", "pytest"]],
    "format": [["-m", "ruff", "format", "--check"]],
    "lint": [["-m", "ruff", "check"]],
    "fix": [["-m", "ruff", "check", "--fix"], ["-m", "ruff", "format"]],
}


def main(arguments: "list[str]") -> int:
    if len(arguments) != 1 or arguments[0] not in COMMANDS:
        print(f"usage: dev.py {' | '.join(COMMANDS)}", file=sys.stderr)
        return 2
    folder = HERE / "build" / "dev"
    try:
        make(folder, ["requirements.txt", "requirements-dev.txt"], "import pytest, ruff")
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"the tools were not installed: {error}", file=sys.stderr)
        return 1
    python = str(folder / "bin" / "python")
    return max(subprocess.run([python, *command], cwd=HERE).returncode for command in COMMANDS[arguments[0]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
