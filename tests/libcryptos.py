"""What tests/libcryptos checks in what the binary says.

    libcryptos.py VERSION        the worker's description on standard input is as docs/providers.md has it of that version
    libcryptos.py --run FILE N   the run's export has N libcryptos beside the system's, each under its version, none with wrong output
"""

import json
import re
import sys
from pathlib import Path

DOCUMENT = Path(__file__).parent.parent / "docs/providers.md"


def rows():
    """Of each row of the table: the first version, what it lacks, and what is set up anew for each message."""
    table = DOCUMENT.read_text().split("| OpenSSL | lacks |")[1].split("\n\n")[0]
    names = lambda cell: set(re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)+", cell.lower()))
    for row in table.splitlines()[2:]:
        version, lacks, anew = (cell.strip() for cell in row.strip()[1:-1].split("|"))
        yield numbers(version), names(lacks), names(anew)


def numbers(text):
    return tuple(int(number) for number in re.findall(r"\d+", text)[:2])


def described(version):
    offers = [offer for offer in map(json.loads, sys.stdin) if offer["is"] == "offer"]
    has = {offer["algorithm"] for offer in offers}
    inside = {offer["algorithm"] for offer in offers if offer["setup"] == "inside"}
    wrong = {offer["version"] for offer in offers} - {version}
    every = set().union(*(lacks | anew for _, lacks, anew in rows()))
    _, lacks, anew = [row for row in rows() if row[0] <= numbers(version)][-1]
    print(f"{version}: {len(has)} algorithms, without {sorted(every - has)}, set up for each message {sorted(inside)}")
    return not wrong and has and every - has == lacks and inside == anew


def measured(file, count):
    records = json.loads(Path(file).read_text())["records"]
    versions = {}
    for record in records:
        if record["provider"].startswith("openssl@"):
            versions.setdefault(record["provider"], set()).add(record["version"])
    print(f"side by side: {', '.join(sorted(versions))}")
    named = all({name.split("@")[1].split("-")[0]} == own for name, own in versions.items())
    return named and len(versions) == int(count)


match sys.argv[1:]:
    case ["--run", file, count]:
        right = measured(file, count)
    case [version]:
        right = described(version)
    case _:
        sys.exit(__doc__)
sys.exit(not right)
