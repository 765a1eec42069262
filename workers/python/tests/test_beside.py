"""What is counted beside a sample's time."""

from __future__ import annotations

import gc

from calls.beside import Reading, Watch


def test_stretch_that_was_not_counted_throughout_is_absent():
    before = Reading(10, 8, 1000, 3000)
    assert Reading(12, 10, 5000, 9000).since(before) == {"cycles": 4000, "instructions": 6000}
    assert Reading(12, 9, 5000, 9000).since(before) == {}, "another program had the counters meanwhile"
    assert Reading(12, 10, 1000, 3000).since(before) == {}, "a counter that stands still counts nothing"


def test_faults_and_collections_are_counted():
    watch = Watch()
    watch.begin()
    pages = bytearray(64 << 20)
    pages[::4096] = b"1" * (len(pages) // 4096)
    gc.collect()
    found = watch.end()
    assert found["collections"] >= 1
    assert found.get("minor_faults", 1) > 0
    assert ("cycles" in found) == ("instructions" in found)


def test_samples_say_them(ask, way):
    ask.prepare(*way, 64)
    sample = ask("sample", do="sample", cell=1, iterations=2)
    assert sample["collections"] >= 0
    assert sample.get("minor_faults", 0) >= 0
