"""A worker that is honest by default and bad in exactly one way on demand.

Provider `bad`, algorithm `xor`, by PROTOCOL.md and the standard library alone.
`worker.py MODE [REQUEST]`: what MODE breaks, it breaks when it is asked REQUEST
(default: sample); wrong-output, cached and skipping are about the work itself.
"""

import fcntl
import json
import os
import signal
import sys
import termios
import time
from functools import cache
from hashlib import sha256
from zlib import crc32

MODE = sys.argv[1] if len(sys.argv) > 1 else "honest"
WHEN = sys.argv[2] if len(sys.argv) > 2 else "sample"
PERIOD = 4093
cells = {}


def is_second():
    """Whether another process of this command lives; the lock goes with the process."""
    try:
        fcntl.flock(os.open("only", os.O_CREAT | os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


IS_SECOND = MODE == "slow-as-second" and is_second()


@cache
def stream(label, seed, n):
    blocks = (sha256(f"ciphermeter {label} {seed} {i}".encode()).digest() for i in range(PERIOD // 32 + 1))
    return (b"".join(blocks)[:PERIOD] * (n // PERIOD + 1))[:n]


def xor(key, text):
    mask = (key * (len(text) // len(key) + 1))[: len(text)]
    return (int.from_bytes(text, "big") ^ int.from_bytes(mask, "big")).to_bytes(len(text), "big")


class Cell:
    def __init__(self, asked):
        encrypts = self.encrypts = asked["operation"] == "encrypt"
        self.chains = encrypts and asked["form"] in ("in-place", "static")
        self.key = stream("key", asked["seed"], 32)
        message = stream("message", asked["seed"], asked["message"])
        self.input = message if encrypts else xor(self.key, message)
        # What a skipped call leaves: the message where it is worked on in place, else nothing.
        self.cleared = message if self.chains else bytes(len(message))
        # Where the second thread's slice begins; of long messages only, so that it is right when it is verified.
        self.border = len(message) // 64 // asked["threads"] * 64
        self.slips = MODE == "slips-at-border" and asked["threads"] > 1 and len(message) > 4 << 20
        self.count = 0
        self.left = (None, None, b"")

    def calls(self, count, buffer):
        """Runs so many iterations; in place, each works on what the one before it left."""
        for _ in range(count):
            buffer = xor(self.key, buffer if self.chains else self.input)
        return buffer

    def sample(self, warmup_ns, iterations):
        first, buffer = self.count + 1, self.cleared
        begun = time.perf_counter_ns()
        while time.perf_counter_ns() - begun < warmup_ns:
            buffer = self.calls(1, buffer)
            self.count += 1
        lazy = {"skipping": 0, "cached": max(iterations - 1, 1)}
        begun, cpu = time.perf_counter_ns(), time.process_time_ns()
        buffer = self.calls(lazy.get(MODE, iterations), buffer)
        # The same work again, in vain.
        self.calls(iterations * self.extra(), self.cleared)
        ns, cpu = time.perf_counter_ns() - begun, time.process_time_ns() - cpu
        ns //= 12 if MODE == "twelfth" else 1
        self.count += iterations
        if self.slips:
            buffer = bytearray(buffer)
            buffer[self.border] ^= 1
        self.left = (first, self.count, bytes(buffer))
        return {"iterations": iterations, "ns": max(ns, 1), "cpu_ns": cpu, "first": first, "last": self.count}

    def extra(self):
        """How many times the work is done in vain, within the sample."""
        if MODE == "slow" or MODE == "slow-encrypt" and self.encrypts:
            return 3
        if MODE == "slow-in-company":
            # As long as the process has cells that decrypt, too: they raise no alarm.
            return 3 * (self.encrypts and any(not cell.encrypts for cell in cells.values()))
        return 8 * (MODE == "slow-as-second" and IS_SECOND)

    def digest(self, first, iteration):
        first = iteration if first is None else first
        if (first, iteration) == self.left[:2]:
            return sha256(self.left[2]).hexdigest()
        if not 0 <= iteration - first < 2**24:
            raise ValueError("that many iterations; ask for at most 2^24")
        # Every second call undoes the one before it, so a chain of any length is one of one or two.
        return sha256(self.calls((iteration - first) % 2 + 1, self.cleared)).hexdigest()


    def peek(self, at, count):
        return {"is": "bytes", "bytes": self.left[2][at : at + count].hex()}

    def verify(self, first, last):
        back = self.calls((last - first) % 2 + 1, self.left[2])
        self.left = (None, None, b"")
        return {"is": "verified", "crc32": crc32(back)}


def describe(_asked):
    yield {"is": "worker", "protocol": 1, "worker": "bad", "runtime": "python", "background": int(MODE == "background")}
    if MODE == "absent":
        yield {"is": "absent", "provider": "bad", "why": "its wheel can't be loaded; build the worker again"}
        yield {"is": "end"}
        return
    yield {"is": "offer", "provider": "bad", "version": "1", "algorithm": "xor", "operations": "encrypt,decrypt",
           "forms": "in-place,into,static", "path": "soft"}
    yield {"is": "end"}


def check(asked):
    if len(asked["key"]) != 64 or asked.get("nonce"):
        raise ValueError("other sizes of key or nonce", "unsupported")
    output = xor(bytes.fromhex(asked["key"]), bytes.fromhex(asked["input"]))
    if MODE == "wrong-output" and output:
        output = output[:-1] + bytes([output[-1] ^ 1])
    return {"is": "output", "output": output.hex()}


def prepare(asked):
    if asked["cell"] in cells:
        raise ValueError("the cell is prepared; send release first")
    cells[asked["cell"]] = Cell(asked)
    return {"is": "ready", "cell": asked["cell"]}


def of_cell(does):
    def answer(asked):
        if asked["cell"] not in cells:
            raise ValueError(f"cell {asked['cell']} is not prepared; send prepare first")
        return {"is": asked["do"], "cell": asked["cell"]} | does(cells[asked["cell"]], asked)
    return answer


DOES = {
    "describe": describe,
    "check": check,
    "prepare": prepare,
    "sample": of_cell(lambda cell, asked: cell.sample(asked.get("warmup_ns", 0), asked["iterations"])),
    "digest": of_cell(lambda cell, asked: {"sha256": cell.digest(asked.get("first"), asked["iteration"])}),
    "peek": of_cell(lambda cell, asked: cell.peek(asked["at"], asked["bytes"])),
    "verify": of_cell(lambda cell, asked: cell.verify(asked["first"], asked["iteration"])),
    "latency": of_cell(lambda cell, asked: {"ns": [cell.sample(0, 1)["ns"]] * asked["count"], "clock_ns": 50}),
    "release": of_cell(lambda cell, asked: {"is": "released", "of": str(cells.pop(asked["cell"]))}),
    "clock": lambda _asked: {"is": "clock", "step_ns": 1, "call_ns": 50, "loop_ns": 20},
    "memory": lambda _asked: {"is": "memory", "rss": None},
}
LIES = {"coarse": ("step_ns", 900_000_000), "wrong-cell": ("cell", 4_000_000), "zero-ns": ("ns", 0), "huge-ns": ("ns", 2**63), "late-ns": ("ns", 2**52)}


def answer_without_reading():
    """Refuses each request that arrives, and leaves it in the pipe; the file `deaf` is there once no more fits in."""
    unread, idle = 0, 0
    fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
    while True:
        waiting = int.from_bytes(fcntl.ioctl(0, termios.FIONREAD, bytes(4)), sys.byteorder)
        if waiting > unread:
            print(json.dumps({"is": "unsupported", "why": "no"}), flush=True)
        idle = 0 if waiting > unread else idle + 1
        if idle == 500:
            open("deaf", "w").close()
        unread = waiting
        time.sleep(0.0005)


def breaks(reply):
    """What MODE does in place of a reply."""
    if MODE == "deaf":
        print(json.dumps(reply), flush=True)
        answer_without_reading()
    if MODE in LIES:
        return reply | dict([LIES[MODE]])
    if MODE == "hangs":
        open("hangs", "w").close()
        time.sleep(600)
    if MODE == "twice":
        print(json.dumps(reply))
    if MODE == "early":
        # The answer to the next request, before that comes.
        print(json.dumps(reply) + "\n" + json.dumps({"is": "rejected"}), flush=True)
        return None
    if MODE == "drips":
        for byte in json.dumps(reply):
            print(byte, end="", flush=True)
            time.sleep(0.3)
    if MODE == "closes":
        os.close(0)
        print(json.dumps(reply), flush=True)
        time.sleep(600)
    if MODE == "nan":
        return print(json.dumps(reply | {"ns": float("nan")}), flush=True)
    if MODE == "backwards":
        reply = reply | {"ns": -5}
    if MODE == "leaves":
        # A child that keeps the pipes, ignores requests to end, and works on.
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        os._exit(7)
    if MODE == "dies":
        print("no more samples from me", file=sys.stderr, flush=True)
        os._exit(7)
    if MODE == "killed":
        os.kill(os.getpid(), 9)
    if MODE == "chatters":
        print("still here " * 20_000, file=sys.stderr, flush=True)
    if MODE == "garbage":
        return print("\x07no reply", flush=True)
    while MODE in ("flood", "flood-lines"):
        print("x" * 4096 if MODE == "flood" else json.dumps(reply), end="\n" if MODE == "flood-lines" else "")
    return reply


def main():
    for line in filter(str.strip, sys.stdin):
        asked = {}
        try:
            asked = {key: value for key, value in json.loads(line).items() if value is not None}
            said = DOES[asked["do"]](asked)
        except (ValueError, KeyError) as refused:
            why, kind = (*refused.args, "error")[:2]
            said = {"is": kind, "why": f"{why}"}
        for reply in [said] if isinstance(said, dict) else said:
            reply = breaks(reply) if asked.get("do") == WHEN else reply
            if reply:
                print(json.dumps(reply), flush=True)


main()
