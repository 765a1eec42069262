"""The host: what a line asks for and what is answered. Its state is the prepared cells, the arena and whose output lies
in it."""

from __future__ import annotations

import platform
from typing import NamedTuple

import facts
import timing
from arena import PAGE, Arena
from cell import Cell
from check import check
from loops import EMPTY, Parts, loop
from messages import MAX_LINE, MAX_NUMBER, Failure, Rejected, Request, Unsupported, failure, line, parse, shown
from offers import Absent, Offer
from stream import sha256

MAX_CELLS = 2**16
MAX_CELL = 2**32 - 1
MAX_MESSAGE = 2**30
MAX_AAD = 2**20
MAX_INPUT = 2**14  # of check


class Left(NamedTuple):
    """What the latest sample left in the buffers."""

    cell: Cell
    first: int
    last: int
    output: Parts


class Host:
    def __init__(self, offers: list[Offer], absent: list[Absent]) -> None:
        self.offers, self.absent = offers, absent
        self.cells: dict[int, Cell] = {}
        self.arena = Arena()
        self.left: Left | None = None
        self.memory = facts.Memory()
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
        except Rejected:
            return line("rejected")
        except Unsupported as error:
            return line("unsupported", why=str(error))
        except (MemoryError, OSError) as error:
            self.left = None
            return failure(f"the system has no memory for this ({error or 'out of memory'}); use a smaller message")
        # Libraries written in Rust panic with a BaseException.
        except BaseException as error:
            self.left = None
            said = f"{type(error).__name__} {ascii(str(error))[:1000]}"
            return failure(f"the library failed: {said}; release the cell and leave this offer out")

    def describe(self, _: Request) -> bytes:
        # No "background": an idle interpreter doesn't wake. No "compiles": CPython interprets.
        runtime = f"{platform.python_implementation()} {platform.python_version()}"
        lines = [line("worker", protocol=1, worker="python", runtime=runtime)]
        for offer in self.offers:
            inside = {} if offer.key_setup else {"setup": "inside"}
            operations, forms = ",".join(offer.operations), ",".join(offer.forms)
            about = {"provider": offer.provider, "version": offer.version, "algorithm": offer.algorithm}
            lines.append(line("offer", **about, operations=operations, forms=forms, path=offer.path, **inside))
        lines += [line("absent", provider=name, why=why) for name, why in self.absent]
        return b"".join(lines) + line("end")

    def find(self, request: Request) -> tuple[Offer, str, str]:
        """Which of the offers a request is about. Reads all that it needs before it says what is not here."""
        provider, name, operation = request.text("provider"), request.text("algorithm"), request.text("operation")
        form = request.text("form", "")
        found = [offer for offer in self.offers if (offer.provider, offer.algorithm) == (provider, name)]
        if not found:
            raise Unsupported(f"no {shown(name)} of provider {shown(provider)} here; describe lists what there is")
        offer = found[0]
        for what, value, known in ("operation", operation, offer.operations), ("form", form, ["", *offer.forms]):
            if value not in known:
                has = ", ".join(filter(None, known))
                raise Unsupported(f"{name} of {provider} has no {what} {shown(value)}; it has {has}")
        return offer, operation, form or offer.forms[0]

    def check(self, request: Request) -> bytes:
        key, text = request.hex("key"), request.hex("input")
        nonce, aad = request.hex("nonce", ""), request.hex("aad", "")
        if len(text) > MAX_INPUT:
            raise Failure(f"an input of {len(text)} bytes; send at most {MAX_INPUT}")
        output = check(*self.find(request), key=key, nonce=nonce, aad=aad, text=text)
        return line("output", output=output.hex())

    def prepare(self, request: Request) -> bytes:
        number = request.number("cell", 0, MAX_CELL)
        message, aad = request.number("message", 0, MAX_MESSAGE), request.number("aad", 0, MAX_AAD, 0)
        seed, offset = request.number("seed", 0, MAX_NUMBER), request.number("offset", 0, PAGE - 1, 0)
        threads = request.number("threads", 1, MAX_NUMBER, 1)
        if offset % 64:
            raise Failure('the key "offset" is not a multiple of 64; send one')
        if number in self.cells:
            raise Failure(f"cell {number} is prepared already; release it first or take another number")
        if len(self.cells) >= MAX_CELLS:
            raise Failure(f"{MAX_CELLS} cells are prepared; release some first")
        offer, operation, form = self.find(request)
        if threads != 1:
            raise Unsupported(f"{threads} threads; this worker measures one thread")
        cell = Cell(offer, operation, form, message=message, aad=aad, seed=seed, offset=offset)
        suffices(cell.need)
        self.cells[number] = cell
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
        self.left = None
        done = timing.sample(cell, self.arena, warmup_ns, iterations)
        self.left = Left(cell, done.first, done.last, done.output)
        times = {"ns": done.ns, "cpu_ns": done.cpu_ns, "first": done.first, "last": done.last}
        return line("sample", cell=number, iterations=iterations, **times)

    def latency(self, request: Request) -> bytes:
        number, cell = self.cell(request)
        count, warmup_ns = request.number("count", 1, 4000), request.number("warmup_ns", 0, MAX_NUMBER, 0)
        self.left = None
        times = timing.latency(cell, self.arena, warmup_ns, count)
        reply = line("latency", cell=number, ns=times, clock_ns=facts.clock_call())
        if len(reply) > MAX_LINE:
            raise Failure(f"the answer is longer than {MAX_LINE} bytes; ask for a smaller count")
        return reply

    def digest(self, request: Request) -> bytes:
        number, cell = self.cell(request)
        iteration = request.number("iteration", 0, MAX_NUMBER)
        first = request.number("first", 0, MAX_NUMBER, iteration)
        if cell.operation == "key-setup":
            raise Unsupported("key-setup has no digest")
        left = self.left
        if left and (left.cell, left.first, left.last) == (cell, first, iteration):
            output = left.output
        else:  # not in the host's arena, where a sample's output may wait for its own digest
            output = timing.anew(cell, Arena(), first, iteration)
        digest = sha256()
        for part in output:
            digest.update(part)
        return line("digest", cell=number, sha256=digest.hexdigest())

    def clock(self, _: Request) -> bytes:
        empty = facts.quietest(loop(EMPTY, {}).repeat, 100_000)
        return line("clock", step_ns=facts.clock_step(), call_ns=facts.clock_call(), loop_ns=empty)

    def read_memory(self, request: Request) -> bytes:
        reset = request.number("reset", 0, 1, 0)
        reply = line("memory", **self.memory.read())
        if reset:
            self.memory.reset()
        return reply

    def release(self, request: Request) -> bytes:
        number, cell = self.cell(request)
        if self.left and self.left.cell is cell:
            self.left = None
        del self.cells[number]
        if not self.cells:  # a large cell's memory shall not show in what is measured later
            self.left = None
            self.arena.free()
        return line("released", cell=number)


def suffices(need: int) -> None:
    """Raises Unsupported where so many bytes are over half of the free memory, or of what this process may map."""
    free, room = facts.free_memory(), facts.room_left()
    if free is not None and need > free // 2:
        raise Unsupported(f"this cell needs {need} bytes, more than half of the free memory of {free} bytes")
    if room is not None and need > room // 2:
        limit = f"more than half of the {room} that this process may still take"
        raise Unsupported(f"this cell needs {need} bytes, {limit}; raise the limit with ulimit -v")
