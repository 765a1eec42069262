"""The host: what a line asks for and what is answered. Its state is the prepared cells and what is known of this
process's memory."""

from __future__ import annotations

import platform
import tempfile
from collections import Counter
from importlib import metadata
from typing import NoReturn

from cryptography.hazmat.backends.openssl import backend

import facts
from cell import Cell, Own, Transfer
from messages import MAX_NUMBER, Failure, Request, Unsupported, Value, failure, line, parse, shown
from monitor import Monitor
from scheme import BOXES, MAX_SIZE, works

PROVIDER = "study"
OPERATION = "transfer"
FORMS = ("discard", "file")

MAX_CELLS = 256  # each is a process
MAX_CELL = 2**32 - 1
MAX_AAD = 2**20
MAX_OFFSET = 4095


class Host:
    def __init__(self) -> None:
        self.algorithms = [algorithm for algorithm in BOXES if works(algorithm)]
        self.cells: dict[int, Cell] = {}
        self.memory = facts.Memory()
        self.own = Own(self.memory.peak, Monitor())
        self.handlers = {
            "describe": self.describe,
            "check": self.check,
            "prepare": self.prepare,
            "sample": self.sample,
            "digest": self.digest,
            "latency": self.latency,
            "clock": self.clock,
            "memory": self.read_memory,
            "release": self.release,
        }

    def close(self) -> None:
        """Ends all receivers and removes all files."""
        for cell in self.cells.values():
            cell.close()
        self.cells.clear()

    def answer(self, text: bytes) -> bytes:
        """The answer to one line, newline included."""
        try:
            request = parse(text)
            do = request.text("do")
            if do not in self.handlers:
                raise Failure(f"{shown(do)} is nothing this worker does; ask for {', '.join(self.handlers)}")
            return self.handlers[do](request)
        except Failure as error:
            return failure(str(error))
        except Unsupported as error:
            return line("unsupported", why=str(error))
        except (MemoryError, OSError) as error:
            return failure(f"the system failed: {error or 'out of memory'}; look at its memory, disk and limits")
        except SystemExit:  # a signal's
            raise
        # Libraries written in Rust panic with a BaseException.
        except BaseException as error:
            said = f"{type(error).__name__} {ascii(str(error))[:1000]}"
            return failure(f"the library failed: {said}; release the cell and leave this offer out")

    def describe(self, _: Request) -> bytes:
        # No "background": between requests both processes sleep. No "compiles": CPython interprets.
        runtime = f"{platform.python_implementation()} {platform.python_version()}"
        version = (
            f"cryptography {metadata.version('cryptography')}, {' '.join(backend.openssl_version_text().split()[:2])}"
        )
        # OpenSSL doesn't tell which code it runs, and the rules of version 4 aren't known to this worker.
        same = {"operations": OPERATION, "forms": ",".join(FORMS), "path": "unknown"}
        lines = [line("worker", protocol=1, worker="study", runtime=runtime)]
        for algorithm in self.algorithms:
            lines.append(line("offer", provider=PROVIDER, version=version, algorithm=algorithm, **same))
        if len(self.algorithms) < len(BOXES):
            missing = ", ".join(BOXES.keys() - self.algorithms)
            lines.append(line("absent", provider=PROVIDER, why=f"this OpenSSL has no {missing}"))
        return b"".join(lines) + line("end")

    def find(self, request: Request) -> tuple[str, str]:
        """The algorithm and the form that a request is about. Reads all that it needs before it says what is not
        here."""
        provider, algorithm, operation = request.text("provider"), request.text("algorithm"), request.text("operation")
        form = request.text("form", FORMS[0])
        if provider != PROVIDER or algorithm not in self.algorithms:
            what = f"no {shown(algorithm)} of provider {shown(provider)} here"
            raise Unsupported(f"{what}; describe lists what there is")
        if operation != OPERATION or form not in FORMS:
            what = f"no operation {shown(operation)} in form {shown(form)}"
            raise Unsupported(f"{algorithm} has {what}; it has {OPERATION}, {' and '.join(FORMS)}")
        return algorithm, form

    def check(self, request: Request) -> NoReturn:
        self.find(request)
        raise Unsupported("transfers have no vectors; they are verified by digests")

    def prepare(self, request: Request) -> bytes:
        number = request.number("cell", 0, MAX_CELL)
        message, aad = request.number("message", 0, MAX_SIZE), request.number("aad", 0, MAX_AAD, 0)
        seed, offset = request.number("seed", 0, MAX_NUMBER), request.number("offset", 0, MAX_OFFSET, 0)
        threads = request.number("threads", 1, MAX_NUMBER, 1)
        if offset % 64:
            raise Failure('the key "offset" is not a multiple of 64; send one')
        if number in self.cells:
            raise Failure(f"cell {number} is prepared already; release it first or take another number")
        if len(self.cells) >= MAX_CELLS:
            raise Failure(f"{MAX_CELLS} cells are prepared; release some first")
        algorithm, form = self.find(request)
        if threads != 1:
            raise Unsupported(f"{threads} threads; this worker measures one thread")
        if aad:
            raise Unsupported(f"an aad of {aad} bytes; the paper's scheme has none")
        cell = Cell(algorithm, form, message, seed)
        suffices(cell.need)
        self.cells[number] = cell
        try:
            cell.open()
        except BaseException:
            del self.cells[number]
            cell.close()
            raise
        return line("ready", cell=number)

    def cell(self, request: Request) -> tuple[int, Cell]:
        """Which cell a request is about."""
        number = request.number("cell", 0, MAX_CELL)
        if number not in self.cells:
            raise Failure(f"cell {number} is not prepared; send prepare first")
        return number, self.cells[number]

    def sample(self, request: Request) -> bytes:
        number, cell = self.cell(request)
        warmup_ns = request.number("warmup_ns", 0, MAX_NUMBER, 0)
        iterations = request.number("iterations", 1, 2**32 - 1)
        cell.left, first = None, cell.last + 1
        begin, passed = facts.now(), 0
        while passed < warmup_ns:
            cell.next(self.own)
            passed = facts.now() - begin
        total = Total()
        for _ in range(iterations):
            total.add(cell.next(self.own))
        if cell.form == "file":
            cell.left = cell.last
        return line("sample", cell=number, iterations=iterations, **total.values(first, cell.last))

    def latency(self, request: Request) -> NoReturn:
        self.cell(request)
        raise Unsupported("transfers are timed by sample, each by itself with iterations 1")

    def digest(self, request: Request) -> bytes:
        number, cell = self.cell(request)
        iteration = request.number("iteration", 0, MAX_NUMBER)
        request.number("first", 0, iteration, iteration)  # transfers don't work on each other's output
        return line("digest", cell=number, sha256=cell.digest(iteration, self.own))

    def clock(self, _: Request) -> bytes:
        step, call = facts.clock_step(), facts.clock_call()
        return line("clock", step_ns=step, call_ns=call, loop_ns=facts.loop_step())

    def read_memory(self, request: Request) -> bytes:
        reset = request.number("reset", 0, 1, 0)
        reply = line("memory", **self.memory.read())
        if reset:
            self.memory.reset()
        return reply

    def release(self, request: Request) -> bytes:
        number, cell = self.cell(request)
        cell.close()
        del self.cells[number]
        return line("released", cell=number)


