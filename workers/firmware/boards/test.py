"""Tests of the boards: `python3 test.py [--deep] [WORD ...]`; the last line adds up.

With --deep, the images for the ESP32-C3 are built first, which takes five minutes the first time. Without it, those
that were built before are tested, and else skipped. WORD: only tests whose names contain one of them.
"""

import importlib
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "tests"), str(HERE / "../../../tests")]

from alarm import DEEP, LIMIT, Hangs, at_most  # noqa: E402
from shared import Skip  # noqa: E402

MODULES = ["test_assembled", "test_image", "test_flash_page"]


def build_images() -> None:
    for placement in ("flash", "ram"):
        done = subprocess.run(["sh", HERE / "esp32c3/image.sh", placement], capture_output=True, text=True)
        if done.returncode == 3:
            raise Skip(done.stderr.strip().splitlines()[-1])
        if done.returncode != 0:
            raise AssertionError((done.stdout + done.stderr)[-2000:])


def attempt(name: str, test: object) -> str:
    began = time.monotonic()
    try:
        with at_most(DEEP if test is build_images else LIMIT):
            test()
    except Skip as why:
        print(f"skipped  {name}: {why}", flush=True)
        return "skipped"
    except (Exception, Hangs) as error:
        print(f"FAILED: {name}: {error!r}", flush=True)
        return "failed"
    print(f"ok       {name} ({time.monotonic() - began:.1f} s)", flush=True)
    return "passed"


def main(words: list) -> int:
    deep = "--deep" in words
    words = [word for word in words if word != "--deep"]
    tests = [("images for the ESP32-C3 are built", build_images)] if deep else []
    for module in map(importlib.import_module, MODULES):
        found = {name: test for name, test in vars(module).items() if name.startswith("test_")}
        tests += [(name[5:].replace("_", " "), test) for name, test in found.items()]
    if words:
        tests = [(name, test) for name, test in tests if any(word in name for word in words)]
    results = [attempt(name, test) for name, test in tests]
    passed, failed, skipped = (results.count(result) for result in ("passed", "failed", "skipped"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
