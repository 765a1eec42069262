"""Where runs come from, and what cannot be loaded."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest
from conftest import EXAMPLE

import ciphermeter
from ciphermeter import ExportError, load


def refused(*sources: object, **options: object) -> str:
    with pytest.raises(ExportError) as error:
        load(*sources, **options)
    message = str(error.value)
    assert message.isprintable(), message
    return message


def test_file_and_store_give_the_same_run(program, measured, write):
    stored = load(1, program=program.path, store=measured)
    file = load(write(program.export(measured, 1).encode()))
    assert stored.documents == file.documents
    assert len(stored.cells) > 0 and len(stored.samples) > 0


def test_newest_run_is_the_default(program, measured):
    newest = load(program=program.path, store=measured)
    assert newest.runs.columns["run"] == [2]
    assert newest.cells.columns["source"] == load(2, program=program.path, store=measured).cells.columns["source"]


def test_program_is_found_on_path_and_its_store_by_environment(program, measured, monkeypatch):
    monkeypatch.setenv("PATH", str(Path(program.path).parent))
    monkeypatch.setenv("CIPHERMETER_STORE", str(measured))
    assert load().runs.columns["source"] == ["run 2"]


def test_several_runs_stand_in_one_table(program, measured):
    both = load(1, 2, EXAMPLE, program=program.path, store=measured)
    cells = both.cells.rows()
    names = {(cell["source"], cell["cell"]) for cell in cells}
    assert len(names) == len(cells) and len({source for source, _ in names}) == 3
    assert {(row["source"], row["cell"]) for row in both.samples.rows()} <= names
    assert len(both.runs) == len(both.documents) == 3


def test_host_is_equal_for_runs_of_one_machine(program, measured):
    both = load(1, 2, program=program.path, store=measured)
    assert len(set(both.runs.columns["host"])) == 1


def test_host_differs_where_an_identifying_fact_does(example, write):
    def host() -> object:
        return load(write(example)).runs.columns["host"][0]

    before, cores = host(), example["host"]["cores"]
    example["host"]["memory"], example["host"]["cores"] = "1 GiB in all", cores.replace("0-1", "1")
    assert host() == before
    example["host"]["microcode"] = "0xff"
    assert host() != before
    example["host"]["cpu"] = None
    assert host() is None


def test_facts_that_are_not_known_have_their_reason(example, write):
    facts = {row["fact"]: row for row in load(write(example)).host.rows()}
    assert list(facts) == [name for name in example["host"] if name != "absent"]
    for name, reason in example["host"]["absent"].items():
        assert facts[name]["value"] is None and facts[name]["absent"] == reason


def test_same_run_twice_is_refused(example, write):
    assert "is the same run as" in refused(EXAMPLE, write(example))


def test_missing_file_is_refused():
    assert refused("no-such.json").startswith("cannot read no-such.json: No such file")


def test_missing_program_is_refused():
    assert "with program=" in refused(7, program="/nowhere/ciphermeter")


def test_missing_run_is_refused_in_the_program_s_words(program, measured):
    assert "there is no run 99" in refused(99, program=program.path, store=measured)


def test_file_that_is_no_export_is_refused(write):
    for text in (b"", b"run,cell\n1,0\n", b"[]", b"{}", b"\xff\xfe", b'{"a": NaN}', b"[" * 100_000):
        assert "is no export of ciphermeter" in refused(write(text)), text


def test_cut_off_file_is_refused(write):
    assert "not all of it" in refused(write(EXAMPLE.read_bytes()[:-100]))


def test_file_of_another_schema_is_refused(example, write):
    example["schema"] = 3
    assert "has schema 3; this module reads schema 2: install the module" in refused(write(example))
    example["schema"] = True
    assert "has schema true" in refused(write(example))
    del example["schema"]
    assert "has the first schema" in refused(write(example))


def test_run_without_cells_is_refused(example, write):
    example["records"] = []
    assert "has no cells" in refused(write(example))


def test_missing_column_is_named(example, write):
    del example["records"][3]["summary"]["range"]["low"]
    assert "records[3].summary.range.low is missing: export the run again" in refused(write(example))


def test_arrays_of_a_fork_have_equal_lengths(example, write):
    example["records"][0]["samples"][1]["ns"].pop()
    assert "records[0].samples[1].ns has" in refused(write(example))


def test_counts_of_a_fork_are_no_less_than_can_be(example, write):
    fork = example["records"][0]["samples"][1]
    fork["ns"][0] = -1
    assert "samples[1].ns has the entry -1, not an integer from 0" in refused(write(example))
    fork["ns"][0], fork["iterations"][0] = 0, 0
    assert "samples[1].iterations has the entry 0, not an integer from 1" in refused(write(example))


def test_reference_is_a_cell_of_the_run(example, write):
    example["records"][0]["summary"]["reference"] = 99
    assert "has the reference 99" in refused(write(example))


@pytest.mark.parametrize("name", ["provider", "disturbed", "Ns", "a b", "", "x" * 65])
def test_metric_has_a_name_for_a_column(example, write, name):
    fork = example["records"][0]["samples"][0]
    fork[name] = fork["ns"]
    assert "which is no name for one" in refused(write(example))


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("id", "2e3", "id is 2000.0, not an integer"),
        ("id", "9007199254740992", "id is 9007199254740992, not an integer from 0 to 2^53 - 1"),
        ("id", "-1", "id is -1, not an integer"),
        ("id", "true", "id is true, not an integer"),
        ("provider", "7", "provider is 7, not text"),
        ("provider", '"\\ud800"', 'provider is "\\ud800", not text'),
        ("cpu", '{"mid": 1e999, "low": 1, "high": 1}', "cpu.mid is Infinity, not a finite number"),
        ("cpu", '{"mid": "1", "low": 1, "high": 1}', 'cpu.mid is "1", not a finite number'),
        ("samples", "{}", "samples is no array"),
        ("outcome", "[]", "outcome is no object"),
        ("id", f'"{"x" * 60}"', "xxx…, not an integer"),
        ("memory", "[null]", "memory[0] is no object"),
    ],
)
def test_value_of_another_type_is_named(example, write, member, value, message):
    example["records"][0][member] = "HERE"
    text = json.dumps(example).replace('"HERE"', value)
    assert message in refused(write(text.encode()))


def test_message_shows_what_is_not_printable_escaped(write):
    assert "\\x1b[2J" in refused("no\x1b[2J\n.json")
    assert refused(write(b"{}", "a\nb.json")).count("\n") == 0


def test_long_file_is_refused(monkeypatch):
    monkeypatch.setattr(ciphermeter, "MOST_BYTES", 1000)
    assert "has more than 1000 bytes" in refused(EXAMPLE)


def test_pipe_is_read_like_a_file(tmp_path, monkeypatch):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(EXAMPLE.read_bytes()))
    writer.start()
    assert load(pipe).cells.columns["cell"] == load(EXAMPLE).cells.columns["cell"]
    writer.join()


def test_unknown_members_are_let_through(example, write):
    example["later"] = example["records"][0]["later"] = {"any": [1]}
    assert load(write(example)).samples.columns.keys() == load(EXAMPLE).samples.columns.keys()
