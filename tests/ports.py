"""Ports for programs that are told where to listen."""

from __future__ import annotations

import random
import socket
from pathlib import Path

# From these the kernel takes the ports of connections; elsewhere than on Linux it is IANA's range.
RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


def free_port() -> int:
    """One that no program of this machine has, and that no connection gets before one listens."""
    low, high = map(int, RANGE.read_text().split()) if RANGE.exists() else (49152, 65535)
    ports = [*range(1024, low), *range(high + 1, 65536)]
    while not is_free(port := random.choice(ports)):
        pass
    return port


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As servers do: what an ended one left is no obstacle.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
