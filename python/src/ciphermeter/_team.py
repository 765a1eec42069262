"""A team's server, `ciphermeter serve`, as tables: its machines, its runs, a cell over time.

What a server sends is checked as an export is: its length, its types. The token goes to that server alone, over TLS or
to this machine, and no redirect is followed.
"""

from __future__ import annotations

import ipaddress
import json
import os
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from email.message import Message
from typing import IO, Callable, NoReturn, Optional

from ._columns import Columns
from ._node import ExportError, Node, escaped
from ._read import Export, add, key, parsed
from ._table import Name, Table, Value

_PAGE = 1000
"""Rows of the longest list that the server sends at once."""
_PATIENCE = 60  # seconds

RUN_THERE: Columns = {
    "run": (str, "digest"),
    "machine": (str, "machine"),
    "started": (str, "started"),
    "received": (str, "received"),
    "scenario": (str, "scenario"),
    "status": (str, "status"),
    "ciphermeter": (str, "version"),
    "cells": (int, "cells"),
    "measured_on": (str, "measured_on"),
    "question": (str, "question"),
    "answered": (bool, "answered"),
    "answer": (str, "answer"),
    "recommended": (str, "choice?/recommended?"),
    "message_bytes": (int, "choice?/message"),
    "conditions": (str, "choice?/conditions?"),
}
MOMENT: Columns = {
    "run": (str, "run"),
    "machine": (str, "machine"),
    "started": (str, "started"),
    "version": (str, "version"),
    "median_ns": (float, "ns"),
    "reference": (str, "reference"),
}
MOVED: Columns = {
    "machine": (str, "machine"),
    "scenario": (str, "scenario"),
    "run": (str, "run"),
    "started": (str, "started"),
    "before": (str, "before"),
    "cell": (str, "cell"),
    "reference": (str, "reference"),
    "standard_errors": (float, "errors"),
    "runs": (int, "runs"),
    "cause": (str, "cause"),
    "reason": (str, "reason"),
}
NOTE: Columns = {
    "machine": (str, "machine"),
    "moment": (str, "moment"),
    "kind": (str, "kind"),
    "author": (str, "author"),
    "written": (str, "written"),
    "words": (str, "words"),
}
_CHANGE = ("change", "change_low", "change_high")
_RATES = ("aes_gb_per_s", "chacha20_gb_per_s")
_LIBRARIES = ("aes_library", "chacha20_library")
_RATIO = ("ratio_mid", "ratio_low", "ratio_high")


