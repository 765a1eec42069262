"""One target's compiler: objects of the worker, its port and its libraries, compiled only if something has changed."""

import hashlib
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from paths import HERE, TARGETS, run, write_changed

# The same for the worker, the ports and the libraries. Libraries read words through pointers to bytes: without
# -fno-strict-aliasing, Mbed TLS 3.6 gave wrong tags on RV32 at -O3. A section for each function and object lets the
# linker drop what is not reached, and its map say what is.
FLAGS = ["-std=gnu11", "-O2", "-fno-strict-aliasing", "-ffunction-sections", "-fdata-sections", "-fno-common",
         "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]  # fmt: skip
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
# Or the compiler would see memcpy in memcpy, and call it.
MEMORY = ["-fno-builtin", "-fno-tree-loop-distribute-patterns"]


class Target:
    """A table of targets.toml, and its folder in build/."""

    def __init__(self, name: str) -> None:
        self.name, self.told = name, TARGETS[name]
        self.folder = HERE / "build" / name
        self.objects = self.folder / "obj"
        self.compiler = [self.told["compiler"], *self.told["cpu"]]
        # Where there is a C library that the program needs anyway, its memory functions are used.
        self.has_own_memory = bool(self.told["link"])

    def missing(self) -> str | None:
        """What is missing to build and run it, or None."""
        packages = f"install {' '.join(self.told['packages'])}"
        emulator = [word for word in self.told.get("emulator", "").split()[:1] if word[0] != "{"]
        # What is built runs without its compiler.
        for program in [*emulator, self.told["compiler"]]:
            if not shutil.which(program):
                return f"{program} is missing; {packages}"
        if machine := self.lacks_machine():
            return f"{emulator[0]} is too old, it has no machine {machine}; {packages} of a later release"
        for file in self.told.get("needs", []):
            if not Path(file).exists():
                return f"{file} is missing; {packages}"
        return None

    def lacks_machine(self) -> str | None:
        """The machine of `-M`, if its emulator is of a version without it."""
        program, *words = self.told.get("emulator", "").split() or [""]
        if "-M" not in words:
            return None
        machine = words[words.index("-M") + 1]
        known = subprocess.run([program, "-M", "help"], capture_output=True, text=True).stdout
        return None if f"\n{machine} " in known else machine

    def write_header(self) -> None:
        lines = [
            f"#ifndef {key}\n#define {key} {json.dumps(value)}\n#endif\n" for key, value in self.told["defines"].items()
        ]
        text = "// Made by build.py from targets.toml.\n#ifndef TARGET_H\n#define TARGET_H\n"
        write_changed(self.folder / "target.h", text + "".join(lines) + "#endif\n")

    def compile(self, source: Path, part: str, flags: list, suffix: str = "") -> Path:
        """The object of a source; compiled only if a file that it reads, or the command, is newer."""
        made = self.objects / part / f"{source.stem}{suffix}.o"
        includes = ["-I", self.folder, "-I", HERE / "core"]
        flags = [*FLAGS, *self.told.get("optimize", []), *flags]
        command = [*self.compiler, *flags, *includes, "-MMD", "-c", source, "-o", made]
        key = made.with_suffix(".key")
        text = hashlib.sha256(" ".join(map(str, command)).encode()).hexdigest()
        if key.exists() and key.read_text() == text and is_newer(made):
            return made
        made.parent.mkdir(parents=True, exist_ok=True)
        key.unlink(missing_ok=True)
        run(command)
        key.write_text(text)
        return made

    def compile_all(self, sources: list, part: str, flags: list) -> list:
        """The objects of several sources, as many at once as there are CPUs; a library has a hundred."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda source: self.compile(source, part, flags), sources))

    def smaller(self, provider: str) -> dict:
        """Sizes of images with that provider that differ from the others'."""
        return self.told.get("smaller", {}).get(provider, {})

    def defines(self, provider: str) -> dict:
        return self.told["defines"] | self.smaller(provider)

    def worker(self, planted: bool, provider: str = "") -> list:
        """The worker and the port, for images with that provider."""
        smaller = self.smaller(provider)
        part = f"core-{provider}" if smaller else "core"
        sizes = [f"-D{key}={value}" for key, value in smaller.items()]
        made = []
        for source in sorted((HERE / "core").glob("*.c")):
            if source.name == "main.c":
                continue
            wrong = planted and source.name == "work.c"
            flags = [*sizes, "-DPLANT_WRONG_TAG"] if wrong else sizes
            made.append(self.compile(source, part, WARNINGS + flags, "-planted" if wrong else ""))
        return [*made, *self.port()]

    def port(self) -> list:
        """What every program here is linked with. A sketch brings its own main."""
        made = [self.compile(HERE / source, "port", WARNINGS) for source in self.told["port"]]
        if "sketch" not in self.told:
            made.append(self.compile(HERE / "core/main.c", "core", WARNINGS))
        return [*made, *self.run_time()]

    def run_time(self) -> list:
        """What compilers call: memory functions, and what the compiler's own library lacks."""
        made = [self.compile(HERE / source, "port", WARNINGS + MEMORY) for source in self.told.get("run_time", [])]
        if self.has_own_memory:
            made.append(self.compile(HERE / "core/bare/mem.c", "core", WARNINGS + MEMORY))
        return made


def is_newer(made: Path) -> bool:
    dependencies = made.with_suffix(".d")
    if not made.exists() or not dependencies.exists():
        return False
    files = dependencies.read_text().replace("\\\n", " ").split(":", 1)[1].split()
    return all(Path(file).exists() and Path(file).stat().st_mtime <= made.stat().st_mtime for file in files)