class Total:
    """What the transfers of a sample came to."""

    def __init__(self) -> None:
        self.sums: Counter[str] = Counter()
        self.peaks: dict[str, int | None] = {}
        self.series: dict[str, list[int]] = {}  # of the last

    def add(self, transfer: Transfer) -> None:
        self.sums.update(transfer.sums)
        for name, peak in transfer.peaks.items():
            most = self.peaks.get(name, 0)
            self.peaks[name] = None if peak is None or most is None else max(peak, most)
        self.series = transfer.series

    def values(self, first: int, last: int) -> dict[str, Value]:
        """In the order of PROTOCOL.md."""
        sums = dict(self.sums)
        own = {"ns": sums.pop("ns"), "cpu_ns": sums.pop("cpu_ns"), "first": first, "last": last}
        return {**own, **sums, **self.peaks, **self.series}


def suffices(need: int) -> None:
    """Raises Unsupported where files of so many bytes take over half of the disk's free space, or of the memory, in
    which they shall stay while they are sent."""
    folder = tempfile.gettempdir()
    for what, free in (f"disk of {folder}", facts.free_disk(folder)), ("memory", facts.free_memory()):
        if free is not None and need > free // 2:
            raise Unsupported(f"this cell's files take {need} bytes, over half of the free {what}: {free} bytes")
