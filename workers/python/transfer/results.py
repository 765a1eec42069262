"""The results of transfers: of one, and of all in a sample."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from messages import Value

SERIES = ("series_cpu", "series_peer_cpu", "series_rss", "series_peer_rss")


class Transfer(NamedTuple):
    """The result of one transfer, by the names of PROTOCOL.md."""

    sums: dict[str, int]
    peaks: dict[str, int | None]
    series: dict[str, list[int]]
    sha256: str | None = None  # of the received bytes, if requested


class Total:
    """The results of a sample's transfers."""

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
