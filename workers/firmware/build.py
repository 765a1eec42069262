"""Builds the images of targets.toml: `python3 build.py [--planted] [TARGET ...]`, of all targets that can be built.

For each target and provider:
  build/TARGET/PROVIDER.elf    the image, one provider in each
  build/TARGET/PROVIDER        runs it, unless a board does: requests on standard input, answers on standard output
With --planted, the same as PROVIDER-planted: images whose sealed tag is wrong for messages of 64 bytes.
With --selfcheck, only selfcheck.elf and selfcheck: the program in ports/selfcheck.c in place of the worker.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from compilers import WARNINGS, Target
from libraries import Library, library
from paths import HERE, TARGETS, CannotBuild, run, write_changed

WORKER_IS_CALLED = 64  # bytes of stack, at most

RUNNER = """#!/bin/sh
# Made by build.py: runs the image.
exec {command}
"""


def write_table(provider: Library) -> Path:
    """What the image contains, with each algorithm's sizes."""
    rows = "".join(
        f'    {{"{provider.name}", "{algorithm}", {flash}, {ram}}},\n'
        for algorithm, flash, ram in provider.footprints()
    )
    text = f"""// Made by build.py: what this image contains.
#include "component.h"

extern const struct component {provider.symbol};
static const struct component *const components[] = {{&{provider.symbol}}};
"""
    if rows:
        text += f"static const struct footprint footprints[] = {{\n{rows}}};\n"
        text += "const struct table table = {components, 1, footprints, sizeof footprints / sizeof *footprints};\n"
    else:
        text += "const struct table table = {components, 1, 0, 0};\n"
    source = provider.target.objects / provider.name / "table.c"
    write_changed(source, text)
    return provider.target.compile(source, provider.name, WARNINGS)


def write_runner(runner: Path, target: Target, image: Path) -> None:
    here = '"$(dirname "$0")/{}"'
    command = target.told["emulator"].format(image=here.format(image.name), tool=here.format("run"))
    write_changed(runner, RUNNER.format(command=command))
    runner.chmod(0o755)


def link(target: Target, name: str, objects: list) -> None:
    """Makes the image, and the script that runs it, where anything here can."""
    image, told = target.folder / f"{name}.elf", target.told
    map_file = image.with_suffix(".elf.map")
    if "sketch" in told:
        stack = target.defines(name.removesuffix("-planted"))["STACK_PAINT"] + WORKER_IS_CALLED
        run([*(word.format(image=image, map=map_file, stack=stack) for word in told["sketch"]), *objects])
    else:
        own = ["-nostdlib"] if target.has_own_memory else []
        options = ["-Wl,--gc-sections", f"-Wl,-Map={map_file}", *told["link"], *own]
        run([*target.compiler, *options, *objects, *told["libraries"], "-o", image])
    if "emulator" in told:
        write_runner(target.folder / name, target, image)


def build(target: Target, name: str, planted: bool) -> None:
    provider, sha256 = library(name, target), library("hash", target)
    # Libraries last: the linker takes from an archive what is missing by then.
    objects = [*target.worker(planted, name), write_table(provider), *sha256.linked(provider), *provider.linked()]
    link(target, f"{name}{'-planted' if planted else ''}", objects)


def build_all(target: Target, planted: bool, selfcheck: bool) -> None:
    target.write_header()
    for command in target.told.get("prepare", []):
        run([word.format(folder=target.folder) for word in command])
    if selfcheck:
        link(target, "selfcheck", [target.compile(HERE / "ports/selfcheck.c", "port", WARNINGS), *target.port()])
        return
    for name in target.told["providers"]:
        missing = library(name, target).missing()
        if missing:
            print(f"{target.name}: {name} is left out, {missing}", file=sys.stderr)
            (target.folder / f"{name}.elf").unlink(missing_ok=True)
            continue
        build(target, name, planted)


def failure(target: Target, planted: bool, selfcheck: bool) -> Exception | None:
    """Why it cannot be built, so that what became of the others is said, too."""
    try:
        build_all(target, planted, selfcheck)
    except (CannotBuild, OSError, subprocess.CalledProcessError) as why:
        return why
    return None


def main(arguments: list) -> int:
    planted, selfcheck = "--planted" in arguments, "--selfcheck" in arguments
    names = list(dict.fromkeys(word for word in arguments if not word.startswith("--"))) or list(TARGETS)
    for name in names:
        if name not in TARGETS:
            print(f"{name} is no target; choose from {', '.join(TARGETS)}", file=sys.stderr)
            return 2
    targets = []
    for target in map(Target, names):
        if missing := target.missing():
            print(f"{target.name}: left out, {missing}", file=sys.stderr)
        else:
            targets.append(target)
    # Linking and measuring what an algorithm takes are single steps, which leave CPUs to another target. The objects of
    # each are its own, and Cargo locks its folder.
    with ThreadPoolExecutor(2) as pool:
        failures = list(pool.map(lambda target: failure(target, planted, selfcheck), targets))
    for target, why in zip(targets, failures, strict=True):
        if why:
            print(f"{target.name}: {why}", file=sys.stderr)
    if any(failures):
        return 1
    if targets:
        # The harness takes the worker for built where this file is.
        write_changed(HERE / "build/built", "")
    return 0 if targets else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except CannotBuild as why:
        sys.exit(str(why))
