"""Puts the worker and its libraries into one folder of plain C, for builders that take neither flags for single files
nor archives: `python3 assemble.py arduino|esp-idf FOLDER`.

Each library gets a folder of its own below src/, with its sources, the headers that they include, and one file for each
source that sets the library's macros and includes it. Two rules keep libraries apart from each other and from those of
the system, which has an Mbed TLS, too:
- an include that a library can satisfy itself is rewritten to that very file, so no other folder's header is found;
- all global names get the library's own in front (names.h), by the compiler's word for what is global.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORKER = HERE.parent
sys.path.insert(0, str(WORKER))

from paths import PROVIDERS  # noqa: E402 # one folder up
from sources import CannotBuild, folders  # noqa: E402

LIBRARIES = ["mbedtls-3", "monocypher", "bearssl", "wolfssl", "hash"]
# The one that is part of the system: it is a component without sources.
SYSTEM = "mbedtls_hw"
INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)(["<])([^">]+)[">]', re.MULTILINE)
DEFINE = re.compile(r"-D(\w+)(?:=(.*))?$")


class Library:
    """One library, on its way into src/NAME."""

    def __init__(self, name: str, source_folder: Path) -> None:
        self.name, self.symbol, self.told = name, name.replace("-", "_"), PROVIDERS[name]
        self.folder = source_folder / f"cm_{self.symbol}"
        root = Path(folders()[self.told["crate"]]) / self.told["folder"]
        self.root = root
        flags = self.told["flags"]
        own = [WORKER / flags[i + 1] for i, flag in enumerate(flags) if flag == "-I"]
        self.search = [*(root / folder for folder in self.told["include"]), *own, WORKER / "components"]
        self.defines = dict(match.groups() for match in map(DEFINE.match, flags) if match)
        self.copied: dict = {}

    def place(self, file: Path) -> Path:
        """Where a file goes: below `own` if it is ours, else where it lies in the library."""
        if file.is_relative_to(self.root):
            relative = file.relative_to(self.root)
        else:
            relative = Path("own") / file.relative_to(WORKER)
        # What is included must not be taken for a source.
        return self.folder / (relative.with_suffix(".inc") if file.suffix == ".c" else relative)

    def find(self, name: str, near: Path | None) -> Path | None:
        for folder in [*([near] if near else []), *self.search]:
            file = (folder / name).resolve()
            if file.is_file() and (file.is_relative_to(self.root) or file.is_relative_to(WORKER)):
                return file
        return None

    def copy(self, file: Path) -> Path:
        """The file's copy, and with it all that it includes of the library."""
        if file in self.copied:
            return self.copied[file]
        made = self.copied[file] = self.place(file)

        def rewrite(match: re.Match) -> str:
            before, quote, name = match.groups()
            if name in ("component.h", "hash.h"):
                return f'{before}"{relative(self.folder.parent / "cm_worker" / name, made)}"'
            found = self.find(name, file.parent if quote == '"' else None)
            return f'{before}"{relative(self.copy(found), made)}"' if found else match[0]

        text = INCLUDE.sub(rewrite, file.read_text(encoding="latin-1"))
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(text, encoding="latin-1")
        return made

    def write(self) -> None:
        files = [WORKER / self.told["component"], *(self.root / source for source in self.told["sources"])]
        for file in files:
            copied = self.copy(file)
            self.write_wrapper(file.stem if file != files[0] else f"component_{file.stem}", copied)
        self.write_prelude()

    def write_wrapper(self, stem: str, copied: Path) -> None:
        text = f'// Made by assemble.py.\n#include "prelude.h"\n\n#include "{relative(copied, self.folder / "x")}"\n'
        (self.folder / f"{stem}.c").write_text(text)

    def write_prelude(self, names: list | None = None) -> None:
        lines = ["// Made by assemble.py: the library's macros, and names that no other library has.",
                 f"#define CIPHERMETER_LIBRARY {self.symbol}"]  # fmt: skip
        for name, value in self.defines.items():
            if name == "MBEDTLS_CONFIG_FILE":
                config = self.copy(self.find(value.strip('"'), None))
                # Found from any file, because the folder's name is ours alone. The system's own is taken back.
                value = f'"{relative(config, self.folder.parent / "x")}"'
                lines.append(f"#undef {name}")
            lines.append(f"#define {name} {value if value is not None else 1}")
        lines += [f"#define {name} cm_{self.symbol}_{name}" for name in names or []]
        (self.folder / "prelude.h").write_text("\n".join(lines) + "\n")

    def rename(self) -> None:
        """Asks the compiler of this machine which names are global. Those of the core's interface stay."""
        keep = {self.symbol, "hash_begin", "hash_add", "hash_end"}
        found = set()
        with tempfile.TemporaryDirectory() as scratch:
            for source in sorted(self.folder.glob("*.c")):
                made = Path(scratch) / "none.o"
                compile_here(source, made)
                listed = output(["nm", "--defined-only", "--extern-only", "--format=posix", str(made)])
                found |= {line.split()[0] for line in listed.splitlines()}
        self.write_prelude(sorted(found - keep))


