"""Where the libraries' sources lie: Cargo fetches the crates that ship them, and says where it put them.

The answer is kept in build/sources.json until a manifest or a lock file changes.
"""

import json
import subprocess
import threading
from pathlib import Path

from paths import HERE, CannotBuild

MANIFESTS = [HERE / "sources/Cargo.toml", HERE / "sources/mbedtls-2.28/Cargo.toml"]
KEPT = HERE / "build/sources.json"
# Targets are built at the same time, and the first that asks has Cargo fetch.
ASKING = threading.Lock()


def folders() -> dict:
    """The folder of each crate that a manifest names."""
    with ASKING:
        return ask()


def ask() -> dict:
    files = [*MANIFESTS, *(manifest.with_name("Cargo.lock") for manifest in MANIFESTS)]
    if KEPT.exists() and all(KEPT.stat().st_mtime > file.stat().st_mtime for file in files):
        kept = json.loads(KEPT.read_text())
        if all(Path(folder).is_dir() for folder in kept.values()):
            return kept
    found = {}
    for manifest in MANIFESTS:
        found.update(ask_cargo(manifest))
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps(found, indent=1))
    return found


def ask_cargo(manifest: Path) -> dict:
    # For one platform, or Cargo would fetch what these crates need on every other, too.
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", str(manifest),
               "--filter-platform", "x86_64-unknown-linux-gnu"]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise CannotBuild("cargo is missing, which fetches the libraries' sources; install Rust") from None
    if done.returncode != 0:
        raise CannotBuild(f"cannot fetch the libraries' sources: {done.stderr.strip()}")
    metadata = json.loads(done.stdout)
    root = next(package for package in metadata["packages"] if package["source"] is None)
    wanted = {dependency["name"] for dependency in root["dependencies"]}
    return {
        package["name"]: str(Path(package["manifest_path"]).parent)
        for package in metadata["packages"]
        if package["name"] in wanted
    }
