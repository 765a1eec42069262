"""Exports of machines that are not there, and the stand-in for the binary that gives them."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path
from typing import Any

from fleet import BINARY

STAND_IN = """#!{python}
import os, shutil, subprocess, sys, time
words = sys.argv[1:]
if words[0] != "run":
    sys.exit(subprocess.run([{binary!r}, *words]).returncode)
with open(os.environ["CALLS"], "a") as calls:
    calls.write("run\\n")
gate = os.environ.get("GATE")
while gate and not os.path.exists(gate):
    time.sleep(0.02)
shutil.copyfile(os.environ["PLANT"], words[words.index("--json") + 1])
"""


class Plants:
    """Makes exports of a run of its own each."""

    def __init__(self, folder: Path, export: bytes) -> None:
        self._folder, self._export = folder, json.loads(export)
        self._export["run"]["scenario"]["name"] = "messages"
        self._count = 0

    def export(self, slower: float = 1.0, aes_slower: float = 1.0) -> Path:
        """A run of a machine that takes so many times as long, and for AES so many times more."""
        self._count += 1
        document = copy.deepcopy(self._export)
        document["run"]["seed"] = self._count
        for record in document["records"]:
            factor = slower * (aes_slower if record["algorithm"].startswith("aes") else 1.0)
            for fork in record["samples"]:
                fork["ns"] = [None if ns is None else round(ns * factor) for ns in fork["ns"]]
            if record["summary"]:
                _scale(record["summary"]["range"], factor)
        file = self._folder / f"{self._count}.json"
        file.write_text(json.dumps(document))
        return file

    def stand_in(self, marker: str = "") -> Path:
        """A program that measures nothing, and gives the file of the variable PLANT once the file of GATE is there."""
        file = self._folder / f"ciphermeter{marker}"
        file.write_text(STAND_IN.format(python=sys.executable, binary=BINARY) + f"# {marker}\n")
        file.chmod(0o755)
        return file


def _scale(limits: dict[str, Any], factor: float) -> None:
    for end in ("low", "mid", "high"):
        limits[end] *= factor
