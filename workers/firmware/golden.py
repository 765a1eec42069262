"""The counts that every build must give again: golden/TARGET.txt, a line for each way and size of a provider.

An emulator counts exactly, so any difference is a change: of the worker, of a library, of the compiler. The first line
of a file says with which compilers it was made; with others, there is nothing to compare.
"""

import subprocess
from pathlib import Path

from libraries import rust_with_sources
from paths import HERE, TARGETS
from test_client import Image, Worker, images, ways

SIZES = 16, 64, 256, 1024
COLUMNS = "# provider version algorithm operation form bytes count-of-1-call count-of-8-calls stack state code"

README = HERE / "README.md"
SHOWN = "cortex-m4"  # the target whose table the README has


def file_of(target: str) -> Path:
    return HERE / "golden" / f"{target}.txt"


def measure(image: Image, sizes: tuple = SIZES) -> list:
    """The lines of an image."""
    lines = []
    with Worker(image) as worker:
        first, *_ = worker.describe()
        for offer in worker.offers():
            for operation, form in ways(offer):
                # One form is enough: the calls are the same.
                if form != offer["forms"].split(",")[-1]:
                    continue
                for size in sizes if operation != "key-setup" else (0,):
                    if size <= image.max_message:
                        lines.append(line_of(worker, first["counts"], offer, operation, form, size))
    return lines


def line_of(worker: Worker, counts: str, offer: dict, operation: str, form: str, size: int) -> str:
    cell = worker.cell(algorithm=offer["algorithm"], operation=operation, form=form, message=size)
    one, eight = (worker.need("sample", "sample", cell=cell, warmup_ns=0, iterations=calls) for calls in (1, 8))
    worker.need("released", "release", cell=cell)
    facts = [eight[key] for key in ("stack_bytes", "state_bytes", "code_bytes")]
    version = offer["version"].replace(" ", "-")
    return " ".join(map(str, (offer["provider"], version, offer["algorithm"], operation, form, size, one[counts],
                              eight[counts], *facts)))  # fmt: skip


def read(image: Image) -> list:
    lines = file_of(image.target).read_text().splitlines()
    return [line for line in lines if line.split()[0] == image.provider]


def pins(image: Image) -> list:
    """The compiler, the emulator, and Rust's compiler, as they are here."""
    with Worker(image) as worker:
        runtime = worker.describe()[0]["runtime"]
    return [runtime, first_line(image.told["emulator_version"]), rust()]


def rust() -> str:
    compiler = rust_with_sources()
    return " ".join(first_line([compiler, "--version"]).split()[:2]) if compiler else "no rustc"


def first_line(command: list) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout or done.stderr).splitlines()[0].split(" (")[0]


def is_of_other_compilers(image: Image) -> str | None:
    """Why the file says nothing about this image, or None."""
    file = file_of(image.target)
    if not file.exists():
        return f"no {file.name}; python3 test.py --write-golden makes it"
    pinned, here = file.read_text().splitlines()[0].removeprefix("# ").split("; "), pins(image)
    if pinned[0] != here[0]:
        return f"golden counts are of {pinned[0]}, here is {here[0]}"
    if image.provider == "rustcrypto" and pinned[2] != here[2]:
        return f"golden counts are of {pinned[2]}, here is {here[2]}"
    return None


def readme_table(target: str) -> str:
    """The README's table of a target: what one more call costs, which is the difference of both counts."""
    rows = {}
    for line in file_of(target).read_text().splitlines()[2:]:
        provider, version, algorithm, operation, _, size, one, eight, *facts = line.split()
        row = rows.setdefault((provider, version, algorithm), {})
        row[operation, int(size)] = f"{(int(eight) - int(one)) / 7:.0f}"
        if (operation, size) == ("seal", "1024"):
            row["facts"] = facts
    text = (
        "| provider | algorithm | key set-up | 16 B | 64 B | 256 B | 1024 B | stack | state | code |\n" + "| --- " * 10
    )
    for (provider, version, algorithm), row in rows.items():
        counts = [row.get(("key-setup", 0), "inside"), *(row["seal", size] for size in SIZES)]
        cells = [f"{provider} ({version})", algorithm, *counts, *row["facts"]]
        text += "|\n| " + " | ".join(cells) + " "
    return text + "|\n"


def readme_with_table(text: str, target: str) -> str:
    """The README with that table between its marks."""
    begin, end = f"<!-- golden/{target}.txt -->\n", f"<!-- end of {target} -->\n"
    head, rest = text.split(begin)
    return head + begin + readme_table(target) + end + rest.split(end)[1]


def write_all() -> None:
    for target in TARGETS:
        mine = [image for image in images() if image.target == target and image.told["defines"]["EMULATED"]]
        if not mine:
            continue
        lines = [f"# {'; '.join(pins(mine[0]))}", COLUMNS, *(line for image in mine for line in measure(image))]
        file_of(target).parent.mkdir(exist_ok=True)
        file_of(target).write_text("\n".join(lines) + "\n")
        print(f"wrote {file_of(target).name}: {len(lines) - 2} counts")
    README.write_text(readme_with_table(README.read_text(), SHOWN))
