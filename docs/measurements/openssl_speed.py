"""Runs each version's `openssl speed` with each version's libcrypto, and prints what it shows of AES-256-GCM, in kB/s.

    tests/libcryptos 3.3.1 3.4.1
    python3 docs/measurements/openssl_speed.py [ROUNDS]

In each round, every way runs at every size for two seconds, in an order that changes from round to round, on one CPU;
`speed` counts CPU time. The program of 3.4.1 needs functions that the library of 3.3.1 lacks, so that way is missing.
Printed are medians, and ratios of counts of the same round: median (least to most). The table is that of
`studies/openssl-speed`, which a test compares.
"""

import datetime
import os
import platform
import random
import re
import statistics
import subprocess
import sys
from pathlib import Path

BUILT = Path(__file__).resolve().parents[2] / "target/libcryptos"
SIZES = [16, 64, 256, 1024, 8192, 16384]
# Program and library.
OLD, MIXED, NEW = WAYS = [("3.3.1", "3.3.1"), ("3.3.1", "3.4.1"), ("3.4.1", "3.4.1")]


def shown(program, library, size):
    """kB/s that the program shows with that library."""
    command = [BUILT / program / "apps/openssl", "speed", "-mr", "-seconds", "2", "-bytes", str(size), "-evp", "aes-256-gcm"]
    environment = {**os.environ, "LD_LIBRARY_PATH": str(BUILT / library), "OPENSSL_CONF": "/dev/null"}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    calls, seconds = re.search(r"^\+R:(\d+):.*:([0-9.]+)$", said.stderr + said.stdout, re.M).groups()
    return int(calls) * size / float(seconds) / 1000


rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
counts = {(size, way): [] for size in SIZES for way in WAYS}
for _ in range(rounds):
    for size, way in random.sample(list(counts), len(counts)):
        counts[size, way].append(shown(*way, size))

model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
print(f"# command: python3 docs/measurements/openssl_speed.py {rounds}")
print(f"# machine: {os.cpu_count()} CPUs, {model[1] if model else platform.machine()}, Linux {platform.release()}")
print(f"# date: {datetime.date.today()}")
print(f"# note: load {' '.join(f'{load:.1f}' for load in os.getloadavg())}")
print("\nkB/s, median" + "".join(f"  program {program}, library {library}" for program, library in WAYS))
for size in SIZES:
    medians = [f"{statistics.median(counts[size, way]):.2f}" for way in WAYS]
    print(f'    ["{size} B", ' + ", ".join(f'"{median}"' for median in medians) + "],")


def ratio(size, over, under):
    ratios = [one / other for one, other in zip(counts[size, over], counts[size, under])]
    return f"{statistics.median(ratios):5.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


print("\nrate ÷ rate of the same round   library 3.3.1 ÷ 3.4.1, by program 3.3.1   program 3.3.1 ÷ 3.4.1, of library 3.4.1")
for size in SIZES:
    print(f"{size:>7} B                        {ratio(size, OLD, MIXED):<41} {ratio(size, MIXED, NEW)}")
