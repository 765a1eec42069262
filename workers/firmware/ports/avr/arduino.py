"""Builds a sketch for the Arduino Mega 2560 as the Arduino IDE does: by the recipes of the Arduino core's own
platform.txt and boards.txt, the core into an archive, sketch and further sources into objects, all linked at the end.

    python3 arduino.py OUT.elf SKETCH.ino [-I FOLDER]... [-D NAME=VALUE]... [--map FILE] [SOURCE | OBJECT | ARCHIVE]...

Objects lie in the folder OUT.parts. `--map` asks the linker for its map. `--stack BYTES` fails if less RAM is left.
`-D` and `--flags` are for sketch and sources, `-I` for the core as well.
"""

import argparse
import re
import shlex
import subprocess
import sys
from pathlib import Path

RAM_END = 0x802200  # as the linker counts, of the Mega's controller
PLATFORM = Path("/usr/share/arduino/hardware/arduino/avr")
BOARD, CPU = "mega", "atmega2560"
RECIPES = {".c": "c.o", ".cpp": "cpp.o", ".S": "S.o"}


def pairs(file: str) -> dict[str, str]:
    lines = (line.strip() for line in (PLATFORM / file).read_text().splitlines())
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def properties() -> dict[str, str]:
    """What the IDE knows when it builds: the platform's, the board's, the chosen processor's, and its own."""
    found = pairs("platform.txt")
    boards = pairs("boards.txt")
    for prefix in f"{BOARD}.", f"{BOARD}.menu.cpu.{CPU}.":
        found |= {key.removeprefix(prefix): value for key, value in boards.items() if key.startswith(prefix)}
    return found | {"runtime.ide.version": "10819", "build.arch": "AVR"}


class Build:
    def __init__(self, options: argparse.Namespace) -> None:
        self.known = properties()
        self.out = options.out.resolve()
        self.parts = self.out.with_suffix(".parts")
        self.parts.mkdir(parents=True, exist_ok=True)
        core = PLATFORM / "cores" / self.known["build.core"]
        folders = [core, PLATFORM / "variants" / self.known["build.variant"], *options.include]
        self.known["includes"] = " ".join(shlex.quote(f"-I{folder}") for folder in folders)
        self.extra = " ".join(shlex.quote(word) for word in [*(f"-D{name}" for name in options.define), *options.flags])
        if options.map:
            self.known["compiler.ldflags"] = f"-Wl,-Map={options.map.resolve()}"
        self.core = [path for path in sorted(core.iterdir()) if path.suffix in RECIPES]

    def run(self, recipe: str, **values: object) -> None:
        known = self.known | {key: str(value) for key, value in values.items()}
        command = known[f"recipe.{recipe}.pattern"]
        while (expanded := re.sub(r"\{([^{}]+)\}", lambda name: known[name[1]], command)) != command:
            command = expanded
        done = subprocess.run(shlex.split(command))
        if done.returncode != 0:
            sys.exit(f"arduino.py: this failed: {command}")

    def compile(self, source: Path, folder: str, extra: str = "") -> Path:
        name = re.sub(r"[^\w.]", "_", str(source.resolve()))[-120:]
        object_file = self.parts / folder / f"{name}.o"
        object_file.parent.mkdir(exist_ok=True)
        # Debian 12's core is newer than its compiler, whose <float.h> lacks this in C++.
        extra += " -DDECIMAL_DIG=__DECIMAL_DIG__" if source.suffix == ".cpp" else ""
        flags = {f"compiler.{kind}.extra_flags": extra for kind in ("c", "cpp", "S")}
        self.run(RECIPES[source.suffix], source_file=source, object_file=object_file, **flags)
        return object_file

    def sketch(self, source: Path) -> Path:
        """A sketch becomes C++ by one line at its top. Ours needs no declarations of its functions."""
        as_cpp = self.parts / f"{source.name}.cpp"
        as_cpp.write_text(f'#include <Arduino.h>\n#line 1 "{source.name}"\n{source.read_text()}')
        return as_cpp

    def link(self, objects: list[Path]) -> None:
        names = " ".join(f'"{path}"' for path in objects)
        values = {
            "object_files": names,
            "archive_file": "core.a",
            "build.path": self.parts,
            "build.project_name": "sketch",
        }
        self.run("c.combine", **values)
        (self.parts / "sketch.elf").rename(self.out)

    def check_stack(self, least: int) -> None:
        listed = subprocess.run(["avr-nm", self.out], capture_output=True, text=True, check=True).stdout
        end = next(line.split()[0] for line in listed.splitlines() if line.endswith(" __bss_end"))
        left = RAM_END - int(end, 16)
        if left < least:
            self.out.unlink()
            sys.exit(f"arduino.py: {left} bytes of RAM are left for the stack, fewer than {least}")

    def all(self, sketch: Path, sources: list[Path]) -> None:
        archive = self.parts / "core.a"
        archive.unlink(missing_ok=True)
        for source in self.core:
            self.run("ar", archive_file_path=archive, object_file=self.compile(source, "core"))
        compiled = [source for source in sources if source.suffix not in RECIPES]
        own = [source for source in [self.sketch(sketch), *sources] if source.suffix in RECIPES]
        self.link([*(self.compile(source, "sketch", self.extra) for source in own), *compiled])


def main() -> None:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("out", type=Path)
    parser.add_argument("sketch", type=Path)
    parser.add_argument("sources", type=Path, nargs="*")
    parser.add_argument("-I", dest="include", action="append", type=Path, default=[])
    parser.add_argument("-D", dest="define", action="append", default=[])
    parser.add_argument("--flags", type=shlex.split, default=[])
    parser.add_argument("--map", type=Path)
    parser.add_argument("--stack", type=int, default=0)
    options = parser.parse_intermixed_args()
    build = Build(options)
    build.all(options.sketch, options.sources)
    build.check_stack(options.stack)


main()
