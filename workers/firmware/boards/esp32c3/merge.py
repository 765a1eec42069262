"""Joins boot loader, partition table and app into one file that is flashed at 0: `python3 merge.py FOLDER`, by
esptool's own Python. The boot loader is Espressif's, as the crate espflash ships it; the table is the least that it
needs.
"""

import hashlib
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLE_AT, APP_AT, FLASH = 0x8000, 0x10000, 4 << 20

# Name, type, subtype, offset, size: what the boot loader, and a later use of the board, expects.
PARTITIONS = [
    ("nvs", 1, 2, 0x9000, 0x6000),
    ("phy_init", 1, 1, 0xF000, 0x1000),
    ("factory", 0, 0, APP_AT, 0x200000),
]


def table() -> bytes:
    """A partition table in ESP-IDF's format: 32 bytes each, an MD5 over them, padded to 3072 bytes."""
    rows = b"".join(
        struct.pack("<2sBBII16sI", b"\xaa\x50", kind, sub, offset, size, name.encode(), 0)
        for name, kind, sub, offset, size in PARTITIONS
    )
    summed = rows + b"\xeb\xeb" + b"\xff" * 14 + hashlib.md5(rows).digest()
    return summed.ljust(0xC00, b"\xff")


def bootloader() -> Path:
    manifest = HERE / "bootloader/Cargo.toml"
    command = [os.environ.get("CARGO", "cargo"), "metadata", "--locked", "--format-version", "1",
               "--filter-platform", "x86_64-unknown-linux-gnu", "--manifest-path", str(manifest)]  # fmt: skip
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    package = next(package for package in json.loads(done.stdout)["packages"] if package["name"] == "espflash")
    return Path(package["manifest_path"]).parent / "resources/bootloaders/esp32c3-bootloader.bin"


def main(folder: Path) -> None:
    app = folder / "app.bin"
    if app.stat().st_size > PARTITIONS[-1][4]:
        sys.exit(f"merge.py: {app.stat().st_size} bytes do not fit into the app's partition; make it larger")
    (folder / "partitions.bin").write_bytes(table())
    parts = ["0x0", bootloader(), hex(TABLE_AT), folder / "partitions.bin", hex(APP_AT), app]
    options = ["--flash-mode", "dio", "--flash-freq", "80m", "--flash-size", "4MB", "-o", folder / "merged.bin"]
    command = [sys.executable, "-m", "esptool", "--chip", "esp32c3", "merge-bin", *options, *parts]
    subprocess.run([str(word) for word in command], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
