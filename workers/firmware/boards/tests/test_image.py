"""The ESP32-C3's images, as far as that goes without a chip: esptool finds nothing wrong with them, everything lies
where it should, and the archive that they link runs on an emulated core with the same instruction set."""

import hashlib
import itertools
import re
import struct
import subprocess
from pathlib import Path

from shared import BOARDS, BUILD, FIRMWARE, OUT, Skip, equal, run, worker

NM = "riscv64-unknown-elf-nm"
PLACEMENTS = "flash", "ram"
# From the chip's manual: what the caches map from flash, and the RAM as code and as data.
FLASH_CODE, FLASH_DATA = range(0x42000000, 0x42800000), range(0x3C000000, 0x3C800000)
RAM_CODE, RAM_DATA = range(0x4037C000, 0x403E0000), range(0x3FC80000, 0x3FCE0000)
MAPPED = (FLASH_CODE, FLASH_DATA, RAM_CODE, RAM_DATA)


def folder(placement: str) -> Path:
    made = BUILD / f"esp32c3-{placement}"
    if not (made / "merged.bin").exists():
        raise Skip(f"no image; build it first: sh boards/esp32c3/image.sh {placement}")
    return made


def told(file: Path) -> str:
    """What esptool says of an image; it fails if one cannot be read."""
    return run([BUILD / "esptool/bin/esptool", "image-info", file])


def symbols(placement: str) -> dict:
    listed = run([NM, folder(placement) / "app.elf"])
    return {name: int(place, 16) for place, _, name in map(str.split, listed.splitlines())}


def test_esptool_finds_the_images_whole() -> None:
    for placement in PLACEMENTS:
        text = told(folder(placement) / "app.bin")
        for pattern in (r"Detected image type: ESP32-C3", r"Chip ID: 5 \(ESP32-C3\)", r"Checksum: 0x\w\w \(valid\)",
                        r"Validation hash: \w{64} \(valid\)", r"Project name: ciphermeter-esp32c3"):  # fmt: skip
            assert re.search(pattern, text), (pattern, text)
        assert "invalid" not in text, text


