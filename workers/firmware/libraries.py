"""The libraries of providers.toml: what of them is linked into an image, and what each algorithm takes."""

import os
import shutil
import subprocess
from pathlib import Path

import footprint
from compilers import WARNINGS, Target
from paths import HERE, PROVIDERS, run
from sources import folders


def library(name: str, target: Target) -> "Library":
    kind = RustLibrary if "manifest" in PROVIDERS[name] else CLibrary
    return kind(name, target)


class Library:
    """One library for one target."""

    def __init__(self, name: str, target: Target) -> None:
        self.name, self.target, self.told = name, target, PROVIDERS[name]
        self.symbol = name.replace("-", "_").replace(".", "_")

    def missing(self) -> str | None:
        """What is missing to build it, or None."""
        return None

    def footprints(self) -> list:
        """Algorithm, bytes of flash, bytes of RAM, for each algorithm."""
        if not self.target.told["footprint"]:
            return []
        return [(algorithm, *self.probe(algorithm)) for algorithm in self.told["algorithms"]]

    def probe(self, algorithm: str) -> tuple:
        """Links what one algorithm's offer reaches, and measures that; see footprint.py."""
        symbol = f"{self.symbol}_{algorithm.replace('-', '_')}"
        name = self.target.objects / self.name / f"probe-{algorithm}"
        name.parent.mkdir(parents=True, exist_ok=True)
        link = [*self.target.compiler, "-nostartfiles", "-nostdlib", "-Wl,--gc-sections", f"-Wl,--entry={symbol}",
                f"-Wl,--undefined={symbol}", f"-Wl,-Map={name}.map", "-o", f"{name}.elf"]  # fmt: skip
        run([*link, *self.linked(), *self.target.run_time(), *self.target.told["libraries"]])
        return footprint.of_library(Path(f"{name}.map").read_text(), self.prefix(), self.target.told)


class CLibrary(Library):
    """A library in C, whose sources come from a crate or lie in a folder."""

    def __init__(self, name: str, target: Target) -> None:
        super().__init__(name, target)
        crate = self.told.get("crate")
        self.root = Path(folders()[crate] if crate else HERE) / self.told["folder"]

    def flags(self) -> list:
        own = self.target.told.get("flags", {}).get(self.name, [])
        includes = [word for folder in self.told["include"] for word in ("-isystem", self.root / folder)]
        return [*self.told["flags"], *own, "-I", HERE / "components", *includes]

    def prefix(self) -> str:
        return str(self.target.objects / self.name / "library")

    def component(self) -> Path:
        return self.target.compile(HERE / self.told["component"], self.name, [*WARNINGS, *self.flags()])

    def linked(self, *others: Library) -> list:
        """The component and the library's objects, without those that others have already."""
        known = {other.root / source for other in others if isinstance(other, CLibrary)
                 for source in other.told["sources"]}  # fmt: skip
        sources = [self.root / source for source in self.told["sources"] if self.root / source not in known]
        # Warnings of other people's code are theirs.
        objects = self.target.compile_all(sources, f"{self.name}/library", [*self.flags(), "-w"])
        return [self.component(), *objects]


class RustLibrary(Library):
    """A library in Rust, which Cargo makes a static library of. Component and library are one there."""

    def missing(self) -> str | None:
        if rust_with_sources():
            return None
        return "no Rust compiler with its library's sources is here; install rustc-web, cargo-web and rust-web-src"

    def prefix(self) -> str:
        return str(self.archive())

    def archive(self) -> Path:
        return self.target.objects / self.name / f"lib{self.symbol}.a"

    def linked(self, *_: Library) -> list:
        compiler = rust_with_sources()
        triple = self.target.told["rust"]
        # No place in the source: the lengths of paths would be in the sizes.
        flags = " ".join(["-Zlocation-detail=none", *self.target.told.get("rust_flags", [])])
        environment = {**os.environ, "RUSTC": compiler, "RUSTC_BOOTSTRAP": "1", "RUSTFLAGS": flags}
        environment.pop("RUSTUP_TOOLCHAIN", None)
        folder = HERE / "build/rust"
        cargo = [Path(compiler).with_name("cargo"), "build", "--release", "--locked", "-Zbuild-std=core"]
        where = ["--target", triple, "--manifest-path", HERE / self.told["manifest"], "--target-dir", folder]
        run([*cargo, *where], env=environment)
        made = folder / triple / "release" / f"lib{self.symbol}.a"
        if not self.archive().exists() or self.archive().stat().st_mtime < made.stat().st_mtime:
            self.archive().parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(made, self.archive())
            # What the target's linker cannot read is taken out.
            if "rust_objcopy" in self.target.told:
                run([*self.target.told["rust_objcopy"], self.archive()])
            if "rust_ar" in self.target.told:
                self.take_out("compiler_builtins", self.target.told["rust_ar"])
        return [self.archive()]

    def take_out(self, crate: str, ar: str) -> None:
        listed = subprocess.run([ar, "t", self.archive()], capture_output=True, text=True, check=True).stdout
        run([ar, "d", self.archive(), *(name for name in listed.splitlines() if name.startswith(crate))])


def rust_with_sources() -> str | None:
    """A Rust compiler whose own library's sources are installed, so that it can be built for any target."""
    for compiler in (shutil.which("rustc"), "/usr/bin/rustc"):
        if compiler and Path(compiler).exists():
            asked = subprocess.run([compiler, "--print", "sysroot"], capture_output=True, text=True)
            if (Path(asked.stdout.strip()) / "lib/rustlib/src/rust/library/core").is_dir():
                return compiler
    return None
