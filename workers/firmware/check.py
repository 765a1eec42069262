"""Says which targets can be built here, with their compilers' versions on standard output, and what the others lack."""

import subprocess
import sys

from compilers import Target
from libraries import library
from paths import TARGETS


def main() -> int:
    ready = []
    for target in map(Target, TARGETS):
        missing = target.missing()
        if missing:
            print(f"{target.name}: {missing}", file=sys.stderr)
            continue
        ready.append(f"{target.name} ({version(target)})")
        for name in target.told["providers"]:
            if missing := library(name, target).missing():
                print(f"{target.name}, {name}: {missing}", file=sys.stderr)
    print(", ".join(ready))
    return 0 if ready else 1


def version(target: Target) -> str:
    # GCC before 7 knows -dumpversion only; later ones, given both, print the full version.
    command = [target.told["compiler"], "-dumpfullversion", "-dumpversion"]
    asked = subprocess.run(command, capture_output=True, text=True)
    return f"gcc {asked.stdout.strip()}"


if __name__ == "__main__":
    sys.exit(main())