def test_esptool_finds_a_flipped_byte() -> None:
    image = bytearray((folder("flash") / "app.bin").read_bytes())
    image[len(image) // 2] ^= 1
    OUT.mkdir(exist_ok=True)
    (OUT / "flipped.bin").write_bytes(image)
    assert "invalid" in told(OUT / "flipped.bin")


def segments(image: bytes) -> list:
    """Address and content of each; the format is in esptool's documentation, "Firmware Image Format"."""
    magic, count = image[0], image[1]
    equal(magic, 0xE9, "magic byte")
    found, at = [], 24
    for _ in range(count):
        address, length = struct.unpack_from("<II", image, at)
        found.append((address, image[at + 8 : at + 8 + length]))
        at += 8 + length
    return found


def test_segments_lie_in_the_memory_of_the_chip() -> None:
    for placement in PLACEMENTS:
        image = (folder(placement) / "app.bin").read_bytes()
        found = [(address, content) for address, content in segments(image) if address != 0]  # 0: padding
        for address, content in found:
            assert any(address in memory and address + len(content) - 1 in memory for memory in MAPPED), hex(address)
        entry = struct.unpack_from("<I", image, 4)[0]
        equal(entry, symbols(placement)["_start"], "entry point")
        assert any(address <= entry < address + len(content) for address, content in found), hex(entry)
        # The boot loader reads the descriptor at the beginning of the data in flash.
        descriptor = next(content for address, content in found if address in FLASH_DATA)
        equal(struct.unpack_from("<I", descriptor)[0], 0xABCD5432, "the descriptor's magic")


def test_c_code_lies_where_the_record_says() -> None:
    for placement, code, constants in ("flash", FLASH_CODE, FLASH_DATA), ("ram", RAM_CODE, RAM_DATA):
        found = symbols(placement)
        for name in ("worker_run", "work_run", "seal_gcm", "mbedtls_gcm_update", "br_gcm_run"):
            assert found[name] in code, (placement, name, hex(found[name]))
        for name in ("table", "algorithms"):
            assert found[name] in constants, (placement, name, hex(found[name]))
        header = (folder(placement) / "target.h").read_text()
        assert f'#define CODE_IN "{placement}"' in header, header


def test_memory_functions_are_those_of_the_chip() -> None:
    rom = range(0x40000000, 0x40060000)
    for placement in PLACEMENTS:
        found = symbols(placement)
        for name in ("memcpy", "memset", "__udivdi3", "__muldi3"):
            assert found[name] in rom, (placement, name, hex(found[name]))


def test_stack_has_room() -> None:
    for placement in PLACEMENTS:
        found = symbols(placement)
        left = found["_stack_start"] - found["_stack_end"]
        # What the core paints, and as much again.
        assert left >= 2 * 16384, (placement, left)


def partitions(table: bytes) -> dict:
    rows = {}
    for at in range(0, len(table), 32):
        row = table[at : at + 32]
        if row[:2] == b"\xeb\xeb":
            equal(row[16:], hashlib.md5(table[:at]).digest(), "the table's sum")
            return rows
        magic, kind, sub, offset, size, name, _ = struct.unpack("<2sBBII16sI", row)
        equal(magic, b"\xaa\x50", "a row's magic")
        rows[name.rstrip(b"\0").decode()] = (kind, sub, offset, size)
    raise AssertionError("the table has no sum")


def test_merged_image_has_boot_loader_table_and_app() -> None:
    for placement in PLACEMENTS:
        merged = (folder(placement) / "merged.bin").read_bytes()
        app = (folder(placement) / "app.bin").read_bytes()
        rows = partitions(merged[0x8000:0x8C00])
        kind, sub, offset, size = rows["factory"]
        equal((kind, sub, merged[offset : offset + len(app)]), (0, 0, app), "the app in its partition")
        assert len(app) <= size and offset % 0x10000 == 0
        bounds = sorted((start, start + length) for _, _, start, length in rows.values())
        assert all(one[1] <= other[0] for one, other in itertools.pairwise(bounds)), bounds
        boot = OUT / "boot.bin"
        OUT.mkdir(exist_ok=True)
        boot.write_bytes(merged[:0x8000])
        text = told(boot)
        assert "(valid)" in text and "invalid" not in text and "Bootloader Information" in text, text


def emulated(placement: str) -> Path:
    """A program for QEMU of the image's own archive, the emulated target's port, and a stand-in for the Rust half."""
    archive, port = folder(placement) / "libfirmware.a", FIRMWARE / "ports/rv32imc"
    if not port.exists():
        raise Skip("the emulated target's port, ports/rv32imc, is not here")
    try:
        run(["qemu-system-riscv32", "--version"])
    except FileNotFoundError:
        raise Skip("qemu-system-riscv32 is missing; install qemu-system-misc") from None
    made = OUT / f"emulated-{placement}.elf"
    OUT.mkdir(exist_ok=True)
    sources = [*port.glob("*.S"), *port.glob("*.c"), FIRMWARE / "ports/semihosting/semihosting.c",
               BOARDS / "tests/emulated.c", FIRMWARE / "core/main.c"]  # fmt: skip
    run(["riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32", "-misa-spec=2.2", "-idirafter",
         "/usr/include/newlib", "-O2", "-nostdlib", "-nostartfiles", "-Wl,--gc-sections,--allow-multiple-definition",
         "-T", port / "link.ld", "-I", FIRMWARE / "core", "-I", BOARDS / "common", "-I", folder(placement), *sources,
         archive, "-lgcc", "-o", made])  # fmt: skip
    runner = made.with_suffix(".sh")
    runner.write_text(
        "#!/bin/sh\nexec qemu-system-riscv32 -M virt -m 8 -bios none -nodefaults -display none -serial none "
        f"-semihosting-config enable=on,target=native -icount shift=0,sleep=off -kernel {made}\n"
    )
    runner.chmod(0o755)
    return runner


def test_archive_of_the_image_answers_right_on_an_emulated_core() -> None:
    for placement in PLACEMENTS:
        with worker(emulated(placement), "") as device:
            _, *rest, _ = device.describe()
        providers = {line["provider"] for line in rest if line["is"] == "offer"}
        equal(
            providers, {"mbedtls-3", "mbedtls-2", "monocypher", "bearssl", "rustcrypto"}, "providers that answer right"
        )
        absent = {line["provider"] for line in rest if line["is"] == "absent"}
        equal(absent, {"esp-aes"}, "what needs the chip")
        algorithms = {line["algorithm"] for line in rest if line["is"] == "offer"}
        assert "ascon-aead128" in algorithms and len(rest) >= 17, rest


def test_wrong_arguments_are_refused() -> None:
    done = subprocess.run(["sh", BOARDS / "esp32c3/image.sh", "rom"], capture_output=True, text=True)
    equal((done.returncode, done.stderr), (2, "usage: image.sh [flash|ram]\n"), "usage")