class Team:
    """A server with the runs of many machines.

        team = ciphermeter.Team("https://team.example")
        team.machines().to_pandas()

    `token` is what `ciphermeter serve token add --scope read` printed, by default the variable CIPHERMETER_TOKEN;
    `certificate` the file of the one certificate to trust, for a server that made its own. Raises `ExportError` if the
    server cannot be asked.
    """

    def __init__(self, url: str, token: Optional[str] = None, certificate: Optional[Name] = None) -> None:
        self._url = url.rstrip("/")
        parts = urllib.parse.urlsplit(self._url)
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or parts.path
            or parts.query
            or "@" in parts.netloc
        ):
            raise ExportError(f"{url} is no server: write https://HOST:PORT")
        is_here = _is_loopback(parts.hostname)
        self._token = token if token is not None else os.environ.get("CIPHERMETER_TOKEN", "")
        if not (self._token.isascii() and self._token.isprintable()):
            raise ExportError("this is no token: set CIPHERMETER_TOKEN to what `ciphermeter serve token add` printed")
        if self._token and parts.scheme == "http" and not is_here:
            raise ExportError("a token is sent over HTTPS alone: write https://")
        handlers: list[urllib.request.BaseHandler] = [
            _NoRedirect(),
            urllib.request.HTTPSHandler(context=_trust(certificate)),
        ]
        # A proxy of the network does not know this machine.
        handlers += [urllib.request.ProxyHandler({})] if is_here else []
        self._opener = urllib.request.build_opener(*handlers)

    def __repr__(self) -> str:
        return f"<team at {escaped(self._url)}>"

    def machines(self) -> Table:
        """A row for each machine: its latest run of what most compare, else its latest run."""
        answer = self._asked("/api/machines", {})
        since = _Answer(answer.members().get("since"), f"{answer.where}.since").members()
        stale = {name.typed(str) for name in answer.entries("stale")}
        table = self._runs(answer.entries("machines"))
        table.types.update(since=str, stale=bool)
        names = table.columns["machine"]
        moments = {name: _Answer(moment, f"{answer.where}.since").typed(str) for name, moment in since.items()}
        table.columns["since"] = [moments.get(str(name)) for name in names]
        table.columns["stale"] = [name in stale for name in names]
        return table

    def answer(self) -> str:
        """Which cipher serves all machines, in sentences."""
        return " ".join(str(said.typed(str)) for said in self._asked("/api/machines", {}).entries("sentences"))

    def runs(self, machine: Optional[str] = None) -> Table:
        """A row for each run, of one machine or of all, the latest first."""
        return self._runs(list(self._pages(machine)))

    def cells(self, cell: str, machine: Optional[str] = None) -> Table:
        """A row for each of the latest 1000 runs with a cell, the latest first.

        The cell is written as the server's pages have it: `openssl aes-256-gcm seal in-place aad 0 message 16KiB`.
        """
        answer = self._asked("/api/cells", {"cell": cell, "machine": machine})
        return self._table(MOMENT, _RATIO, _ratio, _entries(answer))

    def movements(self, machine: Optional[str] = None, cell: Optional[str] = None) -> Table:
        """A row for each cell that stepped to another level, the latest first, with what that is put down to.

        `change` is the time after ÷ the time before, both to the reference.
        """
        answer = self._asked("/api/movements", {"machine": machine, "cell": cell})
        return self._table(MOVED, _CHANGE, _change, _entries(answer))

    def notes(self, machine: Optional[str] = None) -> Table:
        """A row for each note on a machine, the latest first."""
        return self._table(NOTE, (), lambda _: [], _entries(self._asked("/api/notes", {"machine": machine})))

    def load(self, *runs: str) -> Export:
        """Loads runs whole, by the digests that the column `run` has; the first 8 digits are enough."""
        export = Export()
        loaded: dict[tuple[Value, ...], str] = {}
        for run in runs:
            name = f"run {run} of {self._url}"
            document = parsed(self._bytes(f"/api/runs/{urllib.parse.quote(run, safe='')}/export", {}), name)
            known = key(document, name)
            if known in loaded:
                raise ExportError(f"{name} is the same run as {loaded[known]}: load it once")
            loaded[known] = name
            add(export, document, name)
        return export

    def _pages(self, machine: Optional[str]) -> Iterator[Node]:
        last: dict[str, Optional[str]] = {}
        while True:
            page = _entries(self._asked("/api/runs", {"machine": machine, **last}))
            yield from page
            if len(page) < _PAGE:
                return
            # Runs may have begun in the same second.
            last = {"before": str(page[-1].value(str, "started")), "after": str(page[-1].value(str, "digest"))}

    def _runs(self, rows: list[Node]) -> Table:
        table = self._table(RUN_THERE, _RATES, _rates, rows)
        libraries = [_libraries(row) for row in rows]
        for place, name in enumerate(_LIBRARIES):
            table.types[name] = str
            table.columns[name] = [own[place] for own in libraries]
        return table

    def _table(
        self,
        columns: Columns,
        more: tuple[str, ...],
        values: Callable[[Node], list[Value]],
        rows: Iterator[Node] | list[Node],
    ) -> Table:
        table = Table({**{name: kind for name, (kind, _) in columns.items()}, **dict.fromkeys(more, float)})
        for row in rows:
            table._extend(1, {**row.row(columns), **dict(zip(more, values(row)))})
        return table

    def _asked(self, path: str, query: dict[str, Optional[str]]) -> Node:
        text = self._bytes(path, query)
        try:
            return _Answer(json.loads(text.decode("utf-8"), parse_constant=_no_number), f"{self._url}{path}")
        except (ValueError, RecursionError):
            raise ExportError(f"{self._url}{path} is no JSON: see that a ciphermeter server is there") from None

    def _bytes(self, path: str, query: dict[str, Optional[str]]) -> bytes:
        from . import _text

        words = urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})
        request = urllib.request.Request(f"{self._url}{path}?{words}" if words else f"{self._url}{path}")
        if self._token:
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            with self._opener.open(request, timeout=_PATIENCE) as answer:
                return _text(answer, f"{self._url}{path}")
        except urllib.error.HTTPError as error:
            with error:
                raise ExportError(f"{self._url} refuses: {_why(error)}") from None
        except (OSError, ValueError) as error:
            why = getattr(error, "reason", error)
            raise ExportError(f"cannot ask {self._url}: {why}; see that the server runs, and its certificate") from None


class _Answer(Node):
    """What a server sent: what is wrong with it is not an export's."""

    def damaged(self, why: str) -> ExportError:
        return ExportError(f"{self.where} {why}: see that the server and this package have the same version")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A server that sends elsewhere would get the token there."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None


def _trust(certificate: Optional[Name]) -> ssl.SSLContext:
    if certificate is None:
        return ssl.create_default_context()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cafile=certificate)
    except OSError as error:
        raise ExportError(
            f"cannot use the certificate {os.fsdecode(certificate)}: {error}; name a file of PEM"
        ) from None
    return context


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _why(error: urllib.error.HTTPError) -> str:
    """What the server says, which may be anything."""
    if error.code == 401:
        return "it wants a token: set CIPHERMETER_TOKEN, or token="
    try:
        said = json.loads(error.read(64 << 10))["error"]
    except (ValueError, KeyError, TypeError, OSError):
        said = error.reason
    return f"{error.code}, {str(said)[:300]}"


def _entries(answer: Node) -> list[Node]:
    if not isinstance(answer.content, list):
        raise answer.damaged("is no array")
    return [_Answer(entry, f"{answer.where}[{k}]") for k, entry in enumerate(answer.content)]


def _rates(run: Node) -> list[Value]:
    """Both ciphers' GB/s, AES first."""
    choice = run.find("choice?")
    return [None, None] if choice is None else _floats(choice, "gb_per_s", 2)


def _libraries(run: Node) -> list[Value]:
    """The library of either rate."""
    choice = run.find("choice?")
    if choice is None or choice.find("libraries?") is None:
        return [None, None]
    names = [entry.typed(str) for entry in choice.entries("libraries")]
    if len(names) != 2:
        raise choice.damaged("has no two libraries")
    return names


def _ratio(moment: Node) -> list[Value]:
    return [None] * 3 if moment.find("ratio?") is None else _floats(moment, "ratio", 3)


def _change(moved: Node) -> list[Value]:
    return _floats(moved, "change", 3)


def _floats(node: Node, name: str, count: int) -> list[Value]:
    entries = node.entries(name)
    if len(entries) != count:
        raise node.damaged(f"has {len(entries)} entries in {name}, not {count}")
    return [entry.typed(float) for entry in entries]


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
