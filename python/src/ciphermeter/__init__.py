"""Runs of Ciphermeter as tables, for notebooks.

    import ciphermeter
    export = ciphermeter.load("run.json")  # what `ciphermeter export -o run.json` wrote
    export.cells.to_pandas()

`load` reads exported runs, and stored ones through the program `ciphermeter`; `Team` reads those of a team's server.
Tables have one type a column, and None where a value is absent. Nothing is estimated here: medians, ranges, ratios and
their intervals are the meter's own, as they stand in the export. The columns of cells are those of `export --format
csv`, see docs/columns.md.

An export may come from anywhere. What is none, or has lost a part, is an `ExportError`, whose message is one line.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from typing import IO, Optional, Union

from ._node import ExportError, escaped
from ._read import SCHEMA, Export, add, key, parsed
from ._table import Name, Table, Value
from ._team import Team

__version__ = "0.1.0"
__all__ = ["MOST_BYTES", "SCHEMA", "Export", "ExportError", "Table", "Team", "load"]

MOST_BYTES = 512 << 20
"""The most bytes of JSON that are read of one run. You may set it: `ciphermeter.MOST_BYTES = 2 << 30`."""


def load(*sources: Union[int, Name], program: Name = "ciphermeter", store: Optional[Name] = None) -> Export:
    """Loads runs: a number is a stored run, a name a file of JSON. Without any, it is the newest stored run.

    For stored runs it starts `program`, which takes them from the file `store`, or from the store that it uses anyway.
    Raises `ExportError` if one of them cannot be read.
    """
    export = Export()
    loaded: dict[tuple[Value, ...], str] = {}
    for source in sources or (None,):
        if source is None or isinstance(source, int):
            name = _stored_name(source, store)
            document = parsed(_stored(source, program, store, name), name)
        else:
            name = escaped(os.fsdecode(source))
            document = parsed(_file(source, name), name)
        run = key(document, name)
        if run in loaded:
            raise ExportError(f"{name} is the same run as {loaded[run]}: load it once")
        # The newest has a number, too, by which it is found again.
        name = name if source is not None else _stored_name(run[0], store)
        loaded[run] = name
        add(export, document, name)
    return export


def _stored_name(run: Value, store: Optional[Name]) -> str:
    name = "the newest run" if run is None else f"run {run}"
    return name if store is None else f"{name} of {escaped(os.fsdecode(store))}"


def _file(path: Name, name: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return _text(file, name)
    except OSError as error:
        raise ExportError(f"cannot read {name}: {error.strerror}; a stored run is a number, such as load(7)") from error


def _stored(run: Optional[int], program: Name, store: Optional[Name], name: str) -> bytes:
    """What the program exports. It writes into files, so that neither of its streams can block it."""
    command = [program, "export", "--format", "json"]
    command += [] if run is None else [str(run)]
    command += [] if store is None else ["--store", store]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as messages:
        try:
            ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=messages)
        except OSError as error:
            remedy = "put ciphermeter into PATH, or say where it is with program="
            raise ExportError(f"cannot start {os.fsdecode(program)}: {error.strerror}; {remedy}") from error
        if ended.returncode != 0:
            messages.seek(0)
            said = messages.read(1000).decode("utf-8", "replace").strip() or f"it ended with {ended.returncode}"
            raise ExportError(f"cannot export {name}: {said}")
        out.seek(0)
        return _text(out, name)


def _text(file: IO[bytes], name: str) -> bytes:
    """All of a file, if it is not too long. It may be a pipe, whose length shows only while it is read."""
    text = bytearray()
    while part := file.read(1 << 20):
        text += part
        if len(text) > MOST_BYTES:
            raise ExportError(f"{name} has more than {MOST_BYTES} bytes: set ciphermeter.MOST_BYTES higher to read it")
    return bytes(text)
