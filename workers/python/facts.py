"""Facts about the clock and the memory of this process, and about the disk, each known or absent, never guessed."""

from __future__ import annotations

import os
import sys
import time
from typing import Callable

from messages import Unsupported

try:
    import resource
except ImportError:  # not on Windows
    resource = None

now = time.perf_counter_ns  # the monotonic clock that times samples, in nanoseconds


def clock_step() -> int:
    """The smallest step other than 0 between two readings, in nanoseconds, of 10,000 steps or a tenth of a second."""
    steps = []
    begin = last = now()
    while len(steps) < 10_000 and last - begin < 100_000_000:
        at = now()
        if at > last:
            steps.append(at - last)
        last = at
    return min(steps)


def clock_call() -> int:
    """The cost of one reading in nanoseconds."""

    def batch(first: int, last: int) -> None:
        for _ in range(first, last + 1):
            now()

    return quietest(batch)


def loop_step() -> int:
    """The cost in nanoseconds of an iteration of an empty loop."""

    def batch(first: int, last: int) -> None:
        for _ in range(first, last + 1):
            pass

    return quietest(batch, 100_000)


def quietest(batch: Callable[[int, int], object], count: int = 2000) -> int:
    """The lowest of ten times of iterations 1 to `count`, in nanoseconds for each: the result is a cost,
    and other work on the core only adds to it."""
    times = []
    for _ in range(10):
        begin = now()
        batch(1, count)
        times.append(now() - begin)
    return round(min(times) / count)


def free_memory() -> int | None:
    """The memory that may be allocated without swapping, in bytes."""
    return kernel_field("/proc/meminfo", "MemAvailable")


def free_disk(folder: str) -> int:
    """The bytes that this user may still write there."""
    there = os.statvfs(folder)
    return there.f_bavail * there.f_frsize


def room_left() -> int | None:
    """The memory that this process may still map under its own limit (ulimit -v), in bytes; None without one."""
    if resource is None:
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    used = kernel_field("/proc/self/status", "VmSize")
    return None if limit == resource.RLIM_INFINITY or used is None else max(0, limit - used)


def suffices(need: int) -> None:
    """Raises Unsupported if that many bytes are over half of the free memory, or of what this process may map."""
    free, room = free_memory(), room_left()
    if free is not None and need > free // 2:
        raise Unsupported(f"this cell needs {need} bytes, more than half of the free memory of {free} bytes")
    if room is not None and need > room // 2:
        limit = f"more than half of the {room} that this process may still take"
        raise Unsupported(f"this cell needs {need} bytes, {limit}; raise the limit with ulimit -v")


def kernel_field(file: str, name: str) -> int | None:
    """A field that Linux gives in kB (1024 bytes), in bytes. Format: proc_pid_status(5), proc_meminfo(5)."""
    try:
        with open(file, encoding="ascii", errors="replace") as lines:
            for text in lines:
                key, _, value = text.partition(":")
                words = value.split()
                if key == name and len(words) == 2 and words[1] == "kB" and words[0].isdigit():
                    return int(words[0]) * 1024
    except OSError:
        pass
    return None


class Peak:
    """The highest resident size: since `begin`, and since `forget` (or ever). The system keeps one peak, which both
    reset."""

    def __init__(self) -> None:
        self.before = 0
        self.known = True  # as long as it could be reset

    def begin(self) -> None:
        self.before = self.since_forget() or 0
        self.known = reset_peak_rss()

    def since_begin(self) -> int | None:
        """In bytes."""
        return kernel_field("/proc/self/status", "VmHWM") if self.known else None

    def since_forget(self) -> int | None:
        """In bytes."""
        peak = self.since_begin()
        return None if peak is None else max(peak, self.before)

    def forget(self) -> None:
        self.begin()
        self.before = 0


PEAK = Peak()  # of this process, as the system keeps one


class Traced:
    """The most memory that Python had allocated in a process of its own, of those that made one call each."""

    def __init__(self) -> None:
        self.peak: int | None = None  # bytes, since `forget`; None: no call had a process of its own

    def note(self, peak: int) -> None:
        self.peak = max(self.peak or 0, peak)

    def forget(self) -> None:
        self.peak = None if self.peak is None else 0


TRACED = Traced()  # by calls of this worker


class Memory:
    """The memory of this process, and what Python's own counter recorded since the first reset.

    tracemalloc counts what CPython's allocators return, including the bytes objects of libraries. It
    counts the memory in use and its peak, not the sum of all allocations. Where calls have processes of their own, it
    counts in these, and what is resident here is not theirs.
    """

    def __init__(self) -> None:
        self.counter = None

    def read(self) -> dict[str, int | str | None]:
        if TRACED.peak is not None:
            peak = TRACED.peak if self.counter else None
            nothing = {"rss": None, "peak_rss": None, "heap": 0}
            return {**nothing, "peak_heap": peak, "allocated": None, "counter": "tracemalloc"}
        heap, peak = self.counter.get_traced_memory() if self.counter else (None, None)
        return {
            "rss": kernel_field("/proc/self/status", "VmRSS"),
            "peak_rss": PEAK.since_forget(),
            "heap": heap or None,
            "peak_heap": peak or None,
            "allocated": None,
            "counter": "tracemalloc",
        }

    def reset(self) -> None:
        """Resets the peaks to the memory in use, and switches the counter on."""
        if self.counter is None:
            import tracemalloc  # here, so that a timed process does not load it

            self.counter = tracemalloc
            tracemalloc.start()
        self.counter.reset_peak()
        PEAK.forget()
        TRACED.forget()


def reset_peak_rss() -> bool:
    """Asks Linux to reset the peak of the resident size (proc_pid_clear_refs(5)); returns whether it did."""
    if sys.platform != "linux":
        return False
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    except OSError:
        return False
    return True
