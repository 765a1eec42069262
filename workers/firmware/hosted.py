"""Tests that need the worker as a Linux program: with sanitizers, with random lines, with libraries that are wrong."""

import json
import random
import subprocess
import tomllib
from pathlib import Path

import build
import golden
from compilers import WARNINGS, Target
from libraries import library
from paths import HERE, TARGETS, CannotBuild
from test_client import SEED, Image, Skip, Worker, equal

SANITIZERS = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# The largest line and message that a device would have: what is beyond them must be refused there, too.
SMALL = {"MAX_LINE": 700, "MAX_MESSAGE": 192, "MAX_CELLS": 5, "MAX_LATENCY": 9}
LINES = 20000
REQUESTS = ["check", "prepare", "prepare", "sample", "sample", "digest", "release", "clock", "memory", "latency",
            "describe", "dance"]  # fmt: skip


class Built(Image):
    """The worker with another table and with sanitizers."""

    def __init__(self, name: str, defines: dict, table: Path | None) -> None:
        super().__init__("hosted", "mbedtls-3")
        target = Target("hosted")
        if missing := target.missing():
            raise Skip(missing)
        target.folder = HERE / "build" / f"hosted-{name}"
        target.objects = target.folder / "obj"
        target.told = {**target.told, "defines": {**target.told["defines"], **defines}}
        target.compiler = [*target.compiler, *SANITIZERS]
        target.write_header()
        provider, sha256 = library("mbedtls-3", target), library("hash", target)
        made = target.compile(table, "tests", WARNINGS) if table else build.write_table(provider)
        objects = [*target.worker(False), made, *sha256.linked(provider), *provider.linked()]
        try:
            build.link(target, name, objects)
        except CannotBuild as why:
            raise Skip(f"the build with sanitizers failed: {str(why).splitlines()[-1]}") from None
        self.told, self.runner = target.told, target.folder / name
        self.max_line = target.told["defines"]["MAX_LINE"]
        self.max_message = target.told["defines"]["MAX_MESSAGE"]


def test_random_lines() -> None:
    """Requests, shuffled, cut, doubled and with wrong bytes: each line that is not blank gets one answer."""
    image, dice = Built("small", SMALL, None), random.Random(SEED)
    lines = [mutated(request(dice), dice) for _ in range(LINES)]
    process = subprocess.run([str(image.runner)], input=b"\n".join(lines) + b"\n", capture_output=True, timeout=300)
    equal(process.returncode, 0, process.stderr[-500:])
    answers = [json.loads(line) for line in process.stdout.splitlines()]
    expected = sum(1 for line in lines for part in line.split(b"\n") if part.strip(b" \t\r"))
    # A list has more lines than one.
    answered = len([answer for answer in answers if answer["is"] not in ("offer", "absent", "end")])
    equal(answered, expected, "one answer each")
    kinds = {answer["is"] for answer in answers}
    wanted = {"worker", "output", "rejected", "unsupported", "error", "ready", "sample", "digest", "clock", "memory"}
    equal(wanted - kinds, set(), "kinds of answers")
    equal(max(map(len, process.stdout.splitlines())) < image.max_line, True, "the longest answer")


def request(dice: random.Random) -> bytes:
    hexes = {length: bytes(length).hex() for length in (0, 1, 12, 16, 32, 33, 60, 200)}
    keys = {
        "do": dice.choice(REQUESTS),
        "provider": dice.choice(["mbedtls-3"] * 9 + ["other"]),
        "algorithm": dice.choice(["aes-128-gcm", "aes-256-gcm", "chacha20-poly1305", "rot13"]),
        "operation": dice.choice(["seal", "seal", "open", "key-setup", "encrypt"]),
        "form": dice.choice(["into", "in-place", None, "fresh"]),
        "key": hexes[dice.choice([16, 32, 32, 33])],
        "nonce": hexes[dice.choice([12, 12, 0])],
        "aad": dice.choice([hexes[dice.choice(list(hexes))], 13]),
        "input": hexes[dice.choice(list(hexes))],
        "cell": dice.choice([1, 2, 3, 4, 5, 6, 1 << 32]),
        "message": dice.choice([0, 1, 64, 192, 193, 1 << 53]),
        "seed": dice.choice([0, 42, (1 << 53) - 1]),
        "threads": dice.choice([1, 1, 1, None, 2]),
        "offset": dice.choice([0, 64, None, 5]),
        "warmup_ns": dice.choice([0, None, 1000]),
        "iterations": dice.choice([1, 2, 7, 0]),
        "iteration": dice.choice([0, 1, 9, 1 << 40]),
        "first": dice.choice([None, 1, 7]),
        "count": dice.choice([1, 9, 10, 4000]),
        "reset": dice.choice([0, 1, None, 2]),
    }
    chosen = dice.sample(sorted(keys), dice.randint(12, len(keys)))
    # A check carries its bytes as hex, the others numbers: both must fit into a line.
    if keys["do"] == "prepare":
        keys["aad"] = dice.choice([0, 13, 192, 193])
    return json.dumps({key: keys[key] for key in {*chosen, "do"}}, separators=(",", ":")).encode()


