"""The smallest worker: seal and open of cryptography's ChaCha20Poly1305, in the form `fresh`, as provider `mine`.

It answers each line of PROTOCOL.md on its standard input with a line on its standard output, and passes the
conformance suite. To measure another library, change `OFFER` and the class `Cell`.

It takes two liberties: it reads a complete line before it refuses it for its length, and it leaves it to the system
to decide what fits into memory.
"""

import hashlib
import json
import sys
import time

import cryptography
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

WORKER = {"is": "worker", "protocol": 1, "worker": "mine", "runtime": "Python " + sys.version.split()[0]}
OFFER = {
    "is": "offer",
    "provider": "mine",
    "version": cryptography.__version__,
    "algorithm": "chacha20-poly1305",
    "operations": "seal,open",
    "forms": "fresh",
    "path": "unknown",  # which instructions it uses: the library does not say
}
MAX_LINE, MAX_MESSAGE, MAX_AAD = 65536, 2**30, 2**20
now = time.perf_counter_ns


def stream(label: str, seed: int, length: int) -> bytes:
    """The bytes that a seed stands for, which both sides know: PROTOCOL.md, "Seed"."""
    hashes = (hashlib.sha256(f"ciphermeter {label} {seed} {i}".encode()).digest() for i in range(128))
    return (b"".join(hashes)[:4093] * (length // 4093 + 1))[:length]


class Cell:
    """One thing measured: a key, a message and an operation, with the calls that are timed."""

    def __init__(self, request: dict) -> None:
        seed, message, aad = request["seed"], request["message"], request.get("aad", 0)
        if message > MAX_MESSAGE or aad > MAX_AAD:
            raise ValueError("send a message of at most 2^30 bytes, an aad of 2^20")
        self.seals = request["operation"] == "seal"
        self.box = ChaCha20Poly1305(stream("key", seed, 32))
        self.aad = stream("aad", seed, aad)
        # The last four bytes of each nonce; the first eight count the iterations.
        self.salt = stream("nonce", seed, 12)[8:]
        self.text = stream("message", seed, message)
        if not self.seals:
            # What is opened, again and again, is what iteration 0 would have sealed.
            self.text = self.box.encrypt(self.nonce(0), self.text, self.aad)
        self.first = self.next = 1
        # The first and last iteration of the latest sample with its warm-up, and what the last one returned.
        self.left: tuple[int, int, bytes] | None = None

    def nonce(self, iteration: int) -> bytes:
        return iteration.to_bytes(8, "big") + self.salt

    def repeat(self, first: int, count: int) -> bytes:
        """The timed loop: nothing in it but what each message takes.

        Each output is released before the next is made. With both alive, a heap of glibc's may end with the older one
        and give its pages back to the system: then each call at 1 MiB has 257 page faults, and takes twice as long.
        """
        self.left, text, aad, salt, output = None, self.text, self.aad, self.salt, None
        if self.seals:
            seal = self.box.encrypt
            for i in range(first, first + count):
                output = None
                output = seal(i.to_bytes(8, "big") + salt, text, aad)
        else:
            unseal, nonce = self.box.decrypt, self.nonce(0)
            for _ in range(count):
                output = None
                output = unseal(nonce, text, aad)
        return output or b""

    def warm_up(self, ns: int) -> None:
        """Makes calls for as long as the harness asks; they belong to the sample that follows."""
        self.first, begin = self.next, now()
        while now() < begin + ns:
            self.sample(1)

    def sample(self, count: int) -> int:
        """Makes the next calls; returns how many ns they took."""
        first, self.next = self.next, self.next + count
        begin = now()
        output = self.repeat(first, count)
        end = now()
        self.left = (self.first, self.next - 1, output)
        return end - begin

    def output(self, first: int, last: int) -> bytes:
        """What the timed calls left; of other iterations, what they would leave."""
        if self.left and self.left[:2] == (first, last):
            return self.left[2]
        return self.repeat(last, 1)


cells: dict[int, Cell] = {}


def describe() -> dict:
    print(json.dumps(WORKER))
    print(json.dumps(OFFER))
    return {"is": "end"}


def clock() -> dict:
    return {"is": "clock", "step_ns": max(1, -now() + now()), "call_ns": -now() + now(), "loop_ns": 0}


def memory(request: dict) -> dict:
    """This worker counts no memory: absent is absent."""
    if request.get("reset", 0) not in (0, 1):
        raise ValueError("send a reset of 0 or 1")
    return {"is": "memory", "rss": None, "peak_rss": None, "heap": None, "peak_heap": None}


def must_be_offered(request: dict) -> None:
    asked = request["provider"], request["algorithm"], request.get("form", "fresh"), request["operation"]
    if asked[:3] != ("mine", "chacha20-poly1305", "fresh") or asked[3] not in ("seal", "open"):
        raise ValueError(f"{asked} is not offered; ask `describe` what is")


def check(request: dict) -> dict:
    """One call with given bytes, compared with vectors by the harness before anything is timed."""
    must_be_offered(request)
    key, nonce, aad, text = (bytes.fromhex(request.get(name, "")) for name in ("key", "nonce", "aad", "input"))
    if len(key) != 32 or len(nonce) != 12 or len(text) > 16384:
        return {"is": "unsupported", "why": "it takes 32 bytes of key, 12 of nonce, and checks at most 16 KiB"}
    box = ChaCha20Poly1305(key)
    call = box.encrypt if request["operation"] == "seal" else box.decrypt
    try:
        return {"is": "output", "output": call(nonce, text, aad).hex()}
    except InvalidTag:
        return {"is": "rejected"}


def prepare(request: dict) -> dict:
    must_be_offered(request)
    number, offset = request["cell"], request.get("offset", 0)
    if number in cells or number >= 2**32 or offset not in range(0, 4096, 64):
        raise ValueError("send a new cell below 2^32, and an offset below 4096 that is a multiple of 64")
    if request.get("threads", 1) != 1:
        return {"is": "unsupported", "why": "this worker measures one thread"}
    cells[number] = Cell(request)
    return {"is": "ready"}


def calls(given: int, most: int) -> int:
    if not 1 <= given <= most:
        raise ValueError(f"send a number of calls from 1 to {most}")
    return given


def prepared(request: dict) -> Cell:
    number = request["cell"]
    if number not in cells:
        raise ValueError(f"cell {number} is not prepared; send prepare first")
    return cells[number]


def sample(request: dict) -> dict:
    cell, count = prepared(request), calls(request["iterations"], 2**32 - 1)
    cell.warm_up(request.get("warmup_ns", 0))
    ns = cell.sample(count)
    return {"is": "sample", "iterations": count, "ns": ns, "cpu_ns": None, "first": cell.first, "last": cell.next - 1}


def latency(request: dict) -> dict:
    """Single calls, each timed for itself."""
    cell, count = prepared(request), calls(request["count"], 4000)
    cell.warm_up(request.get("warmup_ns", 0))
    return {"is": "latency", "ns": [cell.sample(1) for _ in range(count)], "clock_ns": -now() + now()}


def digest(request: dict) -> dict:
    last = request["iteration"]
    output = prepared(request).output(request.get("first", last), last)
    return {"is": "digest", "sha256": hashlib.sha256(output).hexdigest()}


def release(request: dict) -> dict:
    prepared(request)
    del cells[request["cell"]]
    return {"is": "released"}


ANSWERS = {
    "check": check,
    "prepare": prepare,
    "sample": sample,
    "latency": latency,
    "digest": digest,
    "release": release,
    "memory": memory,
    "describe": lambda _: describe(),
    "clock": lambda _: clock(),
}


def integer(digits: str) -> int:
    if not 0 <= int(digits) < 2**53:
        raise ValueError("numbers are integers from 0 to 2^53 - 1")
    return int(digits)


def answer(line: bytes) -> dict:
    try:
        if len(line) > MAX_LINE:
            raise ValueError("send shorter lines")
        request = json.loads(line, parse_int=integer, parse_float=integer)
        if any(isinstance(value, bool) for value in request.values()):
            raise ValueError("send no booleans")
        # null means absent.
        request = {key: value for key, value in request.items() if value is not None}
        return {"cell": request.get("cell"), **ANSWERS[request["do"]](request)}
    except KeyError as key:
        why = f"{key} is missing or unknown"
    except Exception as error:  # whatever a line says, it gets an answer
        why = repr(error)
    return {"is": "error", "why": why[:1000]}


for given in sys.stdin.buffer:
    if given.strip():  # blank lines get none
        print(json.dumps(answer(given)), flush=True)
