"""Advice for both answers: a store whose one run is of this machine, with figures that a test makes up."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

LIMIT = 120  # seconds
AES, CHACHA20 = "aes-256-gcm", "chacha20-poly1305"
SIZE = "1KiB"
FORKS = ROUNDS = 6
ANSWERS = pytest.mark.parametrize("first", [AES, CHACHA20])
ITERATIONS = 1000


def program(name: str) -> str:
    """Its path; without it, the test is skipped."""
    found = shutil.which(name, path="/usr/sbin:/usr/bin:/bin:/usr/local/bin:/usr/local/go/bin") or shutil.which(name)
    if found is None:
        pytest.skip(f"there is no program {name}")
    return found


def ciphermeter(home: Path, *words: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    command = [os.environ["CIPHERMETER"], *words]
    return subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT
    )


class Advisor:
    """Answers by runs that were measured here once, but for their samples."""

    def __init__(self, home: Path) -> None:
        self.home, self.measured = home, home / "measured.db"
        lists = ["--algorithm", f"{AES},{CHACHA20}", "--message", SIZE, "--provider", "openssl"]
        done = ciphermeter(home, "run", *lists, "--budget", "1s", "--quiet", "--store", str(self.measured))
        assert done.returncode in (0, 5), done

    def store(self, provider: str, form: str, first: str, ciphers: tuple[str, str]) -> Path:
        """A run in which the first of these ciphers of that library takes a ninth of the other's time."""
        store = self.home / f"{provider}-{form}-{first}-{'-'.join(ciphers)}.db"
        shutil.copy(self.measured, store)
        with sqlite3.connect(store) as database:
            [(scenario,)] = database.execute("SELECT scenario FROM run").fetchall()
            scenario = json.loads(scenario)
            for block in scenario["cells"]:
                block.update(providers=[], forms=[form], algorithms=ciphers)
            database.execute("UPDATE run SET status = 'complete', scenario = ?", [json.dumps(scenario)])
            database.execute("UPDATE cell SET provider = ? WHERE provider = 'openssl'", [provider])
            database.execute('UPDATE cell SET form = ?, summary = NULL, outcome = \'{"is":"measured"}\'', [form])
            for measured, cipher in zip((AES, CHACHA20), ciphers):
                database.execute("UPDATE cell SET algorithm = ? WHERE algorithm = ?", [cipher, measured])
            cells = database.execute("SELECT id, algorithm FROM cell ORDER BY id").fetchall()
            times = [ITERATIONS * (1000 if algorithm == first else 9000) for _, algorithm in cells]
            self._sample(database, [cell for cell, _ in cells], times)
        database.close()
        return store

    @staticmethod
    def _sample(database: sqlite3.Connection, cells: list[int], times: list[int]) -> None:
        for table in ("series", "round", "latency", "memory", "fork"):
            database.execute(f"DELETE FROM {table}")
        for fork in range(FORKS):
            database.execute("INSERT INTO fork (run, number, offset, state) VALUES (1, ?, 0, 'whole')", [fork])
            for number in range(ROUNDS):
                # Forks differ by a thousandth.
                ns = [time + time * (cell + fork) % 7 // 7000 for cell, time in zip(cells, times)]
                samples = {
                    "cell": cells,
                    "after": [None for _ in cells],
                    "turn": list(range(len(cells))),
                    "iterations": [ITERATIONS for _ in cells],
                    "ns": ns,
                    "cpu_ns": ns,
                }
                row = [fork, number, json.dumps(samples)]
                database.execute("INSERT INTO round (run, fork, number, samples) VALUES (1, ?, ?, ?)", row)

    def advice(
        self,
        program: str,
        first: str,
        provider: str = "openssl",
        form: str = "in-place",
        ciphers: tuple[str, str] = (AES, CHACHA20),
    ) -> dict:
        """What `advise --for` it says, as JSON."""
        words = ["--stored", "--json", "-", "--mix", f"{SIZE}:1", "--for", program]
        store = self.store(provider, form, first, ciphers)
        done = ciphermeter(self.home, "advise", *words, "--store", str(store))
        assert (done.returncode, done.stderr) == (0, ""), done
        advice = json.loads(done.stdout)
        assert advice["answer"]["about"]["algorithm"] == first, advice["answer"]
        return advice

    def lines(self, program: str, first: str, **other: object) -> list[list[str]]:
        """Its lines, a list a section."""
        return [section["lines"] for section in self.advice(program, first, **other)["setting"]["sections"]]
