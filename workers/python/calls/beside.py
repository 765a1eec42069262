"""What a timed stretch costs beside its time, each known or absent.

Core cycles and instructions where the CPU counts them and the kernel lets this process read that (man 2
perf_event_open), faults of pages, collections of garbage.
"""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import struct
from typing import NamedTuple

from messages import Value

try:
    import resource
except ImportError:  # not on Windows
    resource = None

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
CYCLES, INSTRUCTIONS = 0, 1  # of PERF_TYPE_HARDWARE, which is 0
USER_ONLY = 1 << 5 | 1 << 6  # neither the kernel nor a hypervisor
GROUP_AND_TIMES = 1 << 3 | 1 << 0 | 1 << 1


class Reading(NamedTuple):
    """What a pair of counters shows at one moment. The kernel divides few counters among many that ask, so they should
    have counted for `enabled`, and did for `running`."""

    enabled: int
    running: int
    cycles: int
    instructions: int

    def since(self, earlier: Reading) -> dict[str, Value]:
        """Nothing if they did not count all the time: no extrapolation is a count."""
        whole = self.enabled - earlier.enabled == self.running - earlier.running
        cycles, instructions = self.cycles - earlier.cycles, self.instructions - earlier.instructions
        return {"cycles": cycles, "instructions": instructions} if whole and cycles > 0 else {}


class Counters:
    """Two counters of the thread that makes them; none where nothing counts."""

    def __init__(self) -> None:
        self.leader = count(CYCLES, -1)
        self.member = count(INSTRUCTIONS, self.leader) if self.leader >= 0 else -1

    def read(self) -> Reading | None:
        if self.member < 0:
            return None
        data = os.read(self.leader, 40)
        return Reading(*struct.unpack("=QQQQ", data[8:])) if len(data) == 40 else None


def count(event: int, leader: int) -> int:
    """A descriptor that counts an event of this thread, or a negative number."""
    number = PERF_EVENT_OPEN.get(platform.machine())
    if number is None or platform.system() != "Linux":
        return -1
    attr = struct.pack("=IIQQQQQIIQ", 0, 64, event, 0, 0, GROUP_AND_TIMES, USER_ONLY, 0, 0, 0)
    return ctypes.CDLL(None).syscall(number, attr, 0, -1, leader, 1 << 3)  # closed on exec


class Watch:
    """Counts from `begin` to `end`, which are called outside the readings of the clocks."""

    def __init__(self) -> None:
        self.counters = Counters()

    def begin(self) -> None:
        self.collections, self.faults, self.core = collections(), faults(), self.counters.read()

    def end(self) -> dict[str, Value]:
        core = self.counters.read()
        found = core.since(self.core) if core and self.core else {}
        if self.faults is not None:
            found["minor_faults"] = faults() - self.faults
        found["collections"] = collections() - self.collections
        return found


def faults() -> int | None:
    """Pages that the kernel gave this process so far without reading a disk."""
    return resource and resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def collections() -> int:
    """How often the collector of cycles has run so far, all generations together."""
    return sum(generation["collections"] for generation in gc.get_stats())
