"""What machines send is checked: it may be anything."""

from __future__ import annotations

import json
import os
import zlib
from typing import Any

import pytest

from ciphermeter_fleet import members, results
from ciphermeter_fleet.machine import MOST_BYTES
from ciphermeter_fleet.problem import Problem, clean, last_line
from ciphermeter_fleet.scenario import Scenario
from ciphermeter_fleet.state import State

MESSAGES = Scenario("messages", None, "hash", "messages (the default): AEADs")


def export_of(name: object, status: str = "complete") -> bytes:
    run = {"started": "2026-11-30T12:00:00Z", "status": status, "scenario": {"name": name}}
    return json.dumps({"run": run}).encode()


def test_export_is_unpacked_up_to_64_mib():
    longest = b"x" * MOST_BYTES
    assert results.unpacked(zlib.compress(longest)) == longest
    with pytest.raises(Problem, match="longer than 64 MiB"):
        results.unpacked(zlib.compress(longest + b"x"))


def test_what_is_no_export_is_refused():
    cut = zlib.compress(os.urandom(9999))[:-7]
    for packed in (None, "text", 7, b"", b"plain", cut, bytes(MOST_BYTES + 1)):
        with pytest.raises(Problem):
            results.unpacked(packed)


@pytest.mark.parametrize("export", [b"", b"{}", b"[]", b'{"run": 7}', b'{"run": {}}', b"\xff"])
def test_export_without_a_start_is_refused(export: bytes):
    with pytest.raises(Problem, match="no export of a run"):
        results.started(export, MESSAGES)


def test_interrupted_run_is_not_done():
    with pytest.raises(Problem, match="was interrupted: repeat"):
        results.started(export_of("messages", "interrupted"), MESSAGES)
    assert results.started(export_of("messages", "partial"), MESSAGES) == "2026-11-30T12:00:00Z"


@pytest.mark.parametrize("name", ["bulk", "messag", "messages (the default)", "", None, ["messages"]])
def test_run_of_another_scenario_is_refused(name: object):
    with pytest.raises(Problem, match="not of messages; see which ciphermeter it has"):
        results.started(export_of(name), MESSAGES)


def test_file_is_known_by_the_name_in_it():
    of_file = Scenario("fast.toml", "text", "hash", "fast: cheap ciphers: at one size")
    assert results.started(export_of("fast"), of_file) == "2026-11-30T12:00:00Z"
    with pytest.raises(Problem, match="it sent a run of bulk, not of fast"):
        results.started(export_of("bulk"), of_file)


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with State().locked() as state:
        yield state


FACTS = {"machine": "0" * 32, "binary": "a" * 64, "version": "0.1.0", "host": "web1"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"machine": "../../etc/passwd"},
        {"machine": "0" * 31},
        {"machine": 7},
        {"binary": "A" * 64},
        {"binary": None},
        {"problem": "there is\nno program"},
    ],
)
def test_machine_that_does_not_say_which_it_is_is_refused(state: State, wrong: dict[str, Any]):
    of_call = members.Members(state, MESSAGES)
    with pytest.raises(Problem):
        of_call.know(of_call.add("web1"), {**FACTS, **wrong})


def test_no_name_from_outside_chooses_a_file_or_an_option(state: State):
    assert members.name_of("../../.ssh\n--store=x\x1b[31m") == "ssh---store-x-31m"
    assert members.name_of("--push") == "push"
    assert members.name_of("\u202e") == "machine"
    assert state.waiting("../a", "../b", "../c").parent == state.folder
    assert state.waiting("a", "b", "c") != state.waiting("a", "b c", "")


def test_names_are_told_apart(state: State):
    of_call = members.Members(state, MESSAGES)
    assert [of_call.add("web").name for _ in range(3)] == ["web", "web-2", "web-3"]


def test_text_from_outside_is_one_short_printable_line():
    assert clean("a\n b\x1b[31m\u202e") == "a b?[31m?"
    assert len(clean("x" * 10_000)) == 300
    assert last_line(b"Warning: x\nciphermeter: no such file\n\n") == "no such file"
