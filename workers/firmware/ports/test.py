"""Tests of the emulated ports with the program of selfcheck.c: `python3 ports/test.py [WORD ...]`, in this folder's
parent; the last line adds up.

Each target of PORTS is built first, and skipped, with the reason, where its compiler or emulator is missing. Words
choose the tests that have all of them in their names, which begin with the target's.
"""

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

FIRMWARE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FIRMWARE))

import build  # noqa: E402
import emulated_board  # noqa: E402

# stm32f4 is a board's, at a serial line, which has no end.
PORTS = "rv32imc", "lx106", "avr", "stm32f4"
PATIENCE = 120  # seconds
LONG_LINE = bytes(32 + i * 7 % 90 for i in range(10240))
LONG_ANSWER = 1 << 20
# Turns of loops that take the counter past where it, or a part of it, wraps: every 52 million instructions on LX106,
# every 67 million cycles on AVR, where a turn takes 12; every 268 million instructions on stm32f4, where it takes 2.
LONG_LOOPS = {"rv32imc": (30_000_000,), "lx106": (30_000_000, 45_000_000, 80_000_000), "avr": (3_000_000, 8_000_000),
              "stm32f4": (30_000_000, 150_000_000)}  # fmt: skip
# Of what a program counts in.
UNITS = {"avr": (b"cycles", 1), "stm32f4": (b"ns", emulated_board.NS_OF_AN_INSTRUCTION)}
# How each program's end shows: exit code, and a word of standard error.
LOST = {"rv32imc": (70, b""), "lx106": (70, b""), "avr": (1, b"the sketch is lost")}


class Skip(Exception):
    """A test that says nothing about a target, and why."""


