"""A worker of the standard library only, for the suite's own tests.

It offers xor, or, in the modes about tags, an aes-256-gcm that knows nothing
but the vectors, with cells that do xor. Its argument picks what it gets wrong;
`honest` gets nothing wrong, and is a short worker to read beside PROTOCOL.md.
`device` gets nothing wrong either: a board with short lines and room for two cells.
Nor does `metered`: a board that counts time and has a meter of current. Nor `starts`,
which says that each of its calls has a process of its own.
"""

import json
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from hashlib import sha256
from pathlib import Path

MODE = sys.argv[1] if len(sys.argv) > 1 else "honest"
DEVICE, METERED, STARTS = (MODE.startswith(kind) for kind in ("device", "metered", "starts"))
WINDOW_NS = 5_000_000  # of the meter of current
LIMIT, PERIOD, LARGEST = 700 if DEVICE else 65536, 4093, 2**53 - 1
LONGEST, ROOM = (300, 2) if DEVICE else (2**30, 2**32)
OPERATIONS = {"xor": ("encrypt", "decrypt"), "aes-256-gcm": ("seal", "open")}
CPUS = 1 if DEVICE or STARTS or MODE == "one-thread" else 3
FORMS = ["process"] if STARTS else ["in-place", "into"]
LACKS = {"lacks-empty": 0, "lacks-one": 1}.get(MODE)
# These faults do not depend on operations and forms: one of each is enough.
ONE_WAY = {"compiles", "compiles-oddly", "compiles-mutely", "counts-early", "falls", "keeps-peaks", "keeps-sums",
           "low-peak", "nameless", "resets-twice", "silent", "stuck"}
cells = {}


class Refused(Exception):
    """Answered with error, or with what `kind` says."""

    def __init__(self, why, kind="error"):
        super().__init__(why)
        self.kind = kind


