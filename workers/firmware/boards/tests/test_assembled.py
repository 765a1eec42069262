"""The sources of the Arduino library and the ESP-IDF component: syntax against stubs, and all of it as a program of
this machine, whose board stubs/host.c plays."""

import functools
import html.parser
import re
from pathlib import Path

from shared import BOARDS, FIRMWARE, OUT, Skip, Worker, equal, program, run, worker

from test_client import iteration, sha, stream, vectors

COMMON = BOARDS / "common"
LIBRARIES = {"mbedtls-3", "monocypher", "bearssl", "wolfssl"}


@functools.cache
def checked() -> str:
    return run(["sh", BOARDS / "check.sh", OUT])


@functools.cache
def assembled(chip: str = "ESP32") -> Path:
    checked()
    source = OUT / "arduino/src"
    # BearSSL reads words wherever they lie on a machine that can.
    flags = [
        "-w",
        "-fno-sanitize=alignment",
        "-DESP_PLATFORM",
        f"-DSTUB_{chip}",
        "-I",
        BOARDS / "stubs/common",
        "-I",
        source,
    ]
    return program(f"assembled-{chip}", [*source.glob("*/*.c"), BOARDS / "stubs/host.c"], *flags, "-I",
                   source / "cm_worker", "-DARDUINO=10819")  # fmt: skip


def test_sources_have_the_right_syntax_against_stubs() -> None:
    count = int(re.match(r"(\d+) sources syntax-checked against stubs, never compiled", checked().splitlines()[-1])[1])
    assert count > 150, count


def test_meter_and_page_do_what_they_promise() -> None:
    made = program("common", [BOARDS / "tests/common.c", COMMON / "meter.c", COMMON / "page.c"], "-Wall", "-Wextra",
                   "-Werror", "-I", COMMON, "-I", FIRMWARE / "core")  # fmt: skip
    lines = run([made]).splitlines()
    assert len(lines) == 16 and all(line.startswith("ok ") for line in lines), lines


class Page(html.parser.HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.text, self.rows = [], [], "", []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list) -> None:
        self.tags.append(tag)
        self.attributes += attributes
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.tags[-1] == "td" and self.rows[-1]:
            self.rows[-1][-1] += data


def test_page_escapes_what_it_shows_and_asks_nothing_of_others() -> None:
    test_meter_and_page_do_what_they_promise()
    page = Page(run([OUT / "common", "page"]))
    assert "script" not in page.tags and not {name for name, _ in page.attributes} & {"src", "href", "onload"}
    assert 'a <board> & "more"' in page.text
    equal(len(page.rows), 1 + 24, "rows: the columns' names, and the latest 24 cells")
    latest = [row for row in page.rows if row and "open" in row]
    # Names are cut to what a row has room for. 2 ms and 6 uC in 4 iterations.
    equal(latest, [["<script>alert('x')</script>"[:23], "aes-256-gcm", "open", "a&b", "16", "500.00", "1.50"]],
          "the row of a cell is its latest sample")  # fmt: skip


def test_assembled_worker_offers_what_it_has() -> None:
    with worker(assembled(), "") as device:
        first, *rest, end = device.describe()
    equal((first["is"], end["is"], first["board"], first["clock_hz"], first["code_in"], first["current_meter"]),
          ("worker", "end", "esp32, Arduino", 240_000_000, "flash", "INA219"), "the first line")  # fmt: skip
    equal({line["provider"] for line in rest if line["is"] == "offer"}, LIBRARIES, "providers")
    absent = {(line["provider"], line["why"]) for line in rest if line["is"] == "absent"}
    assert {name for name, _ in absent} == {"mbedtls-hw"} and all("known answer" in why for _, why in absent), absent


def test_assembled_worker_answers_vectors() -> None:
    answered = set()
    with worker(assembled(), "") as device:
        for offer in device.offers():
            try:
                found = vectors(offer["algorithm"])
            except Skip:  # of Ascon, before the project has them; the known answers have been given
                continue
            answered.add(offer["algorithm"])
            short = [vector for vector in found if len(vector[4]) + len(vector[3]) < 2000]
            assert len(short) > 30, offer
            for vector in short:
                check_vector(device, offer, vector)
    aes = {f"aes-{bits}-{mode}" for bits in (128, 256) for mode in ("gcm", "ccm")}
    assert aes | {"chacha20-poly1305", "xchacha20-poly1305"} <= answered, answered


def check_vector(device: Worker, offer: dict, vector: tuple) -> None:
    name, key, nonce, aad, message, sealed, valid = vector
    keys = {"provider": offer["provider"], "algorithm": offer["algorithm"], "key": key.hex(), "nonce": nonce.hex(),
            "aad": aad.hex()}  # fmt: skip
    opened = device.ask("check", operation="open", input=sealed.hex(), **keys)
    equal(opened, {"is": "output", "output": message.hex()} if valid else {"is": "rejected"}, (name, keys))
    if valid:
        made = device.ask("check", operation="seal", input=message.hex(), **keys)
        equal(made, {"is": "output", "output": sealed.hex()}, (name, keys))