class Device:
    """An emulator that runs the program, on pipes."""

    def __init__(self, *command: str) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, bufsize=0, **pipes)
        self.left = b""

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in self.process.stdin, self.process.stdout, self.process.stderr:
            pipe.close()

    def send(self, line: bytes) -> None:
        self.process.stdin.write(line + b"\n")

    def read(self) -> bytes:
        while b"\n" not in self.left:
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            got = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not got:
                raise AssertionError(f"no answer; so far {self.left[-100:]!r}")
            self.left += got
        line, self.left = self.left.split(b"\n", 1)
        return line

    def ask(self, line: bytes) -> bytes:
        self.send(line)
        return self.read()

    def cpu_time(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def described(target: str) -> build.Target:
    return emulated_board.target() if target == "stm32f4" else build.Target(target)


def selfcheck(target: str) -> Device:
    device = Device(str(described(target).folder / "selfcheck"))
    if target == "stm32f4":
        # A board hears nothing before it has started.
        while not select.select([device.process.stdout], [], [], 0.2)[0]:
            device.send(b"?")
        answer = device.ask(b"awake")
        while answer != echoed(b"awake"):
            answer = device.read()
    return device


def needs_an_end(target: str) -> None:
    if target == "stm32f4":
        raise Skip("a serial line has no end")


def echoed(line: bytes) -> bytes:
    total = sum(byte * place for place, byte in enumerate(line, 1)) % 2**32
    return b"%d %d %s" % (len(line), total, line[:1024])


def flood(length: int) -> bytes:
    return bytes(32 + ((i ^ i >> 8 ^ i >> 16) & 63) for i in range(length))


def equal(got: object, expected: object, what: object) -> None:
    if got != expected:
        raise AssertionError(f"{what}: expected {str(expected)[:200]}, got {str(got)[:200]}")


def test_200_nops_read_200(target: str) -> None:
    unit, each = UNITS.get(target, (b"instructions", 1))
    with selfcheck(target) as device:
        expected = b"%d %d %s" % (200 * each, 200 * each, unit)
        equal(device.ask(b"nops 2000"), expected, "the least and the most of 2000 readings")


def test_runs_count_the_same(target: str) -> None:
    requests = [b"nops 3", b"spin 1", b"spin 1000", LONG_LINE, b"spin 12345", b"nops 100", b"spin 1000000"]
    answers = []
    for pause in 0, 0.05:
        with selfcheck(target) as device:
            answers.append([])
            for request in requests:
                time.sleep(pause)
                answers[-1].append(device.ask(request))
    equal(answers[1], answers[0], "the second run's answers")


def test_long_loop_counts_exactly(target: str) -> None:
    with selfcheck(target) as device:
        none, thousand = (int(device.ask(b"spin %d" % turns)) for turns in (0, 1000))
        turn, rest = divmod(thousand - none, 1000)
        equal(rest, 0, "what 1000 turns take beyond a whole number each")
        for turns in LONG_LOOPS[target]:
            expected = (none + turn * turns) % 2**32  # the program's own range
            equal(int(device.ask(b"spin %d" % turns)), expected, f"{turns} turns")


def test_long_line_arrives(target: str) -> None:
    with selfcheck(target) as device:
        for _ in range(3):
            equal(device.ask(LONG_LINE), echoed(LONG_LINE), "a line of 10 KiB")


def test_long_answer_arrives(target: str) -> None:
    with selfcheck(target) as device:
        device.send(b"flood %d" % LONG_ANSWER)
        time.sleep(1)  # while the pipe is full
        equal(device.read(), flood(LONG_ANSWER), "an answer of 1 MiB")


def test_requests_sent_at_once_are_answered(target: str) -> None:
    needs_an_end(target)
    lines = [b"%d" % i * (i % 50) for i in range(200)]
    with selfcheck(target) as device:
        out, _ = device.process.communicate(b"\n".join(lines) + b"\n", timeout=PATIENCE)
        equal(out.splitlines(), [echoed(line) for line in lines], "answers")
        equal(device.process.returncode, 0, "exit code")


def test_end_of_input_ends_the_emulator(target: str) -> None:
    needs_an_end(target)
    for line in None, b"hi":
        with selfcheck(target) as device:
            if line:
                equal(device.ask(line), echoed(line), "answer")
            device.process.stdin.close()
            equal(device.process.wait(PATIENCE), 0, "exit code")
            equal(device.process.stdout.read(), b"", "what nothing had asked for")


def test_harness_that_is_gone_ends_the_emulator(target: str) -> None:
    needs_an_end(target)
    with selfcheck(target) as device:
        device.ask(b"hi")
        device.process.stdout.close()
        device.send(b"flood 1000000")
        equal(device.process.wait(PATIENCE) != 0, True, "an exit code other than 0")


def test_bytes_wait_while_the_program_computes(target: str) -> None:
    # As many as a port must keep, sent during a loop.
    lines = [b"%d" % i * 16 for i in range(10, 25)]
    with selfcheck(target) as device:
        device.send(b"spin 3000000\n" + b"\n".join(lines))
        device.read()
        equal([device.read() for _ in lines], [echoed(line) for line in lines], "answers")


def test_lost_board_starts_anew(target: str) -> None:
    if target != "stm32f4":
        raise Skip("its emulator ends")
    for way in b"break", b"leave":
        with selfcheck(target) as device:
            device.send(way)
            while not select.select([device.process.stdout], [], [], 0.2)[0]:
                device.send(b"?")
            equal(device.read()[-1:], b"?", f"an answer after {way}")


def test_lost_program_ends_the_emulator(target: str) -> None:
    if target not in LOST:
        raise Skip("it starts anew")
    # Only the simulator of the smallest one watches the stack.
    for way in (b"break", b"leave", *([b"recurse"] if target == "avr" else [])):
        with selfcheck(target) as device:
            device.send(way)
            code, word = LOST[target]
            equal(device.process.wait(PATIENCE), code, f"exit code of {way}")
            error = device.process.stderr.read()
            if word not in error:
                raise AssertionError(f"{way}: no {word!r} in {error!r}")


def test_waiting_takes_no_cpu_time(target: str) -> None:
    if target == "stm32f4":
        raise Skip("it waits awake")
    with selfcheck(target) as device:
        device.ask(b"hi")
        time.sleep(0.2)
        before = device.cpu_time()
        time.sleep(2)
        used = device.cpu_time() - before
        # A loop that waits would take all of them.
        if used > 1:
            raise AssertionError(f"{used} s of CPU time in 2 s")


def test_uart_does_as_well(target: str) -> None:
    if target != "rv32imc":
        raise Skip("it has one way in")
    told = build.TARGETS[target]["emulator"].format(image=FIRMWARE / "build" / target / "selfcheck.elf")
    semihosting = " -semihosting-config enable=on,target=native"
    equal(semihosting in told, True, "that the option is there to be left out")
    with Device(*told.replace(semihosting, "").replace("-serial none", "-serial stdio").split()) as device:
        equal(device.ask(b"nops 500"), b"200 200 instructions", "the least and the most of 500 readings")
        equal(device.ask(LONG_LINE), echoed(LONG_LINE), "a line of 10 KiB")
        device.send(b"flood 300000")
        time.sleep(1)
        equal(device.read(), flood(300000), "an answer of 300 kB")
        before = device.cpu_time()
        time.sleep(1)
        equal(device.cpu_time() - before < 0.5, True, "that waiting takes no CPU time")


def outcome(name: str, test: Callable[[str], None], target: str) -> str:
    began = time.monotonic()
    try:
        test(target)
    except Skip as why:
        print(f"skipped  {name}: {why}", flush=True)
        return "skipped"
    except Exception as error:
        print(f"FAILED: {name}: {error!r}", flush=True)
        return "failed"
    print(f"ok       {name} ({time.monotonic() - began:.1f} s)", flush=True)
    return "passed"


def prepare(target: str) -> None:
    made = described(target)
    if missing := made.missing():
        raise Skip(missing)
    build.build_all(made, planted=False, selfcheck=True)


def main() -> int:
    outcomes = []
    for target in PORTS:
        found = {
            f"{target} {name[5:].replace('_', ' ')}": test
            for name, test in globals().items()
            if name.startswith("test_")
        }
        tests = {name: test for name, test in found.items() if all(word in name for word in sys.argv[1:])}
        if not tests:
            continue
        outcomes.append(outcome(f"{target} is built", prepare, target))
        if outcomes[-1] == "passed":
            outcomes += [outcome(name, test, target) for name, test in tests.items()]
    print(", ".join(f"{outcomes.count(kind)} {kind}" for kind in ("passed", "failed", "skipped")))
    return "failed" in outcomes


if __name__ == "__main__":
    sys.exit(main())
