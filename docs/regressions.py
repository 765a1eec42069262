#!/usr/bin/env python3
"""Replays the changes of regressions.toml with `ciphermeter guard`, and writes regressions.md.

    docs/regressions.py [--output FILE]                 the page anew, from what was measured
    docs/regressions.py --measured PROGRAM [TEXT...]    measures first: all, or those whose name has one of these texts

The libcryptos lie in target/libcryptos (tests/libcryptos 1.1.1w 3.3.1 3.4.1 4.0.3 debian); workers with versions of crates are built in
target/regressions.
What is measured stays in measurements/regressions.json.
"""

import argparse
import datetime
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import textwrap
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
KEPT = HERE / "measurements" / "regressions.json"
WORK = ROOT / "target" / "regressions"
LIBCRYPTOS = ROOT / "target" / "libcryptos"
# Where a folder of those has its libcrypto.
FILES = ["libcrypto.so.[0-9]*", "usr/lib/*/libcrypto.so.3"]
# The guard's first side is the old one.
IS = {"first": "slower", "second": "faster", "equal": "equal", "unknown": "unknown"}
SEED = 42
CELLS = ["--message", "64,1350,16KiB"]
HEAD = """\
Versions that you can get anywhere, compared by `ciphermeter guard OLD NEW --message 64,1350,16KiB` ([the guard](regression-guard.md)): \
AES-256-GCM and ChaCha20-Poly1305, sealed and opened. "Said" is what the makers or the users of a version wrote, in our words. The guard \
measured each change of time and says whether it is sure; it measured every alarm twice. [regressions.py](regressions.py) measures and \
writes this page from [regressions.toml](regressions.toml) and [what was measured](measurements/regressions.json)."""

COUNTED = """\
The worst cells, of each change at most three; where the CPU has no counters, valgrind's callgrind counts, which emulates a CPU without \
AVX-512 and VAES. A count explains a time only if both took the same code path; an unknown path may be another one. Where a call runs no \
more instructions on the timed path, the cause is slower instructions, layout or caches."""


def tree():
    """The committed sources, in which versions may change."""
    folder = WORK / "tree"
    shutil.rmtree(folder, ignore_errors=True)
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    tarfile.open(fileobj=io.BytesIO(packed)).extractall(folder, filter="data")
    return folder


def built_in(provider, versions):
    """The worker of a built-in provider with these versions of crates, for the CPU that is here."""
    built = WORK / "-".join(f"{name}-{version}" for name, version in sorted(versions.items())) / "worker"
    if built.exists():
        return str(built)
    folder = tree()
    # The worker that has RustCrypto alone, with the instructions of this CPU.
    worker = folder / "workers/rustcrypto-soft"
    edited(worker / "src/main.rs", 'serve("rustcrypto"', f'serve("{provider}"')
    if provider != "rustcrypto":
        edited(worker / "Cargo.toml", ", default-features = false", "")
    for name, version in versions.items():
        edited(folder / "Cargo.toml", f'\n{name} = "', f'\n{name} = "={version}" # "')
    # Its own flags leave the CPU's instructions out. Its lock file gives way to the versions above.
    environment = {**os.environ, "RUSTFLAGS": "", "CARGO_TARGET_DIR": str(WORK / "build")}
    subprocess.run(["cargo", "build", "--quiet", "--release"], cwd=worker, env=environment, check=True)
    built.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(WORK / "build/release/rustcrypto-soft", built)
    return str(built)


def edited(file, old, new):
    """Replaces the first of these texts in a file."""
    text = file.read_text(encoding="utf-8")
    if old not in text:
        sys.exit(f"{file} has no `{old}`")
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def libcrypto(version):
    """The libcrypto of a version, and what it has the guard measure."""
    # A package of Debian's has its own number behind the version: debian-3.0.17-1~deb12u2.
    folders = [folder for folder in LIBCRYPTOS.glob("*") if folder.name == version or folder.name.startswith(f"{version}-")]
    found = [file for folder in folders for name in FILES for file in folder.glob(name)]
    if not found:
        sys.exit(f"there is no libcrypto {version} in {LIBCRYPTOS}: tests/libcryptos builds it")
    if len(found) > 1:
        sys.exit(f"there are several libcryptos {version}, {', '.join(map(str, found))}: remove all but one")
    return str(found[0])


