"""Takes lib1funcs.S, GCC's routines for Xtensa, from the sources that Debian's package gcc-12-source installs:
`python3 libgcc.py FOLDER` leaves it in that folder. What is there already stays.
"""

import sys
import tarfile
from pathlib import Path

SOURCES = "/usr/src/gcc-12"
MEMBER = "/libgcc/config/xtensa/lib1funcs.S"
# The configuration of another core, in whose place umulsidi3.S describes this one, and floating point.
INCLUDED = '#include "xtensa-config.h"', '#include "ieee754-df.S"', '#include "ieee754-sf.S"'


def find() -> str:
    for archive in sorted(Path(SOURCES).glob("gcc-12*.tar.xz")):
        with tarfile.open(archive) as files:
            for member in files:
                if member.name.endswith(MEMBER):
                    return files.extractfile(member).read().decode()
    sys.exit(f"no {MEMBER} in {SOURCES}; install gcc-12-source")


def main() -> None:
    made = Path(sys.argv[1]) / "lib1funcs.S"
    if made.exists():
        return
    lines = find().splitlines()
    if not set(INCLUDED) <= set(lines):
        sys.exit("lib1funcs.S is not as it was in GCC 12")
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_text("".join(f"{line}\n" for line in lines if line not in INCLUDED))


main()