def test_boards_add_cycles_charge_heap_and_network() -> None:
    with worker(assembled(), "monocypher") as device:
        device.describe()
        cell = device.cell(algorithm="chacha20-poly1305", form="into")
        short = device.need("sample", "sample", cell=cell, warmup_ns=0, iterations=10)
        assert short["ns"] > 0 and abs(short["cycles"] - short["ns"] * 0.24) < 1000, short
        assert "charge_nc" not in short and short["stack_bytes"] is None, short
        per_call = max(short["ns"] // 10, 200)
        long = device.need("sample", "sample", cell=cell, warmup_ns=0, iterations=250_000_000 // per_call)
        assert long["ns"] > 90_000_000, "too few iterations for the meter's window"
        # 250 mA; a microampere second is 1000 nC.
        equal((round(long["charge_nc"] / long["ns"], 4), long["voltage_uv"], long["current_samples"]),
              (0.25, 5_000_000, 128), "charge")  # fmt: skip
        idle = device.need("current", "current")
        equal((round(idle["charge_nc"] / idle["ns"], 4), idle["voltage_uv"]), (0.25, 5_000_000), "at rest")
        memory = device.ask("memory", reset=1)
        equal([memory[key] for key in ("heap", "peak_heap", "heap_free", "heap_least_free", "stack", "rss")],
              [100_000, 150_000, 200_000, 150_000, 15_384, None], "memory")  # fmt: skip
        equal(device.ask("network", name="a network", password="a password"),
              {"is": "network", "address": "192.0.2.7"}, "network")  # fmt: skip
        equal(device.ask("network", name="another")["is"], "error", "a network that refuses")
        equal(device.ask("network")["is"], "error", "no name")
        check_digest(device, cell, long["last"])


def check_digest(device: Worker, cell: int, last: int) -> None:
    """What the timed calls left is what another library makes."""
    expected = iteration("chacha20-poly1305", last, stream("message", 64), 0)
    digest = device.need("digest", "digest", cell=cell, first=11, iteration=last)
    equal(digest["sha256"], sha(expected), "digest")


def test_board_without_a_meter_says_nothing_of_charge() -> None:
    runner = OUT / "no-meter"
    runner.write_text(f"#!/bin/sh\nNO_METER=1 exec {assembled()}\n")
    runner.chmod(0o755)
    with worker(runner, "bearssl") as device:
        assert "current_meter" not in device.describe()[0]
        equal(device.ask("current")["is"], "unsupported", "the current at rest")
        cell = device.cell(algorithm="aes-128-gcm", form="in-place")
        sample = device.need("sample", "sample", cell=cell, warmup_ns=0, iterations=100_000)
        assert sample["ns"] > 90_000_000 and not {"charge_nc", "voltage_uv", "current_samples"} & set(sample), sample


def test_path_says_how_blocks_reach_the_accelerator() -> None:
    checked()
    source = OUT / "arduino/src/cm_worker/mbedtls_hw.c"
    for flags, text in (
        (["-DSTUB_ESP32"], "esp32-aes-block"),
        (["-DSTUB_ESP32C3"], "esp32c3-aes-dma-128"),
        (["-DSTUB_ESP32", "-DSTUB_WITHOUT_AES"], "this ESP-IDF is configured without CONFIG_MBEDTLS_HARDWARE_AES"),
    ):
        made = OUT / "mbedtls_hw.o"
        run(["gcc", "-I", BOARDS / "stubs/common", *flags, "-c", source, "-o", made])
        assert text.encode() + b"\0" in made.read_bytes(), text


def test_libraries_share_no_name() -> None:
    checked()
    seen: dict = {}
    for folder in sorted((OUT / "arduino/src").glob("cm_*")):
        if folder.name == "cm_worker":
            continue
        objects = []
        for source in folder.glob("*.c"):
            objects.append(OUT / "names.o")
            run(["gcc", "-w", "-I", folder.parent, "-c", source, "-o", objects[-1]])
            for line in run(["nm", "--defined-only", "--extern-only", "--format=posix", objects[-1]]).splitlines():
                name = line.split()[0]
                assert seen.setdefault(name, folder) == folder, f"{name} is in {folder.name} and {seen[name].name}"
                assert not name.startswith(("mbedtls_gcm", "mbedtls_aes", "wc_", "br_", "crypto_")), name
    assert len(seen) > 100, len(seen)


def test_another_folder_is_never_overwritten() -> None:
    folder = OUT / "somebody's"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "thesis.txt").write_text("mine")
    try:
        run(["python3", BOARDS / "assemble.py", "arduino", folder])
    except AssertionError as why:
        assert "holds something else" in str(why), why
    else:
        raise AssertionError("it was overwritten")
    equal((folder / "thesis.txt").read_text(), "mine", "the file")
