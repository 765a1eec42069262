"""The paper's sampling of a process every 50 ms, from a separate thread: the CPU time that the process used meanwhile,
and its resident memory.

Sums and peaks are not taken from here: events shorter than 50 ms are not visible.
"""

from __future__ import annotations

import mmap
import os
import threading
import time
from pathlib import Path

PERIOD = 0.05  # seconds
MOST = 1000  # entries

STATM = Path("/proc/self/statm")  # proc_pid_statm(5): in pages, what is resident stands second
PAGE_KIB = mmap.PAGESIZE // 1024


class Series:
    """The samples: one entry for each completed period."""

    def __init__(self) -> None:
        self.due = time.monotonic() + PERIOD
        self.cpu_ns = time.process_time_ns()
        self.cpu: list[int] = []  # microseconds
        self.rss: list[int] = []  # KiB; empty where the system doesn't tell

    def add(self, statm: int | None) -> None:
        before, self.cpu_ns = self.cpu_ns, time.process_time_ns()
        self.cpu.append((self.cpu_ns - before) // 1000)
        if statm is not None:
            self.rss.append(int(os.pread(statm, 200, 0).split()[1]) * PAGE_KIB)
        self.due += PERIOD


class Monitor:
    """The thread. It samples between `begin` and `end`; at other times it sleeps and never wakes."""

    def __init__(self) -> None:
        self.statm = os.open(STATM, os.O_RDONLY) if STATM.exists() else None
        self.changed = threading.Condition()
        self.series: Series | None = None
        threading.Thread(target=self.run, daemon=True).start()

    def begin(self) -> None:
        with self.changed:
            self.series = Series()
            self.changed.notify()

    def end(self) -> Series:
        """The samples since `begin`, which must have been called."""
        with self.changed:
            seen, self.series = self.series, None
            self.changed.notify()
        assert seen is not None
        return seen

    def run(self) -> None:
        with self.changed:
            while True:
                series = self.series
                if series is None or len(series.cpu) == MOST:
                    self.changed.wait()
                elif (left := series.due - time.monotonic()) > 0:
                    self.changed.wait(left)
                else:
                    series.add(self.statm)
