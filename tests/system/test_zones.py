"""Link-local addresses: `recv` and `send` find each other through the interface that is named after `%`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

ADDRESS, DEVICE = "fe80::7", "wire-7.1"
LIMIT = 60  # seconds


@pytest.fixture
def inside() -> Iterator[tuple[str, ...]]:
    """Before a command: starts it in a network of its own, with one link-local address."""
    name = f"cm-zones-{os.getpid()}"
    ip = ["ip", "-n", name]
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        for words in (
            "link set lo up",
            f"tuntap add {DEVICE} mode tun",
            f"link set {DEVICE} up",
            f"address add {ADDRESS}/64 dev {DEVICE} nodad",
        ):
            subprocess.run([*ip, *words.split()], check=True)
        yield ("ip", "netns", "exec", name)
    finally:
        subprocess.run(["ip", "netns", "delete", name], check=True)


@pytest.mark.parametrize("listen", [f"{ADDRESS}%{DEVICE}", f"[{ADDRESS}%{DEVICE}]", f"[{ADDRESS}%{DEVICE}]:4100"])
def test_files_move_to_a_link_local_address(ours, inside, listen):
    into, ticket = ours.folder("into"), ours.home / "ticket"
    (ours.home / "file").write_bytes(b"three words here")
    command = ("recv", "--yes", "--into", into, "--ticket-file", ticket, "--listen", listen)
    recv = ours.start(*command, prefix=inside)
    ours.appears(ticket, recv)
    addresses = ticket.read_text().strip().partition("@")[2]
    assert addresses.startswith(f"[{ADDRESS}%{DEVICE}]:"), addresses
    send = ours.start("send", "--streams", "2", "--ticket-file", ticket, ours.home / "file", prefix=inside)
    for process in send, recv:
        _, err = process.communicate(timeout=LIMIT)
        assert process.returncode == 0, err
    assert (into / "file").read_bytes() == b"three words here"
    assert f"`%{DEVICE}`" in err.decode().replace("\n", " "), "recv says whose name that is"


def test_zone_is_an_interface_of_the_senders_machine(ours, inside):
    (ours.home / "file").write_bytes(b"three words here")
    key = "A" * 64
    for host, why in [
        (f"[{ADDRESS}]", "needs the interface that leads to it"),
        (f"[{ADDRESS}%eth-7]", "this machine has no interface `eth-7`"),
    ]:
        send = ours.start("send", "--quiet", ours.home / "file", f"cm1.{key}@{host}:4100", prefix=inside)
        _, err = send.communicate(timeout=LIMIT)
        assert send.returncode == 5 and why in err.decode(), err
