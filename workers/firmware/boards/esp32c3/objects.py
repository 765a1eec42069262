"""Compiles the C code of the ESP32-C3's image with the machinery of ../../build.py: `python3 objects.py [ram]`, into
build/esp32c3-flash or -ram/libfirmware.a of the worker's folder. `ram`: the image that the archive is for runs its C
code from RAM.

Unlike an emulated image, this one holds all providers. Each becomes one relocatable object whose only global name is
the component's, so that libraries with the same names, as the two series of Mbed TLS, do not meet.
"""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))

from compilers import WARNINGS, Target  # noqa: E402 # two folders up
from libraries import Library, library  # noqa: E402
from paths import TARGETS, CannotBuild, run, write_changed  # noqa: E402

OWN = "esp_aes"  # its other half is Rust
PREFIX = "riscv64-unknown-elf-"
SHA256 = ["hash_begin", "hash_add", "hash_end"]


def target(placement: str) -> Target:
    name = f"esp32c3-{placement}"
    told = tomllib.loads((HERE / "target.toml").read_text())
    told["defines"]["CODE_IN"] = placement
    told["defines"]["ESP_AES_VERSION"] = "aes-gcm {aes-gcm}, esp-hal {esp-hal}".format_map(locked())
    TARGETS[name] = told
    made = Target(name)
    made.write_header()
    return made


def locked() -> dict:
    """The versions of Cargo.lock."""
    packages = tomllib.loads((HERE / "Cargo.lock").read_text())["package"]
    return {package["name"]: package["version"] for package in packages}


def join(one: Library, keep: list) -> Path:
    """A library as one object, whose only global names are those to keep."""
    made = one.target.objects / f"{one.symbol}.o"
    parts = [without_builtins(part) if part.suffix == ".a" else part for part in one.linked()]
    wanted = [f"--undefined={symbol}" for symbol in keep]
    run([f"{PREFIX}ld", "-m", "elf32lriscv", "-r", *wanted, "-o", made, *parts])
    run([f"{PREFIX}objcopy", *(f"--keep-global-symbol={symbol}" for symbol in keep), made])
    return made


def without_builtins(archive: Path) -> Path:
    """A library in Rust without the compiler's run-time library, so that all of the image has the same one."""
    made = archive.with_name(f"own-{archive.name}")
    shutil.copy(archive, made)
    listed = subprocess.run([f"{PREFIX}ar", "t", made], check=True, capture_output=True, text=True).stdout.split()
    run([f"{PREFIX}ar", "d", made, *(name for name in listed if name.startswith("compiler_builtins"))])
    return made


def table(made: Target, providers: list) -> Path:
    symbols = [*(provider.symbol for provider in providers), OWN]
    rows = [(provider.name, *row) for provider in providers for row in provider.footprints()]
    lines = ["// Made by objects.py: what this image contains.", '#include "component.h"', ""]
    lines += [f"extern const struct component {symbol};" for symbol in symbols]
    lines += ["static const struct component *const components[] = {"]
    lines += [f"    &{symbol}," for symbol in symbols]
    lines += ["};", "static const struct footprint footprints[] = {"]
    lines += [f'    {{"{name}", "{algorithm}", {code}, {ram}}},' for name, algorithm, code, ram in rows]
    lines += ["};", "const struct table table = {"]
    lines += [
        "    components, sizeof components / sizeof *components, footprints, sizeof footprints / sizeof *footprints};"
    ]
    source = made.objects / "table.c"
    write_changed(source, "\n".join(lines) + "\n")
    return made.compile(source, "table", WARNINGS)


def main(placement: str) -> None:
    made = target(placement)
    missing = made.missing()
    if missing:
        raise CannotBuild(missing)
    providers = [library(name, made) for name in made.told["providers"]]
    # esp-hal brings main.
    parts = [part for part in made.worker(planted=False) if part.name != "main.o"]
    parts.append(join(library("hash", made), SHA256))
    parts += [join(provider, [provider.symbol]) for provider in providers]
    parts.append(table(made, providers))
    archive = made.folder / "libfirmware.a"
    archive.unlink(missing_ok=True)
    run([f"{PREFIX}ar", "rcs", archive, *parts])
    print(archive)


if __name__ == "__main__":
    try:
        main("ram" if sys.argv[1:] == ["ram"] else "flash")
    except CannotBuild as why:
        sys.exit(f"objects.py: {why}")
