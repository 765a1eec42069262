"""The file of hosts: a destination a line, as ssh takes it, after it the host's name if it is to have another one.

# web servers
web1.example
admin@10.0.0.7 db1
ssh://admin@10.0.0.8:2222 db2
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from . import files
from .problem import Problem, clean

MOST_HOSTS = 1000
MOST_BYTES = 1 << 18
_DESTINATION = re.compile(r"[A-Za-z0-9_.:@%\[\]/+-]{1,255}")
_NAME = re.compile(r"[A-Za-z0-9_.@:-]{1,100}")


@dataclass(frozen=True)
class Host:
    """Where ssh goes, and what the host is called here."""

    destination: str
    name: str


def read(file: Path) -> list[Host]:
    """The hosts of a file."""
    remedy = "write a file with a host a line, as ssh takes it"
    text = files.read(file, "the hosts of", MOST_BYTES, remedy)
    hosts: list[Host] = []
    for number, line in enumerate(text.decode("utf-8", "replace").splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            hosts.append(_host(words, f"{file}:{number}"))
    if not hosts:
        raise Problem(f"{file} names no host; {remedy}")
    if len(hosts) > MOST_HOSTS:
        raise Problem(f"{file} names {len(hosts)} hosts, and {MOST_HOSTS} are measured at once: split it")
    for place, host in enumerate(hosts):
        if any(host.name == other.name for other in hosts[:place]):
            raise Problem(f"{file} has two hosts named {host.name}: write another name behind one of them")
    return hosts


def _host(words: list[str], where: str) -> Host:
    destination, *names = words
    if destination.startswith("-") or not _DESTINATION.fullmatch(destination):
        raise Problem(f"{where}: {clean(destination, 60)!r} is no host: write HOST, USER@HOST or ssh://USER@HOST:PORT")
    if len(names) > 1:
        raise Problem(f"{where}: there is more than a host and its name: write a host a line")
    name = names[0] if names else _name(destination)
    if name.startswith("-") or not _NAME.fullmatch(name):
        raise Problem(
            f"{where}: {clean(name, 60)!r} is no name: write one behind the host, of letters, digits and . _ - @ :"
        )
    return Host(destination, name)


def _name(destination: str) -> str:
    """The host without scheme, user and the brackets of an address."""
    return re.sub(r"[\[\]]", "", destination.removeprefix("ssh://").rpartition("@")[2].rstrip("/"))
