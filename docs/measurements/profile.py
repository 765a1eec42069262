"""Where the time of a transfer in memory goes: `profile.py CIPHERMETER TURNS [RECV-OPTION...]`, `--discard` say.

Both ends of each turn run under `perf record`, which interrupts the CPU that runs them every 0.2 ms. A sample belongs to
the first line below whose pattern is found in its stack.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

SIZE = 500 << 20
KINDS = [
    ("seal and open", r"aws_lc"),
    ("TCP, the other end's half included", r"handle_softirqs"),
    ("write to the socket: copy", r"_copy_from_iter.*(sendto|sendmsg)"),
    ("write to the socket: the rest", r"sendto|sendmsg"),
    ("read from the socket: copy", r"_copy_to_iter.*(recvfrom|recvmsg)"),
    ("read from the socket: the rest", r"recvfrom|recvmsg"),
    ("read the file", r"vfs_read"),
    ("write the file: new pages", r"(get_page|alloc_pages|folio_alloc|clear_page|fallocate).*(vfs_write|vfs_fallocate)"),
    ("write the file: copy and the rest", r"vfs_write|fallocate|fsync|fdatasync|syncfs"),
    ("short sleeps, for bytes to gather", r"nanosleep"),
    ("start and end of the process", r"execve|_dl_|dl_main|do_exit|exit_mmap"),
]
REST = "the rest"


def recorded(data: Path, command: list[str]) -> list[str]:
    return ["perf", "record", "-q", "-F", "4999", "-e", "cpu-clock", "-g", "-o", str(data), *command]


def turn(program: str, options: list[str], folder: Path) -> dict[str, Path]:
    ends = {end: folder / f"{end}.data" for end in ("send", "recv")}
    into = [] if "--discard" in options else ["--into", tempfile.mkdtemp(dir=folder)]
    receive = [program, "recv", "--yes", "--quiet", "--json", *into, *options]
    with subprocess.Popen(recorded(ends["recv"], receive), stdout=subprocess.PIPE, text=True) as receiver:
        ticket = receiver.stdout.readline().strip()
        send = [program, "send", "--quiet", "--json", str(folder / "big"), ticket]
        subprocess.run(recorded(ends["send"], send), check=True, stdout=subprocess.DEVNULL)
    for path in into[1:]:
        subprocess.run(["rm", "-r", path], check=True)
    return ends


def kinds(data: Path) -> Counter[str]:
    script = ["perf", "script", "-i", str(data), "-F", "comm,ip,sym"]
    text = subprocess.run(script, check=True, capture_output=True, text=True).stdout
    found = Counter()
    for sample in text.split("\n\n"):
        if sample.strip():
            stack = " ".join(line.split()[-1] for line in sample.splitlines()[1:])
            found[next((kind for kind, pattern in KINDS if re.search(pattern, stack)), REST)] += 1
    return found


def main() -> None:
    program, turns, options = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    totals = {"send": Counter(), "recv": Counter()}
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = Path(name)
        with open(folder / "big", "wb") as file:
            for _ in range(SIZE >> 20):
                file.write(os.urandom(1 << 20))
        for _ in range(turns):
            for end, data in turn(program, options, folder).items():
                totals[end] += kinds(data)
    print(f"{'ms of CPU time in a transfer':<40} {'send':>6} {'recv':>6}")
    for kind in [kind for kind, _ in KINDS] + [REST]:
        each = [totals[end][kind] / 4.999 / turns for end in ("send", "recv")]
        print(f"{kind:<40} {each[0]:6.1f} {each[1]:6.1f}")
    print(f"{'all':<40} " + " ".join(f"{counts.total() / 4.999 / turns:6.1f}" for counts in totals.values()))


main()