def relative(file: Path, user: Path) -> str:
    """How `user` includes `file`."""
    return Path(os.path.relpath(file, user.parent)).as_posix()


def output(command: list) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise CannotBuild(f"{' '.join(command)}\n{done.stderr.strip()}")
    return done.stdout


def compile_here(source: Path, made: Path) -> None:
    # -I src as the Arduino builder and ESP-IDF give it. 32-bit code is not needed to see names.
    output(["gcc", "-std=gnu11", "-w", "-I", str(source.parent.parent), "-c", str(source), "-o", str(made)])


def copy_worker(source_folder: Path) -> None:
    """The core and what boards share, in one folder, in which they find each other."""
    folder = source_folder / "cm_worker"
    folder.mkdir()
    skipped = {"main.c"}
    kept = [*(WORKER / "core").glob("*.[ch]"), *(HERE / "common").glob("*.[ch]"), *(HERE / "esp32").glob("*.[ch]")]
    boards = [HERE / "arduino/board_arduino.cpp", HERE / "esp-idf/board_idf.c", HERE / "esp-idf/network_idf.c"]
    for file in [*kept, *boards]:
        if file.name not in skipped:
            shutil.copy(file, folder)
    (folder / "Ciphermeter.h").rename(source_folder / "Ciphermeter.h")
    shutil.copy(WORKER / "components/mbedtls.c", folder / "mbedtls_component.h")


def write_table(source_folder: Path) -> None:
    symbols = [*(name.replace("-", "_") for name in LIBRARIES if name != "hash"), SYSTEM]
    lines = ["// Made by assemble.py: what this worker contains.", '#include "component.h"', ""]
    lines += [f"extern const struct component {symbol};" for symbol in symbols]
    lines += ["static const struct component *const components[] = {", *(f"    &{symbol}," for symbol in symbols), "};"]
    lines += ["const struct table table = {components, sizeof components / sizeof *components, 0, 0};"]
    (source_folder / "cm_worker/table.c").write_text("\n".join(lines) + "\n")


def write_framework(kind: str, folder: Path) -> None:
    if kind == "arduino":
        shutil.copy(HERE / "arduino/library.properties", folder)
        example = folder / "examples/Ciphermeter"
        example.mkdir(parents=True)
        shutil.copy(HERE / "arduino/Ciphermeter.ino", example)
    else:
        for name in ("CMakeLists.txt", "idf_component.yml", "Kconfig"):
            shutil.copy(HERE / "esp-idf" / name, folder)


def main(kind: str, folder: Path) -> None:
    # Only what this program made is ever removed.
    mark = folder / "src/Ciphermeter.h"
    if folder.exists() and any(folder.iterdir()) and not mark.exists():
        raise CannotBuild(f"{folder} holds something else; name another folder")
    shutil.rmtree(folder, ignore_errors=True)
    source_folder = folder.resolve() / "src"
    source_folder.mkdir(parents=True)
    copy_worker(source_folder)
    write_table(source_folder)
    for name in LIBRARIES:
        library = Library(name, source_folder)
        library.write()
        library.rename()
    write_framework(kind, folder)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("arduino", "esp-idf"):
        sys.exit("usage: assemble.py arduino|esp-idf FOLDER")
    try:
        main(sys.argv[1], Path(sys.argv[2]))
    except CannotBuild as why:
        sys.exit(f"assemble.py: {why}")
