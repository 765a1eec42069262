#!/usr/bin/env python3
"""Replays the changes of regressions.toml with `ciphermeter guard`, and writes regressions.md.

    docs/regressions.py [--output FILE]                 the page anew, from what was measured
    docs/regressions.py --measured PROGRAM [TEXT...]    measures first: all, or those whose name has one of these texts

The libcryptos lie in target/libcryptos (tests/libcryptos 1.1.1w 3.3.1 3.4.1 4.0.3 debian); RustCrypto's are built in target/regressions.
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
# The guard's first side is the old one.
IS = {"first": "slower", "second": "faster", "equal": "equal", "unknown": "unknown"}
SEED = 42
CELLS = ["--message", "64,1350,16KiB"]
HEAD = """\
Versions that you can get anywhere, compared by `ciphermeter guard OLD NEW --message 64,1350,16KiB` ([the guard](regression-guard.md)): \
AES-256-GCM and ChaCha20-Poly1305, sealed and opened. "Said" is what the makers or the users of a version wrote, in our words. A change of \
time is the guard's, surely or not; an alarm was measured a second time. [regressions.py](regressions.py) measures and writes this page \
from [regressions.toml](regressions.toml) and [what was measured](measurements/regressions.json)."""


def tree():
    """The committed sources, in which versions may change."""
    folder = WORK / "tree"
    shutil.rmtree(folder, ignore_errors=True)
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    tarfile.open(fileobj=io.BytesIO(packed)).extractall(folder, filter="data")
    return folder


def rustcrypto(versions):
    """The worker of these versions of crates: RustCrypto for the CPU that is here."""
    built = WORK / "-".join(f"{name}-{version}" for name, version in sorted(versions.items())) / "worker"
    if built.exists():
        return [str(built)]
    folder = tree()
    manifest = folder / "Cargo.toml"
    text = manifest.read_text(encoding="utf-8")
    for name, version in versions.items():
        text = text.replace(f'{name} = "', f'{name} = ">={version}, <={version}" # "', 1)
    manifest.write_text(text, encoding="utf-8")
    worker = folder / "workers/rustcrypto-soft"
    # Its own flags leave the CPU's instructions out.
    environment = {**os.environ, "RUSTFLAGS": "", "CARGO_TARGET_DIR": str(WORK / "build")}
    for name, version in versions.items():
        subprocess.run(["cargo", "update", "--quiet", "-p", name, "--precise", version], cwd=worker, env=environment, check=True)
    subprocess.run(["cargo", "build", "--quiet", "--release"], cwd=worker, env=environment, check=True)
    built.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(WORK / "build/release/rustcrypto-soft", built)
    return [str(built)]


def libcrypto(version):
    """The libcrypto of a version, and what it has the guard measure."""
    found = sorted(LIBCRYPTOS.glob(f"{version}*/libcrypto.so.*")) + sorted(LIBCRYPTOS.glob(f"{version}*/usr/lib/*/libcrypto.so.3"))
    if not found:
        sys.exit(f"there is no libcrypto {version} in {LIBCRYPTOS}: tests/libcryptos builds it")
    return [str(found[0])]


def guarded(program, change):
    """What the guard found of a change."""
    side = {"libcrypto": libcrypto, "rustcrypto": rustcrypto}[change["kind"]]
    [old], [new] = side(change["old"]), side(change["new"])
    result = WORK / "guard.json"
    WORK.mkdir(parents=True, exist_ok=True)
    words = [program, "guard", old, new, *CELLS, "--seed", str(SEED), "--quiet", "--store", str(WORK / "runs.db"), "--json", str(result)]
    ended = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if ended.returncode not in (0, 1, 5):
        sys.exit(f"`{' '.join(words)}` ended with {ended.returncode}")
    document = json.loads(result.read_text(encoding="utf-8"))
    measurement = document["measurements"][0]
    return {
        "exit_code": ended.returncode,
        "sentences": document["sentences"],
        "cells": [moved(cell) for cell in document["about"]["cells"]],
        "cpu": measurement["host"]["cpu"],
        "date": datetime.date.today().isoformat(),
    }


def moved(cell):
    """A cell's change: its name, the ratio with its interval, and whether it is sure."""
    ratio, name = cell["ratio"], " ".join([cell["algorithm"], cell["operation"], str(cell["parameters"]["message"])])
    return {"cell": name, "ratio": [ratio[key] for key in ("mid", "low", "high")], "is": IS[cell["comparison"]["is"]]}


def row(change, found):
    sure = {"slower": [], "faster": []}
    for cell in found["cells"]:
        sure.get(cell["is"], []).append((cell["ratio"][0] - 1) * 100)
    parts = [f"**{len(changes)} {word}**: {span(changes)}" for word, changes in sure.items() if changes]
    rest = len(found["cells"]) - sum(map(len, sure.values()))
    parts += [f"{rest} no sure change"] if rest else []
    return f"| {change['name']} | {change['says']} ({', '.join(map(linked, change['source'].split(', ')))}) | {'; '.join(parts)} |"


def span(changes):
    low, high = (f"{figure:+.1f} %".replace("-", "−") for figure in (min(changes), max(changes)))
    return low if low == high else f"{low} to {high}"


def linked(source):
    return f"[{'/'.join(source.split('/')[3:5])} #{source.split('/')[-1]}]({source})" if source.startswith("https://") else source


def page(changes, kept):
    known = [change for change in changes if change["name"] in kept]
    where = sorted({f"{kept[change['name']]['cpu']}, {kept[change['name']]['date']}" for change in known})
    lines = ["# Public changes, replayed", "", HEAD, "", f"Measured on: {'; '.join(where)}.", "", "| change | said | found: cells, change of time |", "| --- | --- | --- |"]
    lines += [row(change, kept[change["name"]]) for change in known]
    lines += ["", "## Instructions of what is slower", "", "The worst cells, of each change at most three."]
    for change in known:
        explained = [said for said in kept[change["name"]]["sentences"] if "instructions" in said]
        lines += ["", f"{change['name']}:", ""] * bool(explained) + [f"- {said}" for said in explained]
    return "\n".join(part for line in lines for part in wrapped(line)) + "\n"


def wrapped(line):
    if line.startswith("|") or not line:
        return [line]
    indent = "  " if line.startswith("- ") else ""
    return textwrap.wrap(line, 120, break_long_words=False, break_on_hyphens=False, subsequent_indent=indent)


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
                KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    asked.output.write_text(page(changes, kept), encoding="utf-8")


main()
