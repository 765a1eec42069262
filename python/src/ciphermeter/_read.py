"""From the JSON of runs to rows of tables.

Of what a table needs, everything is checked. What no table needs is let through, so that later exports may have more.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, NoReturn, Optional

from ._columns import CALL, CELL, FORK, MEMORY, RECORD, RUN, SAMPLE, Columns
from ._node import ExportError, Node, shown
from ._table import Table, Value

SCHEMA = 2
"""The version of the JSON that is read here."""

_REMEDY = "write one with `ciphermeter export -o run.json`"
# Facts that say which machine it is; the test of crates/answer/src/same_machine.rs reads this line.
_IDENTITY = ["cpu", "browser", "machine", "architecture", "features", "microcode", "cores", "core kind", "caches", "hypervisor"]  # noqa: E501  # fmt: skip
# A sample is excluded if its process lacked its CPU for more than this part of the time (crates/core/src/sample.rs).
_MOST_OFF_CPU = 1 / 50
_METRIC = re.compile("[a-z0-9_]{1,64}")
_SOURCE = {"source": str, "run": int}
# What a fork has beside its metrics, and what no metric can be called, as a column is called so already.
_PLACES = {*FORK, *SAMPLE} - {"disturbed", "ns"}
_TAKEN = {*_SOURCE, *CELL, "disturbed"}


def _types(*parts: Columns) -> dict[str, type]:
    return {name: kind for part in parts for name, (kind, _) in part.items()}


class Export:
    """Runs as tables.

    `source` says where a run was loaded from; `source` and `cell` together name a cell in every table.
    """

    def __init__(self) -> None:
        cell = {**_SOURCE, **_types(CELL)}
        fork = {**cell, **_types(FORK)}
        reference = {"reference_provider": str, "reference_algorithm": str}

        self.runs = Table({"source": str, "host": str, **_types(RUN), "answer": str})
        """A row for each run: when, which scenario, by which method, with which of the CPU's instructions masked, and
        what it answers: this module decides nothing."""
        self.host = Table({**_SOURCE, "host": str, "fact": str, "value": str, "absent": str})
        """A row for each fact about a run's host; `absent` says why it has no value. `host` is equal where `ciphermeter
        compare` takes two hosts for one machine. Divide no time by one that another host measured."""
        self.cells = Table({**_SOURCE, "host": str, **_types(CELL, RECORD), **reference, "warnings": str})
        """A row for each cell: what was measured, on which code path, its time and throughput, and the ratio to its
        reference, with the interval."""
        self.samples = Table({**fork, **SAMPLE})
        """A row for each sample. Behind `ns`, there is a column for every other metric that one of the runs counted."""
        self.calls = Table({**fork, **CALL})
        """Of runs with `--latency`: a row for each length of single calls in a fork, with the number of such calls."""
        self.memory = Table({**cell, **_types(MEMORY)})
        """Of runs with `--memory`: a row for each process that did nothing but a cell's calls."""
        self.documents: list[dict[str, Any]] = []
        """The JSON itself, a document for each run: for what is in no table, such as notes and series of transfers."""

    def __repr__(self) -> str:
        return f"<{len(self.runs)} runs, {len(self.cells)} cells, {len(self.samples)} samples>"


def parsed(text: bytes, source: str) -> dict[str, Any]:
    """The document of a run, which has this schema and cells."""
    try:
        document = json.loads(text.decode("utf-8"), parse_constant=_no_number)
    except RecursionError:
        raise ExportError(f"{source} is no export of ciphermeter: it is nested too deeply; {_REMEDY}") from None
    except ValueError as error:
        raise ExportError(f"{source} is no export of ciphermeter, or not all of it: {error}; {_REMEDY}") from None
    if not isinstance(document, dict) or not {"ciphermeter", "run", "records"} <= document.keys():
        raise ExportError(f"{source} is no export of ciphermeter: it has no run and records; {_REMEDY}")
    if "schema" not in document:
        remedy = "export the run again, with a ciphermeter of today, which reads old stores"
        raise ExportError(f"{source} has the first schema; this module reads schema {SCHEMA}: {remedy}")
    schema = document["schema"]
    if isinstance(schema, bool) or schema != SCHEMA:
        remedy = "install the module that came with the ciphermeter that wrote it"
        raise ExportError(f"{source} has schema {shown(schema)}; this module reads schema {SCHEMA}: {remedy}")
    if document["records"] == []:
        raise ExportError(f"{source} has no cells: the run ended before it had any; measure again")
    return document


def key(document: dict[str, Any], source: str) -> tuple[Value, ...]:
    """What tells a run from all others: its number, when it began, its seed."""
    return tuple(Node(document, source).value(*RUN[name]) for name in ("run", "started", "seed"))


def add(export: Export, document: dict[str, Any], source: str) -> None:
    """Adds a run's rows to all tables."""
    top = Node(document, f"{source}: document")
    facts = _facts(top)
    run = {**top.row(RUN), "source": source, "host": _host({name: value for name, value, _ in facts})}
    run["answer"] = _answer(top)
    place = {name: run[name] for name in ("source", "run", "host")}
    export.documents.append(document)
    export.runs._extend(1, run)
    for name, value, absent in facts:
        export.host._extend(1, {**place, "fact": name, "value": value, "absent": absent})

    records = top.entries("records")
    cells: dict[Value, dict[str, Value]] = {}
    for record in records:
        cell = {**place, **record.row(CELL)}
        if cell["cell"] in cells:
            raise record.damaged(f"has the id {cell['cell']}, as one before it")
        cells[cell["cell"]] = cell
    for record, cell in zip(records, cells.values()):
        export.cells._extend(1, {**cell, **_came_to(record, cells)})
        _add_samples(export.samples, cell, record)
        _add_calls(export.calls, cell, record)
        for process in record.entries("memory"):
            export.memory._extend(1, {**cell, **process.row(MEMORY)})


def _answer(top: Node) -> Value:
    """The sentences of the answer; None in exports that are older than answers."""
    answer = top.find("answer~")
    return None if answer is None else " ".join(str(said.typed(str)) for said in answer.entries("sentences"))


def _facts(top: Node) -> list[tuple[str, Value, Value]]:
    """Of each fact its name, its value, and why it has none."""
    host = Node(top.members().get("host"), f"{top.where}.host")
    values, reasons = host.members(), Node(host.members().get("absent"), f"{host.where}.absent").members()

    def text(of: dict[str, Any], name: str) -> Value:
        return None if of.get(name) is None else Node(of[name], f"{host.where}, of {shown(name)},").typed(str)

    for name in values:
        Node(name, f"{host.where}: a name").typed(str)
    return [(name, text(values, name), text(reasons, name)) for name in values if name != "absent"]


def _host(facts: dict[str, Value]) -> Optional[str]:
    """The CPU or browser, and a digest of what tells the machine from others. None: nothing may be compared."""
    device = facts.get("cpu") or facts.get("browser")
    if device is None:
        return None
    identity = {name: facts.get(name) for name in _IDENTITY}
    # "2 logical, 1 allowed to this process": how many there are, not which of them it may use.
    identity["cores"] = identity["cores"] and str(identity["cores"]).split(", ")[0]
    return f"{device} {hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:8]}"


def _came_to(record: Node, cells: dict[Value, dict[str, Value]]) -> dict[str, Value]:
    """What a cell came to, beside what it is."""
    row = record.row(RECORD)
    # As the CSV has them: not in the JSON are one key, and XOR's usual length.
    row["keys"] = 1 if row["keys"] is None else row["keys"]
    if row["key_bytes"] is None and record.value(*CELL["algorithm"]) == "xor":
        row["key_bytes"] = 32
    summary = record.find("summary?")
    if summary is not None:
        if row["reference"] not in cells:
            raise record.damaged(f"has the reference {row['reference']}, which is no id of a record")
        reference = cells[row["reference"]]
        row["reference_provider"], row["reference_algorithm"] = reference["provider"], reference["algorithm"]
        row["warnings"] = "; ".join(str(warning.typed(str)) for warning in summary.entries("warnings")) or None
    return row


def _add_samples(table: Table, cell: dict[str, Value], record: Node) -> None:
    usual = record.value(int, "summary?/undisturbed_limit?")
    of_forks = record.find("summary?/undisturbed_limits")
    for fork in record.entries("samples"):
        row = fork.row(FORK)
        iterations = fork.integers("iterations", least=1)
        count = len(iterations)
        arrays = {name: fork.integers(name, count) for name in ("round", "turn")}
        arrays["after"] = fork.integers("after", count, nullable=True)
        for name in _metrics(fork):
            arrays[name] = fork.integers(name, count, nullable=True)
            if name not in table.types:
                table._add_column(name, int)
        limit = of_forks.value(int, f"{row['fork']}~") if of_forks else None
        disturbed = _disturbed(arrays, count, usual if limit is None else limit)
        table._extend(count, {**cell, **row, **arrays, "iterations": iterations, "disturbed": disturbed})


def _disturbed(arrays: dict[str, list[Value]], count: int, limit: Value) -> list[Value]:
    """Which samples the estimates exclude (METHODOLOGY.md, point 3a): the probe's reading is above the limit, or the
    process lacked its CPU, though no collection explains that. What was not counted excludes nothing."""

    def counted(name: str) -> list[int]:
        return [number if isinstance(number, int) else 0 for number in arrays.get(name, [0] * count)]

    highest = limit if isinstance(limit, int) else float("inf")
    each = zip(*map(counted, ("probe_ps", "off_cpu_ns", "collections", "ns")))
    return [
        probe > highest or (off_cpu > _MOST_OFF_CPU * ns and not collections)
        for probe, off_cpu, collections, ns in each
    ]


def _metrics(fork: Node) -> list[str]:
    """The names of what samples count. Series are no counts: they stand in `documents` alone."""
    names = [name for name in fork.members() if name not in _PLACES and not name.startswith("series_")]
    for name in names:
        if name in _TAKEN or not _METRIC.fullmatch(name):
            raise fork.damaged(f"has the metric {shown(name)}, which is no name for one")
    return names


def _add_calls(table: Table, cell: dict[str, Value], record: Node) -> None:
    for fork in record.entries("latency"):
        row = fork.row({**FORK, "clock_ns": (int, "clock_ns")})
        lengths = fork.integers("ns")
        calls = fork.integers("calls", len(lengths))
        table._extend(len(lengths), {**cell, **row, "ns": lengths, "calls": calls})


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