@cache
def period(label, seed):
    blocks = (sha256(f"ciphermeter {label} {seed} {i}".encode()).digest() for i in range(PERIOD // 32 + 1))
    return b"".join(blocks)[:PERIOD]


def stream(label, seed, n):
    return (period(label, seed) * (n // PERIOD + 1))[:n]


def xor(key, message):
    n = len(message)
    mask = (key * (n // len(key) + 1))[:n]
    return (int.from_bytes(message, "big") ^ int.from_bytes(mask, "big")).to_bytes(n, "big")


class Gauge:
    """Counts what cells hold and calls give out: an allocator of the fake's own."""

    def __init__(self):
        self.counts, self.held = False, 1
        self.peak, self.allocated = 1, 0

    def take(self, n):
        self.held, self.allocated = self.held + n, self.allocated + n
        self.peak = max(self.peak, self.held)

    def give_back(self, n):
        self.held -= n

    def told(self, reset):
        if MODE == "silent":
            return {"is": "memory", "rss": None}
        base = 8 << 20  # the interpreter's own
        counts = self.counts or MODE == "counts-early"
        peak = self.held - 1 if MODE == "low-peak" else self.peak
        sum = 2**50 - self.allocated if MODE == "falls" else self.allocated
        told = {"is": "memory", "rss": base + self.held, "peak_rss": base + (1 if MODE == "stuck" else self.peak),
                "heap": self.held, "peak_heap": peak if counts else None, "allocated": sum if counts else None,
                "counter": None if MODE == "nameless" else "fake"}
        if reset:
            self.counts = True
            self.peak = self.peak if MODE == "keeps-peaks" else self.held
            self.allocated = self.allocated if MODE == "keeps-sums" else 0
        return told


gauge = Gauge()


class Thread:
    """One thread's part of a cell; threads differ in their keys alone."""

    def __init__(self, request, number):
        n, seed = request["message"], request["seed"]
        seals = request["operation"] in ("encrypt", "seal")
        self.chains = seals and request["form"] == "in-place"
        label = f"key {number}" if number and MODE != "one-key" else "key"
        self.key, self.message = stream(label, seed, 32), stream("message", seed, n)
        self.input = self.message if seals else xor(self.key, self.message)
        self.works = number == 0 or MODE != "idles"
        gauge.take(len(self.message) + len(self.input))

    def calls(self, n, output=b""):
        """Runs n iterations on fresh buffers, or on `output` where they chain."""
        for _ in range(n):
            output = xor(self.key, output if self.chains and output else self.input)
            gauge.take(len(output))
            gauge.give_back(len(output))
        return output


class Cell:
    def __init__(self, request):
        self.threads = [Thread(request, number) for number in range(request.get("threads", 1))]
        self.pool = ThreadPoolExecutor(len(self.threads))
        self.count = 0
        self.left = (None, None, [])

    def calls(self, n, outputs):
        """Runs n iterations in each thread, side by side, and waits for the last."""
        if len(self.threads) == 1:
            return [self.threads[0].calls(n, outputs[0])]
        run = lambda thread, output: thread.calls(n, output) if thread.works else output
        return list(self.pool.map(run, self.threads, outputs))

    def warm_up(self, ns):
        """Warms up on fresh buffers, in lockstep, and returns what is in them then."""
        begun, outputs = time.perf_counter_ns(), [b""] * len(self.threads)
        if STARTS and MODE != "starts-warm":
            return outputs
        if DEVICE and ns:
            self.count += MODE != "device-cold"
            return self.calls(1, outputs)
        while time.perf_counter_ns() - begun < ns:
            outputs = self.calls(1, outputs)
            self.count += 1
        return outputs

    def sample(self, warmup_ns, iterations):
        first, outputs = self.count + 1, self.warm_up(warmup_ns)
        begun = time.perf_counter_ns()
        runs = {"skips-work": 0, "hides-it": 0, "starts-nothing": 0, "one-call": 1}.get(MODE, iterations)
        outputs = self.calls(runs, outputs)
        ns = max(time.perf_counter_ns() - begun, 1)
        self.count += iterations
        self.left = (first, self.count, outputs)
        if DEVICE:
            return self.counted(1 if MODE == "device-skips" else iterations, iterations, first)
        cpu_ns = 5 * ns + 10**8 if MODE == "boasts" and len(self.threads) > 1 else None
        timed = {"iterations": iterations, "ns": ns, "cpu_ns": cpu_ns, "first": first, "last": self.count}
        return timed | (charge(ns) if METERED or MODE == "charges" else {})

    def counted(self, calls, iterations, first):
        count = 20 + calls * (30 + 4 * len(self.threads[0].message))
        return {"iterations": iterations, "instructions": count, "ns": count if MODE == "device-ns" else None,
                "first": first, "last": self.count, "stack_bytes": 312, "state_bytes": 48, "code_bytes": 2806}

    def digest(self, first, iteration):
        if MODE != "hides-it" and (first, iteration) == self.left[:2]:
            return sha256(b"".join(self.left[2])).hexdigest()
        chains = self.threads[0].chains
        if chains and not 0 <= iteration - first < 2**24:
            raise Refused("that many iterations; ask for at most 2^24")
        runs = iteration - first + 1 if chains else 1
        return sha256(b"".join(thread.calls(runs) for thread in self.threads)).hexdigest()


def charge(ns):
    """What the meter says of so many nanoseconds: 80 mA at 3.3 V."""
    if MODE == "metered-never" or (ns < WINDOW_NS and MODE not in ("metered-early", "charges")):
        return {}
    charge_nc, voltage_uv = 80 * ns // 1000, 3_300_000
    wrong = {"metered-pc": {"charge_nc": 1000 * charge_nc}, "metered-mv": {"voltage_uv": voltage_uv // 1000}}
    return {"charge_nc": charge_nc, "voltage_uv": voltage_uv, "current_samples": 64} | wrong.get(MODE, {})


def integer(request, key, low, high, default=None):
    value = request.get(key, default)
    if type(value) is not int or not low <= value <= high:
        raise Refused(f"{key} is no integer from {low} to {high}; send one")
    return value


def words(request):
    algorithm, operation = request.get("algorithm"), request.get("operation")
    if request.get("provider") != "fake" or operation not in OPERATIONS.get(algorithm, ()):
        raise Refused("not offered; ask describe what is")
    if request.get("form", FORMS[-1]) not in FORMS:
        raise Refused("no such form; ask describe which there are", "unsupported")
    return algorithm, operation


def from_hex(request, key):
    if not re.fullmatch("([0-9a-f]{2})*", str(request.get(key, ""))):
        raise Refused(f"{key} is no hex text; send lower-case hex")
    return bytes.fromhex(request.get(key, ""))


def expect_size(message):
    if message == LACKS:
        raise Refused(f"this library can't do {message} bytes", "unsupported")


def expect_room(*sizes):
    if max(sizes) > LONGEST and MODE != "device-overfills":
        raise Refused(f"message and aad may have up to {LONGEST} bytes here", "unsupported")


def check(request):
    algorithm, operation = words(request)
    key, nonce, aad, given = (from_hex(request, name) for name in ("key", "nonce", "aad", "input"))
    if len(given) > 16384:
        raise Refused("input over 16 KiB; send less")
    if len(key) != 32 or len(nonce) != (0 if algorithm == "xor" else 12):
        raise Refused("other sizes of key or nonce", "unsupported")
    expect_size(len(given) - (16 if operation == "open" else 0))
    expect_room(len(given), len(aad))
    if algorithm == "xor":
        return {"is": "output", "output": xor(key, given).hex()}
    return known(operation, [part.hex() for part in (key, nonce, aad, given)])


@cache
def vectors():
    return json.loads((Path(__file__).parent.parent / "vectors/vectors.json").read_text())


def known(operation, parts):
    for vector in vectors():
        sides = [vector["message"], vector["output"]]
        given, answer = sides if operation == "seal" else reversed(sides)
        if [vector["key"], vector["nonce"], vector["aad"], given] == parts:
            wrong = MODE == "wrong-tag" and operation == "seal"
            return {"is": "output", "output": answer[:-2] + "00" if wrong else answer}
    if MODE == "accepts-forgeries":
        return {"is": "output", "output": ""}
    return {"is": "rejected"}


def describe(_request):
    tagged = {"wrong-tag": ["aes-256-gcm"], "accepts-forgeries": ["aes-256-gcm"], "lacks-empty": ["xor", "aes-256-gcm"]}
    offered = [] if MODE == "absent" else tagged.get(MODE, ["xor"])
    compiles = {"compiles": 1, "compiles-oddly": 2, "compiles-mutely": 1}.get(MODE)
    board = {"max_line": LIMIT, "max_message": LONGEST, "counts": "instructions", "emulated": 1, "board": "a fake"}
    told = {"is": "worker", "protocol": 1, "worker": "fake", "runtime": sys.version, "compiles": compiles}
    window = {"metered-windowless": None, "metered-for-hours": 10**13}.get(MODE, WINDOW_NS)
    meter = {"board": "a fake", "current_meter": "a fake meter", "current_window_ns": window}
    yield told | (board if DEVICE else meter if METERED else {})
    for name in offered:
        operations, forms = ",".join(OPERATIONS[name]), ",".join(FORMS if name == "xor" else ["into"])
        if MODE in ONE_WAY:
            operations, forms = "encrypt", "into"
        yield {"is": "offer", "provider": "fake", "version": "1", "algorithm": name, "path": "soft",
               "operations": operations, "forms": forms, "setup": "inside" if STARTS else None}
    wrong = 1 if MODE == "wrong-library" else None
    yield {"is": "absent", "provider": "other", "why": "a fake has no libraries", "wrong": wrong}
    yield {"is": "end"}


def prepare(request):
    words(request)
    cell = integer(request, "cell", 0, 2**32 - 1)
    for key, high, default in (("message", 2**30, None), ("aad", 2**20, 0), ("seed", LARGEST, None)):
        integer(request, key, 0, high, default)
    if integer(request, "threads", 1, LARGEST, 1) > CPUS:
        raise Refused("more threads than CPUs", "unsupported")
    if integer(request, "offset", 0, 4095, 0) % 64:
        raise Refused("offset is no multiple of 64; send one")
    if cell in cells:
        raise Refused("the cell is prepared; send release first")
    expect_size(request["message"])
    expect_room(request["message"], request.get("aad", 0))
    if len(cells) == ROOM:
        raise Refused(f"{ROOM} cells are prepared, all that there is room for; release one", "unsupported")
    cells[cell] = Cell(request)
    return {"is": "ready", "cell": cell}


def about_cell(request):
    number = integer(request, "cell", 0, 2**32 - 1)
    if number not in cells:
        raise Refused(f"cell {number} is not prepared; send prepare first")
    return {"is": request["do"], "cell": number} | USES[request["do"]](cells[number], request)


def latency(cell, request):
    count = integer(request, "count", 1, 4000)
    warmup_ns = integer(request, "warmup_ns", 0, LARGEST, 0)
    if DEVICE or MODE in ("starts", "starts-warm"):
        raise Refused("single calls; send sample", "unsupported")
    if len(cell.threads) > 1:
        raise Refused("latency of several threads", "unsupported")
    if MODE != "cold":
        cell.warm_up(warmup_ns)
    return {"ns": [cell.sample(0, 1)["ns"] for _ in range(count)], "clock_ns": 50}


def digest(cell, request):
    iteration = integer(request, "iteration", 0, LARGEST)
    return {"sha256": cell.digest(integer(request, "first", 0, LARGEST, iteration), iteration)}


def release(_cell, request):
    cell = cells.pop(request["cell"])
    cell.pool.shutdown()
    gauge.give_back(sum(len(thread.message) + len(thread.input) for thread in cell.threads))
    return {"is": "released"}


def sample(cell, request):
    warmup_ns = integer(request, "warmup_ns", 0, LARGEST, 0)
    return cell.sample(warmup_ns, integer(request, "iterations", 1, 2**32 - 1))


def memory(request):
    reset = integer(request, "reset", 0, 2 if MODE == "resets-twice" else 1, 0)
    if DEVICE:
        pad = "." * LIMIT if MODE == "device-rambles" else None
        return {"is": "memory", "stack": 700, "heap_free": None, "pad": pad}
    return gauge.told(reset)


def clock(_request):
    if DEVICE and MODE != "device-times":
        return {"is": "clock", "step": 1, "call": 21, "loop": 15}
    return {"is": "clock", "step_ns": 1, "call_ns": 50, "loop_ns": 20}


def compilation(_request):
    if MODE != "compiles":
        raise Refused("nothing compiles here; ask only where describe says so")
    return {"is": "compilation", "mark": gauge.allocated}


def current(_request):
    if MODE == "dies-of-current":
        print(json.dumps({"is": "unsupported", "why": "there is no meter of current here"}), flush=True)
        sys.exit(3)
    if not METERED and MODE != "invents-current" or MODE == "metered-mutely":
        raise Refused("there is no meter of current here", "unsupported")
    time.sleep(WINDOW_NS / 1e9)
    # However slow the machine is, no answer takes seconds.
    ns = {"metered-briefly": 0, "metered-hastily": 1000 * WINDOW_NS}.get(MODE, WINDOW_NS)
    return {"is": "current", "ns": ns} | charge(WINDOW_NS)


USES = {"sample": sample, "latency": latency, "digest": digest, "release": release}
DOES = dict.fromkeys(USES, about_cell) | {
    "describe": describe,
    "check": check,
    "prepare": prepare,
    "clock": clock,
    "memory": memory,
    "compilation": compilation,
    "current": current,
}


def answer(line):
    if len(line) > LIMIT:
        raise Refused(f"the line is over {LIMIT} bytes; send a shorter one")
    request = json.loads(line.decode())
    if type(request) is not dict or not isinstance(request.get("do"), str) or request["do"] not in DOES:
        raise Refused("no request; send an object with a known do")
    if MODE == "hangs" and request["do"] == "sample":
        time.sleep(600)
    return DOES[request["do"]]({key: value for key, value in request.items() if value is not None})


def main():
    if DEVICE or MODE == "boots":
        print("rst:0x1 (POWERON), boot:0x8\r", flush=True)
    while line := sys.stdin.buffer.readline():
        if line == b"\n":
            continue
        try:
            said = answer(line)
            replies = [said] if type(said) is dict else said
        except Refused as refused:
            replies = [{"is": refused.kind, "why": str(refused)}]
        except (ValueError, RecursionError) as broken:
            replies = [{"is": "error", "why": f"the line is no flat JSON: {str(broken)[:80]}; send one object"}]
        for reply in replies:
            print(json.dumps(reply), end="\r\n" if DEVICE else "\n", flush=True)
            if MODE == "chatters" and reply["is"] == "memory":
                print(json.dumps({"is": "error", "why": "unasked"}), flush=True)


if __name__ == "__main__":
    main()
