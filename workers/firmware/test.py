"""Tests of the firmware's images through their pipes: `python3 test.py [WORD ...]`, after `sh build.sh`; the last line
adds up.

Every image that has been built is tested, in its emulator. Answers come from elsewhere: the vectors in crates/meter,
and the Python package cryptography, without which tests of digests are skipped. Words choose the tests that have all of
them in their names, such as `digests cortex-m4`. `python3 test.py --write-golden` writes golden/ anew, after a change
that is meant to change counts; read the difference before you commit it.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent / "../../tests"))

import emulated_board
import golden
import hosted
import own
from alarm import LIMIT, Hangs, at_most
from build import main as run_build
from compilers import Target
from paths import PROVIDERS, CannotBuild
from test_client import SEED, Image, Skip, Worker, equal, images, iteration, seal, sha, stream, vectors, ways
from variant import run as run_variant

# A serial line is slow: of an algorithm's short vectors, this many, evenly spread, and two of the longest.
SHORT, MOST_SHORT = 200, 14  # bytes, vectors
LENGTHS = 0, 1, 15, 16, 17, 63, 64, 65, 255, 1024, 4097


def test_describe(image: Image) -> None:
    with Worker(image) as worker:
        first, *offers, last = worker.describe()
        equal((first["is"], first["protocol"], first["worker"], last), ("worker", 1, "firmware", {"is": "end"}), "list")
        defines = image.defines
        for key in "max_line", "max_message", "emulated", "board":
            equal(first[key], defines[key.upper()], key)
        equal([offer["algorithm"] for offer in offers], image.algorithms, "offers")
        for offer in offers:
            equal((offer["is"], offer["provider"]), ("offer", image.provider), offer)
            equal("key-setup" in offer["operations"], offer.get("setup") != "inside", offer)
        equal(worker.describe(), [first, *offers, last], "the same list again")


def test_known_answers(image: Image) -> None:
    with Worker(image) as worker:
        for offer in worker.offers():
            fitting = sorted(vectors(offer["algorithm"]), key=size_of)
            most = min((image.max_line - 282) // 2, image.max_message)
            short, fitting = ([vector for vector in fitting if size_of(vector) <= size] for size in (SHORT, most))
            for vector in [*short[:: max(1, len(short) // MOST_SHORT)], *fitting[-2:]]:
                check_vector(worker, offer, vector)


def size_of(vector: tuple) -> int:
    return sum(map(len, vector[1:5]))


def check_vector(worker: Worker, offer: dict, vector: tuple) -> None:
    name, key, nonce, aad, message, sealed, valid = vector
    keys = {"algorithm": offer["algorithm"], "key": key, "nonce": nonce, "aad": aad}
    for form in [*offer["forms"].split(","), None]:
        opened = worker.check(operation="open", form=form, input=sealed, **keys)
        expected = {"is": "output", "output": message.hex()} if valid else {"is": "rejected"}
        equal(opened, expected, (name, "open", form))
        if valid:
            got = worker.check(operation="seal", form=form, input=message, **keys)
            equal(got, {"is": "output", "output": sealed.hex()}, (name, "seal", form))


def test_wrong_tags(image: Image) -> None:
    with Worker(image) as worker:
        for offer in worker.offers():
            name, key, nonce, aad, _, sealed, _ = next(
                vector for vector in vectors(offer["algorithm"]) if vector[-1] and vector[3] and len(vector[4]) > 10
            )
            wrong = [
                *(flipped(sealed, place) for place in (0, len(sealed) - 16, len(sealed) - 1)),
                sealed[:-1], sealed[:16], sealed[:15], b"", sealed + b"\0",
            ]  # fmt: skip
            for form in offer["forms"].split(","):
                keys = {"algorithm": offer["algorithm"], "operation": "open", "form": form, "key": key}
                for text in wrong:
                    answer = worker.check(**keys, nonce=nonce, aad=aad, input=text)
                    equal(answer, {"is": "rejected"}, (name, form, text.hex()))
                for change in {"nonce": flipped(nonce, 0)}, {"aad": aad + b"\0"}, {"key": flipped(key, 15)}:
                    answer = worker.check(**keys | {"nonce": nonce, "aad": aad, "input": sealed} | change)
                    equal(answer, {"is": "rejected"}, (name, form, change))
                for change in {"key": key[1:]}, {"key": key + b"\0"}, {"nonce": nonce[1:]}, {"nonce": b""}:
                    answer = worker.check(**keys | {"nonce": nonce, "aad": aad, "input": sealed} | change)
                    equal(answer["is"], "unsupported", (name, form, change))


def flipped(text: bytes, place: int) -> bytes:
    return text[:place] + bytes([text[place] ^ 1]) + text[place + 1 :]


def test_lines(image: Image) -> None:
    padded = b'{"do":"clock","pad":"%s"}'
    fits = padded % (b"a" * (image.max_line - 1 - len(padded) + 2))
    garbage = [b"hello", b'{"do":"clock"', b'{"do":"clock"} x', b'{"do":"clock"}{"do":"clock"}', b'["do"]', b"7", b"{}",
               b"null", b'{"do":null}', b'{"do":1}', b'{"do":"clock\xff"}', b'{"do":"clock\xc0\xaf"}', b"\0" * 16,
               b"[" * 300, fits + b" ", fits + b"a" * 999, b'{"do":"clock","x":{"y":1}}', b'{"do":"clock","x":1.5}',
               b'{"do":"clock","x":true}', b'{"do":"clock","x":-1}', b'{"do":"clock","x":9007199254740992}',
               b'{"do":"clock","x":01}', b'{"do":"clock","x":["y"]}', b'{"do":"clock","x":[[1]]}', b'{"do":"clock",}',
               b'{"do":"clock","x":"\\q"}', b'{"do":"clock","x":"\\u12"}', b'{"do":"cl\nock"}', b'{"do":"dance"}',
               b'{"do":"clock"' + b"".join(b',"k%d":1' % i for i in range(64)) + b"}"]  # fmt: skip
    with Worker(image) as worker:
        for line in garbage:
            for part in line.split(b"\n"):
                equal(worker.line(part)["is"], "error", line[:40])
            equal(worker.line(b'\n \t\r\n{"do":"memory"}\r')["is"], "memory", "blank lines, and a carriage return")
        equal(len(fits) + 1, image.max_line, "the longest line")
        equal(worker.line(fits)["is"], "clock", "the longest line")
        keys = b"".join(b',"k%d":1' % i for i in range(60))
        odd = (
            b'{ "list" : [ 1, 2 ] , "d\\u006f":"memor\\u0079", "reset":null, "\xc3\xa9\\u00e9":"\xf0\x9f\x99\x82"%s}'
            % keys
        )
        equal(worker.line(odd)["is"], "memory", "blanks, escapes, letters beyond ASCII, 64 keys")


def test_the_end_of_input(image: Image) -> None:
    for rest in b"", b'{"do":"clo', b"\n", b"x" * (image.max_line + 10), b'{"do":"memory"}':
        with Worker(image) as worker:
            answers, _ = worker.process.communicate(rest, timeout=120)
            equal(answers.count(b"\n"), int(bool(rest.strip())), rest[:20])
            equal(worker.process.returncode, 0, "exit code")
            worker.process.communicate = lambda timeout: (b"", b"")


def test_digests(image: Image) -> None:
    """Of what samples left and made anew, in every operation and form."""
    with Worker(image) as worker:
        for offer in worker.offers():
            if iteration(offer["algorithm"], 0, b"", 0) is None:
                continue
            for length in (length for length in LENGTHS if length <= image.max_message):
                for operation, form in ways(offer):
                    if operation != "key-setup":
                        check_digests(worker, offer["algorithm"], operation, form, length)


def check_digests(worker: Worker, algorithm: str, operation: str, form: str, length: int) -> None:
    what, aad = (algorithm, operation, form, length), length % 14
    chain = [message := stream("message", length)]
    for number in 1, 2, 3:
        before = chain[-1][:length] if form == "in-place" else message
        chain.append(iteration(algorithm, number, before, aad))
    far = 12_345_678_901  # beyond 32 bits
    expected = [sha(text) for text in chain] if operation == "seal" else [sha(message)] * 4
    cell = worker.cell(algorithm=algorithm, operation=operation, form=form, message=length, aad=aad)
    sample = worker.need("sample", "sample", cell=cell, warmup_ns=0, iterations=3)
    equal((sample["first"], sample["last"]), (1, 3), what)
    digests = {
        "left": ({"first": 1, "iteration": 3}, expected[3]),
        "anew": ({"first": 1, "iteration": 2}, expected[2]),
        "alone": ({"iteration": 1}, expected[1]),
        "far": (
            {"iteration": far},
            sha(iteration(algorithm, far, message, aad)) if operation == "seal" else expected[0],
        ),
        "left no more": ({"first": 1, "iteration": 3}, expected[3]),
    }
    for name, (keys, right) in digests.items():
        equal(worker.need("digest", "digest", cell=cell, **keys)["sha256"], right, (name, *what))
    worker.need("released", "release", cell=cell)


def test_samples_count_on(image: Image) -> None:
    with Worker(image) as worker:
        counts = worker.describe()[0].get("counts")
        algorithm = image.algorithms[0]
        form = worker.offers()[0]["forms"].split(",")[0]
        one = worker.cell(algorithm=algorithm, form=form)
        other = worker.cell(algorithm=algorithm, form=form, operation="open", message=33)
        next_of = {one: 1, other: 1}
        for cell in one, one, other, one, other:
            sample = worker.need("sample", "sample", cell=cell, warmup_ns=100, iterations=5)
            equal(sample["first"], next_of[cell], "first")
            called = sample["last"] + 1 - sample["first"]
            equal(called == 6 if counts else called >= 5, True, "calls with a warm-up")
            next_of[cell] = sample["last"] + 1
            equal(("ns" in sample, counts in sample), (not counts, bool(counts)), "what is counted")
        for wrong in {"iterations": 0}, {"iterations": 1 << 32}, {"iterations": None}, {"warmup_ns": -1}, {"cell": 99}:
            worker.need("error", "sample", **{"cell": one, "warmup_ns": 0, "iterations": 1} | wrong)
        equal(worker.ask("sample", cell=one, warmup_ns=0, iterations=1)["first"], next_of[one], "first after errors")


def test_many_cells(image: Image) -> None:
    most = image.defines["MAX_CELLS"]
    with Worker(image) as worker:
        form = worker.offers()[0]["forms"].split(",")[0]
        keys = {"algorithm": image.algorithms[0], "form": form}
        cells = [worker.cell(message=number % 70, seed=number, **keys) for number in range(most)]
        full = {"cell": 0, "provider": image.provider, "operation": "seal", "message": 1, "seed": 1, **keys}
        worker.need("unsupported", "prepare", **full)
        for cell in (cells[0], cells[most // 2], cells[-1], cells[0]):
            equal(worker.need("sample", "sample", cell=cell, iterations=1)["cell"], cell, "cell")
        worker.need("released", "release", cell=cells[3])
        worker.need("ready", "prepare", **full)


def test_bad_prepares(image: Image) -> None:
    bad = {
        "error": [*({"message": wrong} for wrong in (None, -1, 1.5, "64", [64], True, (1 << 30) + 1)),
                  *({"seed": wrong} for wrong in (None, -1, 0.5, 1 << 53, "1")), {"cell": None}, {"cell": 1 << 32},
                  {"threads": 0}, {"offset": 100}, {"offset": 4096}, {"aad": (1 << 20) + 1}, {"provider": None}],
        "unsupported": [{"threads": 2}, {"threads": 1025}, {"message": image.max_message + 1}, {"operation": "encrypt"},
                        {"form": "fresh"}, {"form": "onto"}, {"algorithm": "rot13"}, {"provider": "nobody"}],
    }  # fmt: skip
    if image.max_message < 1 << 20:
        bad["unsupported"].append({"aad": image.max_message + 1})
    with Worker(image) as worker:
        form = worker.offers()[0]["forms"].split(",")[0]
        right = {"cell": 5, "provider": image.provider, "algorithm": image.algorithms[0], "operation": "seal",
                 "form": form, "message": 64, "aad": 0, "threads": 1, "seed": SEED}  # fmt: skip
        for kind, changes in bad.items():
            for change in changes:
                worker.need(kind, "prepare", **right | change)
                worker.need("ready", "prepare", **right)
                worker.need("error", "prepare", **right)
                worker.need("released", "release", cell=5)


def test_counts_are_repeatable(image: Image) -> None:
    if not image.told["defines"]["EMULATED"]:
        raise Skip("it counts nanoseconds")
    equal(golden.measure(image, (33,)), golden.measure(image, (33,)), "counts of two processes")


def test_golden_counts(image: Image) -> None:
    if not image.told["defines"]["EMULATED"]:
        raise Skip("it counts nanoseconds")
    if why := golden.is_of_other_compilers(image):
        raise Skip(why)
    expected, got = golden.read(image), golden.measure(image)
    if expected != got:
        changed = [f"{right}, now {now}" for right, now in zip(expected, got, strict=False) if right != now]
        raise AssertionError(f"{len(changed)} changed, {len(got)} and {len(expected)} lines; if they should, run "
                             f"`python3 test.py --write-golden`: {changed[:3]}")  # fmt: skip


def test_planted_wrong_tag(image: Image) -> None:
    """The worker offers everything and passes known answers; only cells of 64 bytes show it."""
    if image.provider != image.told["providers"][0]:
        raise Skip("one provider of a target is enough")
    equal(run_build(["--planted", image.target]), 0, "exit code of the build")
    algorithm = image.algorithms[0]
    with Worker(Image(image.target, image.provider, "-planted")) as worker:
        equal([offer["algorithm"] for offer in worker.offers()], image.algorithms, "offers")
        for length, right in (63, True), (64, False), (65, True):
            cell = worker.cell(algorithm=algorithm, form="into", message=length)
            worker.need("sample", "sample", cell=cell, iterations=2)
            digest = worker.need("digest", "digest", cell=cell, first=1, iteration=2)["sha256"]
            expected = iteration(algorithm, 2, stream("message", length), 0)
            equal(digest == sha(expected), right, f"{length} bytes")
        nothing = worker.check(
            algorithm=algorithm, operation="seal", key=b"\1" * 16, nonce=b"\1" * 12, input=b"\1" * 64
        )
        expected = seal(algorithm, b"\1" * 16, b"\1" * 12, b"", b"\1" * 64)
        equal(nothing["output"] != expected.hex(), True, "64 bytes in check")


def test_providers_agree(image: Image) -> None:
    """Algorithms that the package cryptography lacks: two libraries that share no code make the same bytes."""
    others = [other for other in images() if other.target == image.target and other.provider != image.provider]
    compared = 0
    for algorithm in ("xchacha20-poly1305", "ascon-aead128"):
        for other in others:
            if algorithm in image.algorithms and algorithm in other.algorithms:
                most = min(image.max_message, other.max_message)
                mine, theirs = (digests_of(each, algorithm, most) for each in (image, other))
                equal(mine, theirs, (algorithm, other.provider))
                compared += 1
    if not compared:
        raise Skip("no other provider has an algorithm that needs it")


def digests_of(image: Image, algorithm: str, most: int) -> list:
    found = []
    with Worker(image) as worker:
        for length in (length for length in LENGTHS if length <= most):
            cell = worker.cell(algorithm=algorithm, form="into", message=length, aad=length % 20)
            found.append(worker.need("digest", "digest", cell=cell, iteration=7)["sha256"])
    return found


# What a port, or a component, can break.
OF_A_COMPONENT = test_describe, test_known_answers, test_samples_count_on
OF_A_BOARD = *OF_A_COMPONENT, emulated_board.test_counts_are_the_emulated_cores


def missing_table_is_named() -> None:
    said = []
    for table in PROVIDERS, PROVIDERS["monocypher"]:
        try:
            table["nobodys"]
        except CannotBuild as why:
            said.append(str(why).split(" has ")[0])
    equal(said, ["providers.toml", "providers.toml: [monocypher]"], "the tables that lack it")


def missing_machine_is_named() -> None:
    target = Target("cortex-m4")
    if why := target.missing():
        raise Skip(why)
    target.told = {**target.told, "emulator": target.told["emulator"].replace("mps2-an386", "mps9")}
    equal(target.missing().split(";")[0], "qemu-system-arm is too old, it has no machine mps9", "the reason")


def chosen(title: str, words: list) -> bool:
    return all(any(part in title for part in word.split(",")) for word in words)


def name_of(test: Callable) -> str:
    return test.__name__.removeprefix("test_").replace("_", " ")


def main(words: list) -> int:
    if words == ["--write-golden"]:
        golden.write_all()
        return 0
    tests = [test for name, test in globals().items() if name.startswith("test_")]
    missing = [
        provider for provider in PROVIDERS if provider != "hash" and all(i.provider != provider for i in images())
    ]
    sums = {"ok": 0, "FAILED": 0, "skipped": 0}
    for provider in missing:
        print(f"skipped  {provider}: no image of it has been built")
        sums["skipped"] += 1
    asked = [(test, f"{name_of(test)}: {image.name}", image) for image in images() for test in tests]
    for made, theirs in (emulated_board.images(), OF_A_BOARD), (own.images(), OF_A_COMPONENT):
        asked += [
            (partial(run_variant, test), f"{name_of(test)}: {image.name}", image) for image in made for test in theirs
        ]
    asked += [(test, f"{name_of(test)}: hosted") for test in hosted.tests()]
    asked.append((missing_table_is_named, "a missing table is named"))
    asked.append((missing_machine_is_named, "a missing machine is named"))
    for test, title, *image in asked:
        if chosen(title, words):
            sums[attempt(title, test, *image)] += 1
    print(f"{sums['ok']} passed, {sums['FAILED']} failed, {sums['skipped']} skipped")
    return sums["FAILED"] > 0


def attempt(title: str, test: object, *arguments: object) -> str:
    began = time.monotonic()
    try:
        with at_most(LIMIT):
            test(*arguments)
        print(f"ok       {title} ({time.monotonic() - began:.1f} s)", flush=True)
        return "ok"
    except Skip as why:
        print(f"skipped  {title}: {why}", flush=True)
        return "skipped"
    except (Exception, Hangs) as error:
        print(f"FAILED   {title}: {error!r}", flush=True)
        return "FAILED"


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.exit(main(sys.argv[1:]))
