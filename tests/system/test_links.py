"""Transfers over links with a delay, a rate and loss, in network namespaces."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import links
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


def keeps_up(table: links.Table, least: float) -> None:
    print(table.text())
    for (loss, streams), ratio in table.ratios().items():
        assert ratio > least, f"{loss} lost, {streams}: {ratio:.2f} of iperf3\n{table.text()}"


@pytest.mark.deep
def test_keeps_up_with_iperf3(tmp_path):
    """With BBR, whose rate hardly depends on which packets are lost; on a kernel without it, where none are lost."""
    if "bbr" in Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text():
        table = links.compare(tmp_path / "bbr", rounds=2, congestion="bbr")
    else:
        table = links.compare(
            tmp_path / "cubic", rounds=2, only=[cell for cell in links.cells() if cell.loss == "none"]
        )
    keeps_up(table, 0.8)


@pytest.mark.deep
def test_streams_do_not_wait_for_one_another(tmp_path):
    """With Cubic, under losses that slow single streams for seconds: it was 0.2 of iperf3 while they waited."""
    lossy = [cell for cell in links.cells() if cell.streams == 4 and cell.loss != "none"]
    keeps_up(links.compare(tmp_path / "cubic", rounds=3, only=lossy), 0.5)