def guarded(program, change):
    """What the page shows of what the guard found of a change."""
    kind = change["kind"]
    old, new = (libcrypto(side) if kind == "libcrypto" else built_in(kind, side) for side in (change["old"], change["new"]))
    result = WORK / "guard.json"
    WORK.mkdir(parents=True, exist_ok=True)
    words = [program, "guard", old, new, *CELLS, "--seed", str(SEED), "--quiet", "--store", str(WORK / "runs.db"), "--json", str(result)]
    ended = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if ended.returncode not in (0, 1, 5):
        sys.exit(f"`{' '.join(words)}` ended with {ended.returncode}")
    document = json.loads(result.read_text(encoding="utf-8"))
    return {
        "cpu": document["measurements"][0]["host"]["cpu"],
        "date": datetime.date.today().isoformat(),
        "cells": [{**named(cell), "ratio": cell["ratio"]["mid"], "is": IS[cell["comparison"]["is"]]} for cell in document["about"]["cells"]],
        "explained": [
            {**named(alarm), "ratio": alarm["again"]["mid"], **alarm["explained"]} for alarm in document["alarms"] if alarm["explained"]
        ],
    }


def named(cell):
    return {"cell": f"{cell['algorithm']} {cell['operation']}", "message": cell["parameters"]["message"]}


def row(change, found):
    sure = {"slower": [], "faster": []}
    for cell in found["cells"]:
        sure.get(cell["is"], []).append(cell["ratio"])
    parts = [f"**{len(changes)} {word}**: {span(changes)}" for word, changes in sure.items() if changes]
    rest = len(found["cells"]) - sum(map(len, sure.values()))
    parts += [f"{rest} no sure change"] if rest else []
    return f"| {change['name']} | {change['says']} ({', '.join(map(linked, change['source'].split(', ')))}) | {'; '.join(parts)} |"


def span(ratios):
    low, high = percent(min(ratios)), percent(max(ratios))
    return low if low == high else f"{low} to {high}"


def percent(ratio):
    return f"{(ratio - 1) * 100:+.1f} %".replace("-", "−")


def explained(change, cell):
    """What a confirmed alarm's calls take on both sides."""
    size = cell["message"]
    size = f"{size // 1024} KiB" if size % 1024 == 0 else f"{size} B"
    about = [change["name"], f"{cell['cell']}, {size}", percent(cell["ratio"])]
    if "unknown" in cell:
        return [*about, cell["unknown"], "", ""]
    sides = [cell["counted"][side] for side in ("old", "new")]
    counts = " → ".join(f"{side['instructions']:,}" for side in sides)
    paths = [[side[path] or "unknown" for side in sides] for path in ("timed", "counted")]
    return [*about, counts, *(" → ".join(dict.fromkeys(both)) for both in paths)]


def linked(source):
    return f"[{'/'.join(source.split('/')[3:5])} #{source.split('/')[-1]}]({source})" if source.startswith("https://") else source


def page(changes, kept):
    known = [change for change in changes if change["name"] in kept]
    where = sorted({f"{kept[change['name']]['cpu']}, {kept[change['name']]['date']}" for change in known})
    lines = ["# Public changes, replayed", "", HEAD, "", f"Measured on: {'; '.join(where)}.", "", "| change | said | found: cells, change of time |", "| --- | --- | --- |"]
    lines += [row(change, kept[change["name"]]) for change in known]
    lines += ["", "## Instructions of what is slower", "", COUNTED, ""]
    lines += ["| change | cell | time | instructions a call | code path timed | code path counted |", "| --- | --- | ---: | --- | --- | --- |"]
    lines += [f"| {' | '.join(explained(change, cell))} |" for change in known for cell in kept[change["name"]]["explained"]]
    return "\n".join(part for line in lines for part in wrapped(line)) + "\n"


def wrapped(line):
    if line.startswith("|") or not line:
        return [line]
    indent = "  " if line.startswith("- ") else ""
    return textwrap.wrap(line, 120, break_long_words=False, break_on_hyphens=False, subsequent_indent=indent)


def written(kept):
    """A line for each change, so that a diff shows which were measured."""
    lines = ",\n".join(f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(found, ensure_ascii=False)}" for name, found in kept.items())
    return f"{{\n{lines}\n}}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "regressions.md")
    parser.add_argument("--measured", type=pathlib.Path, metavar="PROGRAM")
    parser.add_argument("texts", nargs="*", metavar="TEXT")
    asked = parser.parse_args()
    changes = tomllib.loads((HERE / "regressions.toml").read_text(encoding="utf-8"))["change"]
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    if asked.measured:
        for change in changes:
            if not asked.texts or any(text in change["name"] for text in asked.texts):
                print(change["name"], flush=True)
                kept[change["name"]] = guarded(str(asked.measured.resolve()), change)
                KEPT.write_text(written(kept), encoding="utf-8")
    asked.output.write_text(page(changes, kept), encoding="utf-8")


if __name__ == "__main__":
    main()
