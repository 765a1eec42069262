"""The tables have the columns of the CSV, and the values of the JSON."""

from __future__ import annotations

import csv
import io
import re

from conftest import REPOSITORY

import ciphermeter
from ciphermeter._team import _LIBRARIES, _RATES, MOMENT, RUN_THERE

# Of the CSV alone: worked out from samples when it is written, and not in the JSON.
CSV_ALONE = {
    *("cycles_per_call", "instructions_per_call", "minor_faults_per_call", "collections_per_call"),
    *("unaligned_low", "unaligned_mid", "unaligned_high"),
    *("peak_rss", "peak_heap", "allocated_per_call", "count_spread"),
}


def shown(value: object, text: str) -> str:
    """A value as the CSV has it, which rounds to as many digits as `text` has."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.{len(text.partition('.')[2])}f}" if isinstance(value, float) else str(value)


def loaded(program, store, run, write):
    return ciphermeter.load(write(program.export(store, run).encode()))


def test_cells_are_those_of_the_csv(program, goldens, measured, write):
    compared = set()
    for store, run in [*goldens.values(), (measured, 1)]:
        export = loaded(program, store, run, write)
        if export.runs.columns["kind"] == ["sustained"]:
            continue  # its CSV has a row for each step
        rows = list(csv.DictReader(io.StringIO(program.export(store, run, "csv"))))
        cells = [{**cell, "started": export.runs.columns["started"][0]} for cell in export.cells.rows()]
        assert len(rows) == len(cells)
        names = [name for name in rows[0] if name not in CSV_ALONE and not name.startswith("metric_")]
        for row, cell in zip(rows, cells):
            for name in names:
                assert shown(cell[name], row[name]) == row[name], (store.name, run, name, row["cell"])
                compared |= {name} if row[name] else set()
    # What no stored run has: energy and devices.
    assert {name for name in names if name not in compared} <= {
        *("j_per_gb", "j_per_gb_low", "j_per_gb_high", "net_j_per_gb", "working_set_bytes"),
        *("device", "board", "emulated", "counts", "count_per_call", "stack_bytes", "state_bytes", "code_bytes"),
        *("charge_uc_per_call", "energy_uj_per_call", "active_ma", "idle_ma"),
    }


def test_samples_are_those_of_the_json(program, goldens, measured, write):
    for store, run in [*goldens.values(), (measured, 1)]:
        export = loaded(program, store, run, write)
        expected = [
            {
                "cell": record["id"],
                "fork": fork["fork"],
                "short": fork["short"],
                **{name: values[place] for name, values in fork.items() if isinstance(values, list)},
            }
            for record in export.documents[0]["records"]
            for fork in record["samples"]
            for place in range(len(fork["round"]))
        ]
        rows = export.samples.rows()
        assert len(rows) == len(expected)
        for row, sample in zip(rows, expected):
            counts = {name: value for name, value in sample.items() if not name.startswith("series_")}
            assert {name: row[name] for name in counts} == counts, (store.name, run)


def test_a_board_s_cell_has_its_device(example, write):
    """No board is here to measure: its part of the schema is filled in."""
    device = {
        "name": "m4",
        "board": "a board",
        "counts": "cycles",
        "emulated": False,
        "clock_hz": None,
        "code_in": "ram",
        "count_per_call": {"mid": 4.5, "low": 4, "high": 5},
        "stack_bytes": 1,
        "state_bytes": 2,
        "code_bytes": None,
        "charge_uc_per_call": 0.5,
        "energy_uj_per_call": None,
        "active_ma": 12,
        "idle_ma": 1.5,
    }
    split = {"limit": "memory", "limit_share": 0.5, "j_per_gb": {"mid": 1.5, "low": None, "high": None}}
    example["records"][0].update(device=device, split={**split, "net_j_per_gb": None})
    first, second = ciphermeter.load(write(example)).cells.rows()[:2]
    expected = {**device, "device": "m4", "count_per_call": 4.5, "count_low": 4.0, "count_high": 5.0, "active_ma": 12.0}
    for name in ("name", "clock_hz", "code_in"):
        del expected[name]
    assert {name: first[name] for name in expected} == expected
    assert {name: second[name] for name in expected} == dict.fromkeys(expected)
    assert (first["limit"], first["j_per_gb"], first["j_per_gb_low"]) == ("memory", 1.5, None)


def test_calls_and_memory_are_those_of_the_json(program, goldens, write):
    export = loaded(program, *goldens["runs 4"], write)
    forks = [fork for record in export.documents[0]["records"] for fork in record["latency"]]
    assert export.calls.columns["ns"] == [ns for fork in forks for ns in fork["ns"]] != []
    assert export.calls.columns["calls"] == [calls for fork in forks for calls in fork["calls"]]

    export = loaded(program, *goldens["runs 5"], write)
    processes = [process for record in export.documents[0]["records"] for process in record["memory"]]
    rows = [{name: row[name] for name in processes[0]} for row in export.memory.rows()]
    assert rows == processes != []


def test_answer_is_that_of_the_json(program, goldens, write):
    export = loaded(program, *goldens["runs 1"], write)
    answer = export.documents[0]["answer"]
    (row,) = export.runs.rows()
    assert row["answer"] == " ".join(answer["sentences"]) != ""
    assert [row[name] for name in ("question", "measured_on", "answered")] == [
        answer[name] for name in ("question", "measured_on", "answered")
    ]
    assert row["recommended"] == answer["about"]["recommended"]["algorithm"]


def test_export_without_an_answer_has_none(example, write):
    example.pop("answer", None)
    (row,) = ciphermeter.load(write(example)).runs.rows()
    assert [row[name] for name in ("question", "answer", "answered", "recommended")] == [None] * 4


def test_disturbed_is_above_the_limit_of_the_fork(example, write):
    record = example["records"][0]
    record["summary"]["undisturbed_limit"], record["summary"]["undisturbed_limits"] = 100, {"1": 50}
    for fork in record["samples"]:
        fork["probe_ps"] = [75, 101, 100, None, *[0] * (len(fork["ns"]) - 4)]
    samples = [row for row in ciphermeter.load(write(example)).samples.rows() if row["cell"] == record["id"]]
    for fork, expected in ((0, [False, True, False, False]), (1, [True, True, True, False])):
        assert [row["disturbed"] for row in samples if row["fork"] == fork][:4] == expected


def test_disturbed_without_its_cpu_unless_memory_was_collected(example, write):
    record = example["records"][0]
    record["summary"]["undisturbed_limit"] = None
    for fork in record["samples"]:
        rest = [0] * (len(fork["ns"]) - 4)
        fork["ns"][:4] = [300_000] * 4
        fork["off_cpu_ns"], fork["collections"] = [6_000, 6_001, 6_001, None, *rest], [0, 0, 1, 0, *rest]
    samples = [row for row in ciphermeter.load(write(example)).samples.rows() if row["cell"] == record["id"]]
    assert [row["disturbed"] for row in samples if row["fork"] == 0][:4] == [False, True, False, False]


def documented(heading):
    """The columns in the table below a heading of docs/columns.md."""
    text = (REPOSITORY / "docs" / "columns.md").read_text(encoding="utf-8")
    (section,) = re.findall(rf"^#+ {re.escape(heading)}: .*?\n(.*?)(?=^#|\Z)", text, re.DOTALL | re.MULTILINE)
    return set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))


def test_documents_list_every_column():
    export = ciphermeter.Export()
    cell = documented("`samples`") - {"after", "disturbed", "iterations", "ns", "round", "source", "turn"}
    besides = {
        "cells": documented("`--format csv`") - CSV_ALONE - {"started"},
        "calls": {*cell, "source"},
        "memory": {*cell, "source"} - {"short"},
    }
    for name in ("runs", "host", "cells", "samples", "calls", "memory"):
        table = getattr(export, name)
        assert documented(f"`{name}`") | besides.get(name, set()) == set(table.columns), name


def test_documents_list_every_column_of_a_team():
    text = (
        (REPOSITORY / "docs" / "columns.md").read_text(encoding="utf-8").partition("## Tables of a team's server\n")[2]
    )
    of_runs, of_moments = (
        set(re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)) for part in text.split("### `moments`")
    )
    assert of_runs == {*RUN_THERE, *_RATES, *_LIBRARIES, "since", "stale"}
    assert of_moments == {*MOMENT, "ratio_mid", "ratio_low", "ratio_high"}


def test_version_is_that_of_the_binary():
    manifest = (REPOSITORY / "Cargo.toml").read_text(encoding="utf-8")
    assert f'version = "{ciphermeter.__version__}"' in manifest
