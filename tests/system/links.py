"""Transfers compared with iperf3 over the same shaped links, with as many streams: `tests/system/run --links ROUNDS`.

In each cell iperf3 and ours take turns, so that what else the machine does slows both. iperf3 encrypts nothing and
counts only what arrived; ours is timed from the moment when data may flow to the receipt that all is authentic, so it
also pays for opening its connections, for its slowest stream and for the way back.
"""

from __future__ import annotations

import argparse
import itertools
import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from conftest import LIMIT, Ours
from network import Network, network_of
from transfer import begin

RATE = "25MiB"  # a second: two CPUs carry several such links at once
ROUND_TRIPS = (10, 50, 100)  # ms
LOSSES = ("none", "0.1%", "1%")  # in each direction
STREAMS = (1, 2, 4)
TURN = 3  # seconds of one of iperf3; ours sends as much as it does in as long
LEAST = 256 << 10  # bytes: the start alone is no rate
MOST = 600  # seconds that a turn of ours may take
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


def iperf(network: Network, streams: int) -> float:
    """The rate at which its server got the bytes."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True}
    server = subprocess.Popen([*network.there.inside, "iperf3", "-s", "-1", "--forceflush"], **pipes)
    try:
        while "listening" not in server.stdout.readline():
            assert server.poll() is None, "iperf3 doesn't start"
        client = ["iperf3", "-J", "-c", network.there.ipv4, "-t", str(TURN), "-P", str(streams)]
        done = subprocess.run([*network.here.inside, *client], timeout=LIMIT, **pipes)
        report = json.loads(done.stdout)
        assert "error" not in report, report["error"]
        return report["end"]["sum_received"]["bits_per_second"] / 8
    finally:
        server.kill()
        server.communicate()


def transfer(ours: Ours, network: Network, streams: int, size: int) -> float:
    file = ours.home / "file"
    with file.open("wb") as sparse:
        sparse.truncate(size)
    summary = begin(ours, network, file, None, "--streams", streams).fine(MOST)
    assert summary["streams"] == streams
    return size / summary["authenticated_ns"] * 1e9


def turns(cell: Cell, home: Path, rounds: int, congestion: str) -> Turns:
    home.mkdir()
    ours, result = Ours(home), Turns()
    with network_of(congestion) as network:
        try:
            network.connect(*cell.shape())
            for _ in range(rounds):
                result.iperf.append(iperf(network, cell.streams))
                size = max(int(median(result.iperf) * TURN), LEAST)
                result.ours.append(transfer(ours, network, cell.streams, size))
        finally:
            ours.end()
    return result


def cells() -> Iterator[Cell]:
    for round_trip, streams, loss in itertools.product(ROUND_TRIPS, STREAMS, LOSSES):
        yield Cell(round_trip, loss, streams)


def compare(home: Path, rounds: int, congestion: str = "cubic") -> Table:
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
