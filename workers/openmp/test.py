"""Tests of the OpenMP worker over its pipes: `python3 test.py`, after `sh build.sh`; the last line adds up.

The answers come from elsewhere: the vectors in crates/meter, the command `openssl enc`, and plain Python. Everything
runs twice, the second time in a build with AddressSanitizer and UndefinedBehaviorSanitizer. There is no run with
ThreadSanitizer: GCC's OpenMP runtime is not built for it, so it would report every barrier as a race.
`python3 test.py WORD` runs the tests whose names contain the word.
"""

import functools
import json
import os
import subprocess
import sys
import time
import zlib
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent / "../../tests"))

from alarm import LIMIT, Hangs, at_most
from test_client import CPUS, HERE, Skip, Worker, cell, ctr, equal, sha, stream, threads, xor

VECTORS = HERE / "../../crates/meter/vectors/made/aes-256-ctr.txt"
FORMS = "static", "dynamic"
LENGTHS = 0, 1, 15, 16, 17, 63, 64, 65, 4095, 65537, (1 << 20) + 1, 3 * (1 << 20) + 5


def test_offers() -> None:
    with Worker() as worker:
        first, *offers, _ = worker.describe()
        equal((first["is"], first["protocol"]), ("worker", 1), "the header")
        equal([offer["algorithm"] for offer in offers], ["aes-256-ctr", "xor"], "algorithms")
        for offer in offers:
            equal((offer["operations"], offer["forms"]), ("encrypt", "static,dynamic"), offer)


def test_known_answers() -> None:
    vectors = [line.split() for line in VECTORS.read_text().splitlines() if not line.startswith("#")]
    equal(sum(vector[0].startswith("computed:carry:") for vector in vectors), 24, "vectors with a carry")
    with Worker() as worker:
        for name, key, nonce, _, message, sealed, _ in vectors:
            message, sealed = (text if text != "-" else "" for text in (message, sealed))
            for form in (*FORMS, None):
                for count in (1, 2, 3, 7, None):
                    for operation, given, expected in ("encrypt", message, sealed), ("decrypt", sealed, message):
                        keys = {"algorithm": "aes-256-ctr", "operation": operation, "form": form, "threads": count}
                        answer = worker.ask("check", provider="openmp", key=key, nonce=nonce, input=given, **keys)
                        equal(answer, {"is": "output", "output": expected}, (name, keys))


def test_xor_answers() -> None:
    with Worker() as worker:
        for length in 1, 3, 32, 33, 63, 64, 65, 4093, 4096, 4097, 9000:
            key = stream("key", length)
            for size in 0, 1, 64, 65, 200, 4095, 9001:
                text = stream("message", size)
                for form in FORMS:
                    for count in 1, 2, 3, 7:
                        keys = {"algorithm": "xor", "operation": "encrypt", "form": form, "threads": count}
                        answer = worker.ask("check", provider="openmp", key=key.hex(), input=text.hex(), **keys)
                        equal(answer, {"is": "output", "output": xor(text, key).hex()}, (length, size, keys))


