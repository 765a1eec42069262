"""The host: requests and answers. Its state is the prepared cells and what is known of this
process's memory."""

from __future__ import annotations

import platform

import facts
from kinds import Absent, Cell, Kind, Layout, Offer, Want
from messages import MAX_LINE, MAX_NUMBER, Failure, Rejected, Request, Unsupported, failure, line, parse, shown

MAX_CELL = 2**32 - 1
MAX_MESSAGE = 2**30
MAX_AAD = 2**20
MAX_OFFSET = 4095
MAX_INSTANCES = 8
MAX_TEXTS = 2**20
MAX_KEYS = 2**16
MAX_INPUT = 2**14  # of check


class Host:
    def __init__(self, kinds: list[Kind], absent: list[Absent]) -> None:
        self.kinds, self.absent = kinds, absent
        self.cells: dict[int, Cell] = {}
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

    @property
    def tidies(self) -> bool:
        """Whether `close` does more than the end of this process."""
        return any(kind.tidies for kind in self.kinds)

    def close(self) -> None:
        """Releases all cells."""
        for cell in self.cells.values():
            cell.close()
        self.cells.clear()

    def answer(self, text: bytes) -> bytes:
        """The answer to one line, newline included."""
        try:
            request = parse(text)
            do = request.text("do")
            if do not in self.handlers:
                raise Failure(f"{shown(do)} is not a request of this worker; send one of {', '.join(self.handlers)}")
            return self.handlers[do](request)
        except Failure as error:
            return failure(str(error))
        except Rejected:
            return line("rejected")
        except Unsupported as error:
            return line("unsupported", why=str(error))
        except (MemoryError, OSError) as error:
            why = f"the system failed ({error or 'out of memory'})"
            return failure(f"{why}; use a smaller message, or check its memory, disk and limits")
        except SystemExit:  # a signal's
            raise
        # Libraries written in Rust panic with a BaseException.
        except BaseException as error:
            said = f"{type(error).__name__} {ascii(str(error))[:1000]}"
            return failure(f"the library failed: {said}; release the cell and leave this offer out")

    def describe(self, _: Request) -> bytes:
        # No "background": an idle interpreter does not wake. No "compiles": CPython interprets.
        runtime = f"{platform.python_implementation()} {platform.python_version()}"
        lines = [line("worker", protocol=1, worker="python", runtime=runtime, layouts=1, rotates=1, process_cpu=1)]
        for offer in (offer for kind in self.kinds for offer in kind.offers):
            setup = {"setup": offer.setup} if offer.setup else {}
            operations, forms = ",".join(offer.operations), ",".join(offer.forms)
            about = {"provider": offer.provider, "version": offer.version, "algorithm": offer.algorithm}
            lines.append(line("offer", **about, operations=operations, forms=forms, path=offer.path, **setup))
        lines += [line("absent", provider=name, why=why) for name, why in self.absent]
        return b"".join(lines) + line("end")

    def find(self, request: Request) -> tuple[Kind, Offer, str, str]:
        """The offer that a request concerns, and its kind. Reads all keys before it reports what is
        missing."""
        provider, name, operation = request.text("provider"), request.text("algorithm"), request.text("operation")
        form = request.text("form", "")
        every = ((kind, offer) for kind in self.kinds for offer in kind.offers)
        found = [(kind, offer) for kind, offer in every if (offer.provider, offer.algorithm) == (provider, name)]
        found.sort(key=lambda one: operation not in one[1].operations)  # transfers have an offer of their own
        if not found:
            raise Unsupported(f"no {shown(name)} of provider {shown(provider)} here; describe lists what there is")
        kind, offer = found[0]
        for what, value, known in ("operation", operation, offer.operations), ("form", form, ["", *offer.forms]):
            if value not in known:
                has = ", ".join(filter(None, known))
                raise Unsupported(f"{name} of {provider} has no {what} {shown(value)}; it has {has}")
        return kind, offer, operation, form or offer.forms[0]

    def check(self, request: Request) -> bytes:
        key, text = request.hex("key"), request.hex("input")
        nonce, aad = request.hex("nonce", ""), request.hex("aad", "")
        if len(text) > MAX_INPUT:
            raise Failure(f"an input of {len(text)} bytes; send at most {MAX_INPUT}")
        kind, offer, operation, form = self.find(request)
        output = kind.check(offer, operation, form, key=key, nonce=nonce, aad=aad, text=text)
        return line("output", output=output.hex())

    def prepare(self, request: Request) -> bytes:
        number = request.number("cell", 0, MAX_CELL)
        message, aad = request.number("message", 0, MAX_MESSAGE), request.number("aad", 0, MAX_AAD, 0)
        seed, offset = request.number("seed", 0, MAX_NUMBER), request.number("offset", 0, MAX_OFFSET, 0)
        threads = request.number("threads", 1, MAX_NUMBER, 1)
        instances = request.number("instances", 1, MAX_INSTANCES, 1)
        texts, keys = request.number("texts", 1, MAX_TEXTS, 1), request.number("keys", 1, MAX_KEYS, 1)
        if offset % 64:
            raise Failure('the key "offset" is not a multiple of 64; send one')
        if number in self.cells:
            raise Failure(f"cell {number} is prepared already; release it first or take another number")
        kind, offer, operation, form = self.find(request)
        if len(self.cells) >= kind.most_cells:
            raise Failure(f"{len(self.cells)} cells are prepared; release some first")
        if threads != 1:
            raise Unsupported(f"{threads} threads; this worker measures one thread")
        cell = kind.cell(offer, Want(operation, form, message, aad, seed, offset, instances, texts, keys))
        self.cells[number] = cell  # before it is open, so that a signal handler finds what it has opened
        try:
            cell.open()
        except BaseException:
            cell.close()
            del self.cells[number]
            raise
        return line("ready", cell=number)

    def cell(self, request: Request) -> tuple[int, Cell]:
        """The cell that a request concerns."""
        number = request.number("cell", 0, MAX_CELL)
        if number not in self.cells:
            raise Failure(f"cell {number} is not prepared; send prepare first")
        return number, self.cells[number]

    def sample(self, request: Request) -> bytes:
        number, cell = self.cell(request)
        warmup_ns = request.number("warmup_ns", 0, MAX_NUMBER, 0)
        iterations = request.number("iterations", 1, 2**32 - 1)
        if layout := read_layout(request):
            cell.move_to(layout)
        return line("sample", cell=number, iterations=iterations, **cell.sample(warmup_ns, iterations))

    def latency(self, request: Request) -> bytes:
        number, cell = self.cell(request)
        count, warmup_ns = request.number("count", 1, 4000), request.number("warmup_ns", 0, MAX_NUMBER, 0)
        times = cell.latency(warmup_ns, count)
        reply = line("latency", cell=number, ns=times, clock_ns=facts.clock_call())
        if len(reply) > MAX_LINE:
            raise Failure(f"the answer is longer than {MAX_LINE} bytes; ask for a smaller count")
        return reply

    def digest(self, request: Request) -> bytes:
        number, cell = self.cell(request)
        iteration = request.number("iteration", 0, MAX_NUMBER)
        first = request.number("first", 0, MAX_NUMBER, iteration)
        return line("digest", cell=number, sha256=cell.digest(first, iteration))

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


def read_layout(request: Request) -> Layout | None:
    """A sample's layout, if it has one: all of its positions are checked, also those that Python cannot move."""
    if "stack" not in request.values:
        return None
    stack, nonce = request.number("stack", 0, 1023), request.number("nonce", 0, MAX_OFFSET)
    layout = Layout(request.number("offset", 0, MAX_OFFSET), request.number("instance", 0, MAX_INSTANCES - 1))
    if stack % 16 or nonce % 16:
        raise Failure('the keys "stack" and "nonce" are not multiples of 16; send such')
    return layout
