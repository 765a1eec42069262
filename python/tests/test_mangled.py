"""An export that was mangled is an `ExportError` and nothing else; what is still loaded is whole, in every library."""

from __future__ import annotations

import copy
import json
import re
import tempfile
from pathlib import Path

import pyarrow.parquet
import pytest
from conftest import EXAMPLE, SCHEMA
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import ciphermeter

# The same examples each time: what fails is no luck. `deadline`: how fast it is, is not asked.
SETTINGS = settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
VALID = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
# What the schema cannot say, and an export has to have.
BEYOND_THE_SCHEMA = re.compile(r"has the reference|has the id|entries, not|has the metric|has no cells|\\ud[89a-f]")
# Beside what JSON has: halves of pairs, large numbers, numbers that are no integers.
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(2**53 - 2, 2**70)
    | st.floats(allow_infinity=False, allow_nan=False).filter(lambda number: not number.is_integer())
    | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def small(document):
    """The first cells of a run with their first forks and samples, as an export of fewer cells would have them."""
    document = copy.deepcopy(document)
    document["records"] = document["records"][:2]
    for record in document["records"]:
        if record["summary"]:
            record["summary"]["reference"] = document["records"][0]["id"]
        record["samples"] = [
            {name: values[:3] if isinstance(values, list) else values for name, values in fork.items()}
            for fork in record["samples"][:2]
        ]
        record["latency"] = [
            {**fork, "ns": fork["ns"][:3], "calls": fork["calls"][:3]} for fork in record["latency"][:2]
        ]
    return document


@pytest.fixture(scope="session")
def documents(program, goldens):
    """A run of each kind."""
    kinds = ["runs 3", "runs 4", "runs 5", "runs 6", "runs 7", "runs 9", "runs 11", "parallel 1"]
    stored = [json.loads(program.export(*goldens[name])) for name in kinds]
    runs = [small(document) for document in [json.loads(EXAMPLE.read_text(encoding="utf-8")), *stored]]
    assert all(VALID.is_valid(document) for document in runs)
    return runs


def loaded(text):
    """What is loaded of these bytes, or the message of the error."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        path.write_bytes(text)
        try:
            return ciphermeter.load(path)
        except ciphermeter.ExportError as error:
            message = str(error)
            assert message.isprintable() and len(message) < 500, message
            return message


def check_whole(export):
    for name, table in vars(export).items():
        if name == "documents":
            continue
        assert {len(values) for values in table.columns.values()} == {len(table)}
        assert table.to_polars().to_dicts() == table.rows()
        assert len(table.to_pandas()) == len(table)
        with tempfile.TemporaryDirectory() as folder:
            table.write_parquet(Path(folder) / "table.parquet")
            assert pyarrow.parquet.read_table(Path(folder) / "table.parquet").to_pydict() == table.columns


def places(value, path=()):
    """Every place of a document, by its path without numbers, so that each is as likely as any other to be mangled."""
    found = {}
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, below in inner:
        here = (*path, name if isinstance(name, str) else None)
        found.setdefault(here, []).append((value, name))
        for key, more in places(below, here).items():
            found.setdefault(key, []).extend(more)
    return found


def mangle(document, data):
    """Replaces, removes or adds a member or an entry somewhere."""
    found = places(document)
    place, name = data.draw(st.sampled_from(found[data.draw(st.sampled_from(list(found)))]))
    change = data.draw(st.sampled_from(["replace", "replace", "remove", "add"]))
    if change == "replace":
        place[name] = data.draw(VALUES)
    elif change == "remove":
        del place[name]
    elif isinstance(place, dict):
        place[data.draw(st.text(max_size=5))] = data.draw(VALUES)
    else:
        place.insert(name, data.draw(VALUES | st.just(place[name])))


@given(st.data())
@SETTINGS
def test_mangled_document_is_refused_or_whole(documents, data):
    document = copy.deepcopy(documents[data.draw(st.integers(0, len(documents) - 1))])
    for _ in range(data.draw(st.integers(1, 3))):
        if document:
            mangle(document, data)
    export = loaded(json.dumps(document).encode())
    if isinstance(export, ciphermeter.Export):
        check_whole(export)
    else:
        assert not VALID.is_valid(document) or BEYOND_THE_SCHEMA.search(export), export


@given(st.data())
@SETTINGS
def test_mangled_bytes_are_refused_or_whole(documents, data):
    text = bytearray(json.dumps(documents[data.draw(st.integers(0, len(documents) - 1))]).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text)))
        end = min(len(text), begin + data.draw(st.integers(0, 20)))
        text[begin:end] = data.draw(
            st.binary(max_size=8) | st.sampled_from([b'"', b"{", b"]", b"null", b"1e999", b"-1"])
        )
    export = loaded(bytes(text))
    if isinstance(export, ciphermeter.Export):
        check_whole(export)


@given(st.binary(max_size=200))
@SETTINGS
def test_any_bytes_are_refused(text):
    assert "is no export of ciphermeter" in loaded(text)


def test_unmangled_documents_are_loaded(documents):
    for document in documents:
        check_whole(loaded(json.dumps(document).encode()))
