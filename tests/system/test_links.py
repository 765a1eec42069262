"""Transfers over links with a delay, a rate and loss, in network namespaces."""

from __future__ import annotations

import os
import time

import pytest

from transfer import begin, is_recorded

FAR = ("--delay", "0.01s", "--rate", "25MiB", "--loss", "0.5%")


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(os.urandom(3 << 20))
    return file


@pytest.mark.parametrize("version", ["ipv4", "ipv6"])
def test_arrives_over_a_link_that_loses_packets(ours, network, file, version):
    network.connect(*FAR)
    address = getattr(network.there, version)
    begin(ours, network, file, ours.folder("into"), address=f"[{address}]" if ":" in address else address).fine()
    assert (ours.home / "into/file").read_bytes() == file.read_bytes()
    assert " 0 lost" not in network.cut()


def test_resumes_by_itself_after_the_link_was_cut(ours, network, file):
    # So much that it lasts: it is cut once something of it is recorded, which is after a second.
    file.write_bytes(os.urandom(12 << 20))
    network.connect("--delay", "0.01s", "--rate", "1MiB")
    # Both ends give silent connections up after 6 s, and then wait 6 s for the other. TCP alone survives less.
    transfer = begin(ours, network, file, ours.folder("into"), patience="6s")
    is_recorded(transfer.send, ours.home / "into")
    network.cut()
    assert transfer.send.poll() is None, "it was cut too late"
    time.sleep(7)
    network.mend()
    assert transfer.fine()["attempt"] > 1
    assert (ours.home / "into/file").read_bytes() == file.read_bytes()


@pytest.mark.deep
@pytest.mark.parametrize("streams", [1, 4])
def test_all_streams_arrive_over_a_long_link_that_loses_much(ours, network, file, streams):
    """How fast, `tests/system/run --links` compares with iperf3."""
    network.connect("--delay", "0.05s", "--rate", "25MiB", "--loss", "1%")
    transfer = begin(ours, network, file, ours.folder("into"), "--streams", streams, patience="5min")
    assert transfer.fine(300)["streams"] == streams
    assert (ours.home / "into/file").read_bytes() == file.read_bytes()
    assert " 0 lost" not in network.cut()