def outputs(worker: Worker, keys: dict, message: bytes, apply: object) -> None:
    """A cell's digests, its CRC-32 and its bytes, of what samples left and made anew; `apply` is an iteration."""
    number = worker.cell(message=len(message), **keys)
    what = {"message": len(message), **keys}
    chain = [message]
    for iteration in 1, 2, 3, 4:
        chain.append(apply(chain[-1], iteration))
    far = 12_345_678_901  # beyond 32 bits
    equal(worker.ask("digest", cell=number, iteration=far)["sha256"], sha(apply(message, far)), ("far", what))
    anew = worker.need("digest", "digest", cell=number, first=1, iteration=2)
    equal(anew["sha256"], sha(chain[2]), ("made anew", what))
    equal(worker.ask("digest", cell=number, iteration=0)["sha256"], sha(apply(message, 0)), ("iteration 0", what))
    sample = worker.need("sample", "sample", cell=number, warmup_ns=0, iterations=4)
    equal((sample["first"], sample["last"], sample["iterations"]), (1, 4, 4), what)
    for at in {place for place in (0, 31, len(message) // 2 - 7, len(message) - 16384) if 0 <= place < len(message)}:
        count = min(16384, len(message) - at)
        peeked = worker.need("bytes", "peek", cell=number, at=at, bytes=count)["bytes"]
        equal(peeked, chain[4][at : at + count].hex(), ("bytes", at, what))
    for _ in range(2):  # a digest of what is left leaves it there
        left = worker.need("digest", "digest", cell=number, first=1, iteration=4)
        equal(left["sha256"], sha(chain[4]), ("what the timed calls left", what))
    worker.need("error", "verify", cell=number, first=2, iteration=4)
    crc = worker.need("verified", "verify", cell=number, first=1, iteration=4)["crc32"]
    equal(crc, zlib.crc32(message), ("CRC-32", what))
    worker.need("error", "verify", cell=number, first=1, iteration=4)
    worker.need("error", "peek", cell=number, at=0, bytes=1)
    worker.release(number)


def test_outputs_of_aes() -> None:
    with Worker() as worker:
        for length in LENGTHS:
            message = stream("message", length)
            apply = functools.cache(ctr)  # the same chain for every form and number of threads
            for form in FORMS:
                for count in threads():
                    for offset in (0, 192) if length < 70000 else (64,):
                        outputs(worker, {"form": form, "threads": count, "offset": offset}, message, apply)


def test_outputs_of_xor() -> None:
    with Worker() as worker:
        for length in 1, 3, 32, 33, 4093, 4097, 65537, 1 << 20:
            key = stream("key", length)
            for size in 65, 65537, 3 * (1 << 20) + 5:
                for form in FORMS:
                    for count in threads():
                        keys = {"algorithm": "xor", "form": form, "threads": count, "key": length}
                        # An odd number of iterations is not the message again: outputs() looks at both.
                        outputs(worker, keys, stream("message", size), lambda text, _, key=key: xor(text, key))


def test_samples_count_on() -> None:
    with Worker() as worker:
        number = worker.cell(message=1000)
        sample = worker.need("sample", "sample", cell=number, warmup_ns=1_000_000, iterations=5)
        equal(sample["first"], 1, "first")
        equal(sample["last"] > 5, True, "a warm-up")
        first, last = sample["first"], sample["last"]
        text = stream("message", 1000)
        if last < 200:
            for iteration in range(first, last + 1):
                text = ctr(text, iteration)
            equal(worker.ask("digest", cell=number, first=first, iteration=last)["sha256"], sha(text), "digest")
        equal(
            worker.need("verified", "verify", cell=number, first=first, iteration=last)["crc32"],
            zlib.crc32(stream("message", 1000)),
            "CRC-32",
        )
        times = worker.need("latency", "latency", cell=number, warmup_ns=0, count=1000)
        equal((len(times["ns"]), min(times["ns"]) > 0), (1000, True), "latency")
        sample = worker.need("sample", "sample", cell=number, warmup_ns=0, iterations=2)
        equal(sample["first"], last + 1001, "the number after single calls")
        if CPUS > 1:
            worker.need("unsupported", "latency", cell=worker.cell(threads=2), count=3)


def test_nothing_is_left_of_another_cell() -> None:
    with Worker() as worker:
        one, two = worker.cell(message=100_000), worker.cell(message=100_000, form="dynamic", seed=7)
        for number in one, two:
            worker.need("sample", "sample", cell=number, warmup_ns=0, iterations=1)
        worker.need("error", "peek", cell=one, at=0, bytes=64)
        worker.need("error", "verify", cell=one, first=1, iteration=1)
        worker.need("bytes", "peek", cell=two, at=0, bytes=64)
        third = worker.cell(message=5_000_000)  # the arena grows
        worker.need("error", "peek", cell=two, at=0, bytes=64)
        expected = sha(ctr(stream("message", 100_000), 1))
        equal(worker.need("digest", "digest", cell=one, first=1, iteration=1)["sha256"], expected, "made anew")
        worker.need("sample", "sample", cell=one, warmup_ns=0, iterations=1)
        worker.release(two)
        worker.need("bytes", "peek", cell=one, at=99_999, bytes=1)
        worker.release(one)
        worker.need("error", "peek", cell=one, at=0, bytes=1)
        worker.release(third)


def test_beyond_4_gib() -> None:
    if "asan" in Worker.program.name:
        raise Skip("too slow with sanitizers")
    length, count = (1 << 32) + (3 << 20) + 5, min(2, CPUS)
    with Worker() as worker:
        for form in FORMS:
            prepared = worker.ask("prepare", **cell(1) | {"form": form, "message": length, "threads": count})
            if prepared["is"] == "unsupported":
                raise Skip(prepared["why"])
            worker.need("sample", "sample", cell=1, warmup_ns=0, iterations=1)
            # Where the second slice begins, if there is one.
            middle = -(-length // 64) // count * 64 if count > 1 else 64
            for at in 0, middle - 32, (1 << 32) - 32, (1 << 31) - 32, length - 64:
                at -= at % 16
                bytes_ = worker.need("bytes", "peek", cell=1, at=at, bytes=min(64, length - at))["bytes"]
                text = stream("message", 4093 * 2)[at % 4093 :][: len(bytes_) // 2]
                equal(bytes_, ctr(text, 1, at).hex(), (form, at))
            worker.need("unsupported", "digest", cell=1, iteration=1)
            crc = worker.need("verified", "verify", cell=1, first=1, iteration=1)["crc32"]
            equal(crc, crc_of_stream(length), form)
            worker.release(1)


@functools.cache
def crc_of_stream(length: int) -> int:
    block, crc = stream("message", 4093 * 4096), 0
    for _ in range(length // len(block)):
        crc = zlib.crc32(block, crc)
    return zlib.crc32(block[: length % len(block)], crc)


BAD_PREPARES = {
    "error": [
        *({"message": wrong} for wrong in (None, -1, 1.5, "64", [64], {"bytes": 1}, True, (1 << 40) + 1, 1 << 53)),
        *({"seed": wrong} for wrong in (None, -1, 0.5, 1 << 53, 1 << 64, "1")),
        *({"cell": wrong} for wrong in (None, -1, 1 << 32, "1")),
        *({"threads": wrong} for wrong in (0, -1, "2", [2])),
        *({"offset": wrong} for wrong in (100, 4096, -64, "0")),
        *({"key": wrong} for wrong in (0, (1 << 20) + 1, "32")),
        *({"aad": wrong} for wrong in (-1, (1 << 20) + 1, "")),
        *({key: None} for key in ("provider", "algorithm", "operation", "form")),
        *({key: 7} for key in ("provider", "algorithm", "operation", "form")),
    ],
    "unsupported": [
        {"threads": 1025}, {"threads": CPUS + 1}, {"threads": (1 << 53) - 1}, {"message": 1 << 40},
        {"operation": "decrypt"}, {"operation": "key-setup"}, {"form": "in-place"}, {"form": "mapped"},
        {"algorithm": "aes-256-gcm"}, {"provider": "go"},
    ],
}  # fmt: skip


def test_bad_prepares() -> None:
    with Worker() as worker:
        for kind, changes in BAD_PREPARES.items():
            for change in changes:
                worker.need(kind, "prepare", **cell(5) | change)
                worker.need("ready", "prepare", **cell(5))
                worker.need("error", "prepare", **cell(5))
                worker.release(5)
        worker.need("ready", "prepare", **cell((1 << 32) - 1) | {"seed": (1 << 53) - 1, "offset": None, "colour": [1]})


def test_bad_checks() -> None:
    right = {"provider": "openmp", "algorithm": "aes-256-ctr", "operation": "encrypt", "form": "dynamic",
             "key": "00" * 32, "nonce": "00" * 16, "aad": "00", "input": "00" * 32}  # fmt: skip
    errors = [{"key": "0" * 63}, {"key": "zz" * 32}, {"key": "AA" * 32}, {"input": [0]}, {"input": "00" * 16385},
              {"threads": 0}, {"provider": None}, {"form": 1}, {"aad": "x"}]  # fmt: skip
    refused = [{"key": ""}, {"key": "00" * 31}, {"key": "00" * 33}, {"nonce": None}, {"nonce": "00" * 17},
               {"threads": 1025}, {"form": "into"}, {"operation": "seal"}, {"operation": "key-setup"},
               {"algorithm": "xor"}, {"algorithm": "xor", "key": "", "nonce": ""}]  # fmt: skip
    with Worker() as worker:
        for kind, changes in {"error": errors, "unsupported": refused}.items():
            for change in changes:
                worker.need(kind, "check", **right | change)
                worker.need("output", "check", **right)
        worker.need("output", "check", **right | {"input": "00" * 16384})


def test_bad_uses() -> None:
    uses = [
        *({"do": "sample", "warmup_ns": 0, "iterations": wrong} for wrong in (0, 1 << 32, 1.5, None, -1, "1")),
        *({"do": "sample", "warmup_ns": wrong, "iterations": 1} for wrong in (-1, 1 << 53, "0")),
        *({"do": "latency", "count": wrong} for wrong in (0, 4001, None)),
        {"do": "latency", "count": 1, "warmup_ns": -1},
        *({"do": "digest", "iteration": wrong} for wrong in (None, -1, 1 << 53)),
        {"do": "digest", "first": 2, "iteration": 1}, {"do": "digest", "first": 1, "iteration": (1 << 24) + 1},
        {"do": "verify", "first": 1}, {"do": "verify", "first": 2, "iteration": 2},
        *({"do": "peek", "at": at, "bytes": count} for at, count in ((0, 0), (0, 16385), (64, 1), (63, 2), (1 << 52, 1),
                                                                      (None, 1), (0, None))),
        {"do": "memory", "reset": 2}, {"do": "compilation"}, {"do": "dance"},
    ]  # fmt: skip
    with Worker() as worker:
        number = worker.cell()
        for use in uses:
            worker.need("sample", "sample", cell=number, warmup_ns=0, iterations=2)
            worker.need("error", **use | {"cell": number})
            worker.need("error", **use | {"cell": 999})
        again = worker.need("sample", "sample", cell=number, warmup_ns=0, iterations=1)
        equal(again["first"], 2 * len(uses) + 1, "refused requests use no numbers up")


def test_lines() -> None:
    padded = b'{"do":"memory","pad":"%s"}'
    fits = padded % (b"a" * (65536 - 1 - len(padded) + 2))
    garbage = [b"hello", b'{"do":"clock"', b'{"do":"clock"} x', b'{"do":"clock"}{"do":"clock"}', b'["do"]', b"7", b"{}",
               b"null", b'{"do":null}', b'{"do":1}', b'{"do":"clock\xff"}', b"\0" * 16, b"[" * 30000, b"[" * (1 << 20),
               fits + b" ", b'{"do":"clock","x":{"y":1}}', b'{"do":"clock","x":1.5}', b'{"do":"clock","x":true}',
               b'{"do":"clock","x":-1}', b'{"do":"clock","x":9007199254740992}', b'{"do":"clock","x":["y"]}',
               b'{"do":"clock","x":' + b"9" * 40 + b"}",
               json.dumps({"do": "clock", **{f"k{i}": 1 for i in range(64)}}).encode()]  # fmt: skip
    with Worker() as worker:
        for line in garbage:
            equal(worker.line(line)["is"], "error", line[:40])
            equal(worker.line(b'\n \t\r\n{"do":"memory"}\r')["is"], "memory", "blank lines")
        equal(len(fits) + 1, 65536, "the longest line")
        equal(worker.line(fits)["is"], "memory", "the longest line")
        full = {"do": "memory", "reset": None, "list": [1, 2], **{f"k{i}": 1 for i in range(61)}}
        equal(worker.line(json.dumps(full).encode())["is"], "memory", "64 keys")
    for rest in b"", b'{"do":"clo', b"\n", b"x" * 70000:
        with Worker() as worker:
            answers, _ = worker.process.communicate(rest, timeout=60)
            equal(answers.count(b"\n"), int(bool(rest.strip())), rest[:20])
            equal(worker.process.returncode, 0, "exit code")
            worker.process.communicate = lambda timeout: (b"", b"")


def test_no_thread_is_left_between_requests() -> None:
    if CPUS < 2:
        raise Skip("one CPU")
    with Worker() as worker:
        number, pid = worker.cell(threads=2, message=1 << 20), worker.process.pid
        for do in {"do": "sample", "iterations": 50}, {"do": "digest", "iteration": 3}, {"do": "clock"}:
            worker.ask(**do | {"cell": number})
            # A thread that has ended stays listed for a moment; one that doesn't end is waited for until the test hangs.
            while len(list(Path(f"/proc/{pid}/task").iterdir())) > 1:
                time.sleep(0.01)
        while status(pid, "State") != "S (sleeping)":
            time.sleep(0.01)
        switches = status(pid, "voluntary_ctxt_switches")
        time.sleep(0.2)
        equal(status(pid, "voluntary_ctxt_switches"), switches, "an idle worker sleeps on")
        equal(os.sched_getaffinity(pid), os.sched_getaffinity(0), "the first thread's mask")


def status(pid: int, key: str) -> str:
    """A fact that the kernel has of a process's first thread."""
    return Path(f"/proc/{pid}/task/{pid}/status").read_text().partition(f"\n{key}:\t")[2].partition("\n")[0]


def test_the_mask_is_obeyed() -> None:
    one = str(min(os.sched_getaffinity(0)))
    with Worker("taskset", "-c", one) as worker:
        worker.need("unsupported", "prepare", **cell(1) | {"threads": 2})
        worker.need("sample", "sample", cell=worker.cell(), iterations=2)
        equal(os.sched_getaffinity(worker.process.pid), {int(one)}, "the mask")
        keys = {"provider": "openmp", "algorithm": "xor", "operation": "encrypt", "key": "01", "threads": 7}
        equal(worker.ask("check", input="00" * 4096, **keys)["output"], "01" * 4096, "7 threads on one CPU")


def test_the_environment() -> None:
    for name in "OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY":
        with Worker(
            **{name: "threads" if name == "OMP_PLACES" else "true" if name == "OMP_PROC_BIND" else "0"}
        ) as worker:
            equal([answer["is"] for answer in worker.describe()], ["worker", "absent", "end"], name)
            worker.need("unsupported", "prepare", **cell(1))
    with Worker(OMP_THREAD_LIMIT="1", OMP_DYNAMIC="true", OMP_NUM_THREADS="1") as worker:
        worker.need("unsupported", "prepare", **cell(1) | {"threads": 2})
        keys = {"provider": "openmp", "algorithm": "xor", "operation": "encrypt", "key": "01"}
        equal(worker.need("output", "check", input="00", **keys)["output"], "01", "a vector, by the one thread")
        worker.need("unsupported", "check", input="00", threads=2, **keys)
        worker.need("sample", "sample", cell=worker.cell(), iterations=1)
    with Worker(OMP_DYNAMIC="true", OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive") as worker:
        worker.need("sample", "sample", cell=worker.cell(threads=min(2, CPUS)), iterations=1)


def test_threads_that_the_system_refuses() -> None:
    if "asan" in Worker.program.name:
        raise Skip("sanitizers reserve more than the limit")
    keys = {"provider": "openmp", "algorithm": "xor", "operation": "encrypt", "key": "01", "input": "00" * 4096}
    # The stacks of 1024 threads do not fit into a gigabyte of addresses.
    with Worker("sh", "-c", 'ulimit -s 8192; ulimit -v 1000000; exec "$0"') as worker:
        for form in FORMS:
            refused = worker.need("error", "check", **keys, form=form, threads=1024)["why"]
            equal("the system refuses so many threads" in refused, True, refused)
            equal(worker.need("output", "check", **keys, form=form, threads=7)["output"], "01" * 4096, form)
    with Worker() as worker:
        equal(worker.need("output", "check", **keys, threads=64)["output"], "01" * 4096, "64 threads")


def test_narrower_vectors() -> None:
    for without in "avx512", "avx2":
        with Worker(CIPHERMETER_CPU_WITHOUT=without) as worker:
            path = worker.describe()[2]["path"]
            equal(
                path in {"avx512": ["avx2", "sse2", "neon", "soft"], "avx2": ["sse2", "neon", "soft"]}[without],
                True,
                path,
            )
            key, text = stream("key", 4097), stream("message", 65537)
            for form in FORMS:
                outputs(
                    worker,
                    {"algorithm": "xor", "form": form, "key": 4097},
                    text,
                    lambda text, _, key=key: xor(text, key),
                )


def sanitized() -> Path:
    """Builds the worker with sanitizers; where that fails, they are not installed."""
    flags = "-g -fsanitize=address,undefined -fno-sanitize-recover=all"
    built = subprocess.run(["sh", "build.sh"], cwd=HERE, env={**os.environ, "FLAGS": flags, "OUT": "openmp-asan"},
                           capture_output=True, text=True)  # fmt: skip
    if built.returncode != 0:
        raise Skip(f"the build with sanitizers failed: {built.stderr.strip().splitlines()[-1:]}")
    return HERE / "build/openmp-asan"


def main() -> int:
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    tests = [(name, test) for name, test in tests if all(word in name for word in sys.argv[1:])]
    passed = failed = skipped = 0
    for build in "as it is shipped", "with sanitizers":
        try:
            Worker.program = sanitized() if build == "with sanitizers" else Worker.program
        except Skip as why:
            print(f"skipped  {build}: {why}")
            skipped += 1
            break
        for name, test in tests:
            name, began = f"{name[5:].replace('_', ' ')}, {build}", time.monotonic()
            try:
                with at_most(LIMIT):
                    test()
                print(f"ok       {name} ({time.monotonic() - began:.1f} s)")
                passed += 1
            except Skip as why:
                print(f"skipped  {name}: {why}")
                skipped += 1
            except (Exception, Hangs) as error:
                print(f"FAILED: {name}: {error!r}")
                failed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
