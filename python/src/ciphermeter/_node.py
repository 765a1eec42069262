"""Strict access to JSON: what is not there, or is of another type, is an `ExportError` that says where.

A place below a node is names joined by `/`. Behind a name, `?` says that the value may be null, `~` that it may
be missing, too.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Optional, cast

from ._columns import Columns
from ._table import Value

_MOST_INTEGER = 2**53 - 1  # the schema's
_MOST_SHOWN = 40
_TYPES = {int: "an integer from 0 to 2^53 - 1", float: "a finite number", str: "text", bool: "true or false"}
_HALF = re.compile("[\ud800-\udfff]")  # of a pair: no text by itself


class ExportError(ValueError):
    """A run that cannot be read: which, why and what to do, on one line."""

    def __init__(self, message: str) -> None:
        super().__init__(escaped(message))


def escaped(text: str) -> str:
    """Text from outside for a line on a terminal."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


@dataclass(frozen=True)
class Node:
    """A value in a document, and where it stands, for messages."""

    content: object
    where: str

    def row(self, columns: Columns) -> dict[str, Value]:
        """The values of a row with these columns."""
        return {name: self.value(kind, place) for name, (kind, place) in columns.items()}

    def value(self, kind: type, place: str) -> Value:
        """The value of this type at a place; None where the place allows that."""
        node = self.find(place)
        return None if node is None else node.typed(kind)

    def find(self, place: str) -> Optional[Node]:
        """What stands at a place; None where the place allows that."""
        node = self
        for step in place.split("/"):
            name = step.rstrip("?~")
            members = node.members()
            node = type(self)(members.get(name), f"{node.where}.{name}")
            if name not in members and not step.endswith("~"):
                raise node.damaged("is missing")
            if node.content is None:
                if step == name:
                    raise node.damaged("is null")
                return None
        return node

    def typed(self, kind: type) -> Value:
        """Its content, which is of this type."""
        content = self.content
        if kind is float and type(content) is int and content.bit_length() < 1024:
            return float(content)
        # Not `isinstance`: to Python, true and false are integers.
        if type(content) is not kind or not _is_fit(content):
            raise self.damaged(f"is {shown(content)}, not {_TYPES[kind]}")
        return cast(Value, content)

    def integers(self, name: str, length: Optional[int] = None, least: int = 0, nullable: bool = False) -> list[Value]:
        """A member that is an array of integers, if need be as long as another."""
        node = self._array(name)
        if length is not None and len(node.content) != length:
            raise node.damaged(f"has {len(node.content)} entries, not {length}")
        for entry in node.content:
            if (entry is not None or not nullable) and not (type(entry) is int and least <= entry <= _MOST_INTEGER):
                raise node.damaged(f"has the entry {shown(entry)}, not an integer from {least} to 2^53 - 1")
        return node.content

    def entries(self, name: str) -> list[Node]:
        """The entries of a member that is an array."""
        node = self._array(name)
        return [type(self)(entry, f"{node.where}[{k}]") for k, entry in enumerate(node.content)]

    def members(self) -> dict[str, Any]:
        """Its content, which is an object."""
        if not isinstance(self.content, dict):
            raise self.damaged("is no object")
        return self.content

    def damaged(self, why: str) -> ExportError:
        """What to raise for this node."""
        return ExportError(f"{self.where} {why}: export the run again")

    def _array(self, name: str) -> _Array:
        node = type(self)(self.members().get(name), f"{self.where}.{name}")
        if not isinstance(node.content, list):
            raise node.damaged("is no array" if name in self.members() else "is missing")
        return _Array(node.content, node.where)


@dataclass(frozen=True)
class _Array(Node):
    content: list[Any]


def _is_fit(content: object) -> bool:
    """Whether a table can hold it, in all libraries alike."""
    if isinstance(content, float):
        return math.isfinite(content)
    if isinstance(content, int):
        return 0 <= content <= _MOST_INTEGER
    return isinstance(content, str) and _HALF.search(content) is None


def shown(content: object) -> str:
    """A value from outside, in a message."""
    if isinstance(content, (dict, list)):
        return "an object" if isinstance(content, dict) else "an array"
    text = json.dumps(content, ensure_ascii=False)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
