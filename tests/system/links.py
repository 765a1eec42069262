"""Transfers compared with iperf3 over the same shaped links, with as many streams: `tests/system/run --links ROUNDS`.

In each cell iperf3 and ours take turns, so that what else the machine does slows both. Both move the same number of
bytes: a connection that loses packets begins far faster than it goes on, so that whoever moved less would look better.
iperf3 encrypts nothing, and its time runs from when its connections are open until its server has the bytes. Ours runs
from when data may flow to the receipt that all is authentic: it opens its connections in that time, and waits for its
slowest stream and for the way back.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from conftest import Ours
from network import Network, network_of
from transfer import begin

RATE = "25MiB"  # a second: two CPUs carry several such links at once
ROUND_TRIPS = (10, 50, 100)  # ms
LOSSES = ("none", "0.1%", "1%")  # in each direction
STREAMS = (1, 2, 4)
TURN = 2  # seconds, about, of one turn
MIB = 1 << 20
LEAST = 256 << 10  # bytes: the start alone is no rate
MOST = 120  # seconds that a turn may take
AT_ONCE = 3  # cells, each in a network of its own; of three in a row one loses nothing and keeps the CPUs busy


@dataclass(frozen=True)
class Cell:
    round_trip: int
    loss: str
    streams: int

    def shape(self) -> list[str]:
        loss = [] if self.loss == "none" else ["--loss", self.loss]
        return ["--delay", f"{self.round_trip / 2000}s", "--rate", RATE, *loss]


@dataclass
class Turns:
    """Rates in bytes a second, round by round."""

    iperf: list[float] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)

    def ratios(self) -> list[float]:
        return [ours / iperf for ours, iperf in zip(self.ours, self.iperf)]


class Table:
    def __init__(self, cells: dict[Cell, Turns]) -> None:
        self.cells = cells

    def text(self) -> str:
        lines = [f"{'round trip':>10} {'loss':>5} {'streams':>7} {'iperf3':>8} {'ours':>8}  ratio  lowest to highest"]
        for cell in sorted(self.cells, key=lambda cell: (LOSSES.index(cell.loss), cell.round_trip, cell.streams)):
            turns = self.cells[cell]
            mbit = [f"{median(rates) * 8 / 1e6:8.2f}" for rates in (turns.iperf, turns.ours)]
            ratios = turns.ratios()
            lines.append(
                f"{cell.round_trip:>7} ms {cell.loss:>5} {cell.streams:>7} {mbit[0]} {mbit[1]}  "
                f"{median(turns.ours) / median(turns.iperf):5.2f}  {min(ratios):.2f} to {max(ratios):.2f}"
            )
        lines += ["", "median ratio over all round trips"]
        lines += [f"{loss:>5} lost, {streams}: {ratio:.2f}" for (loss, streams), ratio in self.ratios().items()]
        return "\n".join(lines) + "\n"

    def ratios(self) -> dict[tuple[str, str], float]:
        """By loss, for one stream and for several: random loss makes a single cell wild."""
        by: dict[tuple[str, str], list[float]] = {}
        for cell, turns in self.cells.items():
            streams = "one stream" if cell.streams == 1 else "several streams"
            by.setdefault((cell.loss, streams), []).extend(turns.ratios())
        return {key: median(ratios) for key, ratios in sorted(by.items(), key=lambda one: LOSSES.index(one[0][0]))}


def arrivals(network: Network, streams: int) -> Iterator[tuple[float, float]]:
    """Seconds and the bytes that iperf3's server has by then, ten times a second, until nobody asks for more."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True}
    command = ["iperf3", "-s", "-1", "-i", "0.1", "-f", "k", "--forceflush"]
    server = subprocess.Popen([*network.there.inside, *command], **pipes)
    started = [server]
    try:
        while "listening" not in server.stdout.readline():
            assert server.poll() is None, "iperf3 doesn't start"
        command = ["iperf3", "-c", network.there.ipv4, "-t", str(MOST), "-P", str(streams)]
        started.append(subprocess.Popen([*network.here.inside, *command], **{**pipes, "stdout": subprocess.DEVNULL}))
        # With several streams each has a line, too.
        who = "SUM" if streams > 1 else r"\d+"
        total, line = 0.0, re.compile(rf"\[ *{who}\] +([\d.]+)-([\d.]+) .* (\d+) Kbits/sec")
        for text in server.stdout:
            if interval := line.match(text):
                begin, end, kilobits = map(float, interval.groups())
                total += kilobits * 125 * (end - begin)
                yield end, total
        raise AssertionError("iperf3 ended early")
    finally:
        for process in started:
            process.kill()
            process.communicate()


def iperf(network: Network, streams: int, size: int) -> float:
    """The rate at which its server got so many bytes."""
    before = (0.0, 0.0)
    with contextlib.closing(arrivals(network, streams)) as all_of_them:
        for seconds, total in all_of_them:
            if total >= size:
                share = (size - before[1]) / (total - before[1])
                return size / (before[0] + share * (seconds - before[0]))
            before = (seconds, total)
    raise AssertionError("not reached")


def size_of_turn(network: Network, streams: int) -> int:
    """What iperf3 moves in the time of a turn."""
    with contextlib.closing(arrivals(network, streams)) as all_of_them:
        return max(next(int(total) for seconds, total in all_of_them if seconds >= TURN), LEAST)


def transfer(ours: Ours, network: Network, streams: int, size: int) -> float:
    file = ours.home / "file"
    with file.open("wb") as full:  # a hole would not be sent
        for left in range(size, 0, -MIB):
            full.write(b"x" * min(left, MIB))
    summary = begin(ours, network, file, None, "--streams", streams).fine(MOST)
    assert summary["streams"] == streams
    return size / summary["authenticated_ns"] * 1e9


def turns(cell: Cell, home: Path, rounds: int, congestion: str) -> Turns:
    home.mkdir()
    ours, result = Ours(home), Turns()
    with network_of(congestion) as network:
        try:
            network.connect(*cell.shape())
            size = size_of_turn(network, cell.streams)
            for _ in range(rounds):
                result.iperf.append(iperf(network, cell.streams, size))
                result.ours.append(transfer(ours, network, cell.streams, size))
        finally:
            ours.end()
    return result


def cells() -> Iterator[Cell]:
    for round_trip, streams, loss in itertools.product(ROUND_TRIPS, STREAMS, LOSSES):
        yield Cell(round_trip, loss, streams)


def compare(home: Path, rounds: int, congestion: str) -> Table:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        each = {
            cell: pool.submit(turns, cell, home / f"{number}", rounds, congestion)
            for number, cell in enumerate(cells())
        }
        try:
            return Table({cell: done.result() for cell, done in each.items()})
        except BaseException:
            # The first that fails ends the others; those that run have their networks to remove.
            pool.shutdown(cancel_futures=True)
            raise


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests/system/run --links", description=__doc__)
    parser.add_argument("rounds", type=int, nargs="?", default=5)
    parser.add_argument("--congestion", default="cubic", help="how both ends control congestion, such as bbr")
    options = parser.parse_args()
    # What was made is removed however this ends.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as home:
        table = compare(Path(home), options.rounds, congestion=options.congestion)
    print(f"Mbit/s over {RATE}/s, medians of {options.rounds} rounds in turns, {options.congestion}\n\n{table.text()}")


if __name__ == "__main__":
    main()