def mutated(line: bytes, dice: random.Random) -> bytes:
    kind, place = dice.randrange(10), dice.randrange(len(line))
    if kind == 0:
        return line[:place]
    if kind == 1:
        return line[:place] + bytes([dice.randrange(256)]) + line[place + 1 :]
    if kind == 2:
        return line[:place] + line[place // 2 :]
    if kind == 3:
        return line[:place] + dice.choice([b"\\u0000", b"\\", b"\xe9", b"[[", b"9" * 30, b"\r"]) + line[place:]
    return line


def test_wrong_libraries_are_not_offered() -> None:
    image = Built("broken", {}, HERE / "tests/broken.c")
    with Worker(image) as worker:
        found = worker.describe()
        absent = [
            (answer["provider"], answer.get("algorithm"), answer["why"]) for answer in found if answer["is"] == "absent"
        ]
        # The third answer is the first that is longer than 64 bytes.
        expected = [
            ("broken", "aes-128-gcm", "known answer 3 failed"),
            ("broken", "aes-256-gcm", "known answer 1 failed"),
            ("missing", None, 'the library "is" not here'),
        ]
        equal(absent, expected, "absent")
        offers = [(answer["provider"], answer["algorithm"]) for answer in found if answer["is"] == "offer"]
        right = [("mbedtls-3", name) for name in image.algorithms]
        equal(offers, [("broken", "chacha20-poly1305"), *right], "offers")
        keys = {"cell": 1, "operation": "seal", "form": "into", "message": 64, "seed": SEED}
        for provider in "broken", "missing":
            worker.need("unsupported", "prepare", provider=provider, algorithm="aes-256-gcm", **keys)
            checked = {"operation": "seal", "key": "00" * 32, "nonce": "00" * 12}
            worker.need("unsupported", "check", provider=provider, algorithm="aes-256-gcm", **checked)


def test_call_that_fails_is_an_error() -> None:
    image = Built("broken", {}, HERE / "tests/broken.c")
    keys = {"operation": "seal", "form": "into", "message": 64, "seed": SEED, "algorithm": "chacha20-poly1305"}
    with Worker(image) as worker:
        worker.need("ready", "prepare", cell=1, provider="broken", **keys)
        worker.need("sample", "sample", cell=1, iterations=90)
        why = worker.need("error", "sample", cell=1, iterations=20)["why"]
        equal("cell 1 failed" in why, True, why)
        worker.need("error", "digest", cell=1, iteration=5)
        worker.need("ready", "prepare", cell=2, provider="mbedtls-3", **keys)
        worker.need("sample", "sample", cell=2, iterations=200)


def test_readme_shows_golden_counts() -> None:
    text = golden.README.read_text()
    equal(
        text == golden.readme_with_table(text, golden.SHOWN),
        True,
        "the table; python3 test.py --write-golden writes it",
    )


def test_manifest_has_the_emulated_targets() -> None:
    manifest = tomllib.loads((HERE / "worker.toml").read_text())
    told = {device["name"]: (device["board"], device["providers"]) for device in manifest["device"]}
    emulated = {name: target for name, target in TARGETS.items() if target["defines"]["EMULATED"]}
    equal(
        told, {name: (target["defines"]["BOARD"], target["providers"]) for name, target in emulated.items()}, "devices"
    )


def tests() -> list:
    return [test for name, test in globals().items() if name.startswith("test_")]
