"""Messages: one flat JSON object a line.

Requests are read strictly: no nesting, floats or booleans, integers from 0 to 2^53-1, lower-case hex. Answers are
written key by key in the order of PROTOCOL.md.
"""

from __future__ import annotations

import json
from typing import NoReturn, Union

MAX_LINE = 65536  # bytes, the newline included, both ways
MAX_KEYS = 64
MAX_NUMBER = 2**53 - 1  # the largest integer that every JSON reader represents exactly

Value = Union[str, int, list, None]


class Failure(Exception):
    """Answered with error: what failed, then what to do."""


class Unsupported(Exception):
    """Answered with unsupported: why a valid request is not supported here."""


class Rejected(Exception):
    """Answered with rejected: a bad tag, bad padding or an input too short to have one."""


def parse(line: bytes) -> Request:
    """Reads one line of at most MAX_LINE bytes. Of a repeated key the last value counts; null is absent."""
    try:
        pairs = DECODER.decode(line.decode("utf-8", "strict"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise Failure("the line is not JSON in UTF-8; send one flat object a line") from None
    if not isinstance(pairs, Pairs):
        raise Failure("the line is not an object; send one flat object a line")
    if len(pairs) > MAX_KEYS:
        raise Failure(f"the object has more than {MAX_KEYS} keys; send fewer")
    values = {key: checked(key, value) for key, value in pairs}
    return Request({key: value for key, value in values.items() if value is not None})


class Pairs(list):
    """An object's keys and values as received."""


def integer(digits: str) -> int:
    # The length comes first: Python reads long integers in quadratic time.
    if digits.startswith("-") or len(digits) > 16 or int(digits) > MAX_NUMBER:
        raise Failure(f"{digits[:40]} is not an integer from 0 to 2^53-1")
    return int(digits)


def refuse(text: str) -> NoReturn:
    raise Failure(f"{text[:40]} is not an integer from 0 to 2^53-1")


DECODER = json.JSONDecoder(object_pairs_hook=Pairs, parse_int=integer, parse_float=refuse, parse_constant=refuse)


def checked(key: str, value: object) -> Value:
    if value is None or type(value) in (str, int):
        return value
    if type(value) is list and all(type(item) is int for item in value):
        return value
    raise Failure(f"the key {shown(key)} is neither string, integer, null nor array of integers; send one of these")


def shown(text: str) -> str:
    """Quotes what a request said, clipped and printable."""
    return ascii(text[:40])


class Request:
    """A parsed line."""

    def __init__(self, values: dict[str, Value]) -> None:
        self.values = values

    def text(self, key: str, absent: str | None = None) -> str:
        """A string, or `absent` if the key is missing; without `absent` the key is required."""
        value = self.values.get(key, absent)
        if value is None:
            raise Failure(f"the key {shown(key)} is missing; send it")
        if not isinstance(value, str):
            raise Failure(f"the key {shown(key)} is not a string; send one")
        return value

    def number(self, key: str, low: int, high: int, absent: int | None = None) -> int:
        """An integer from `low` to `high`, or `absent` if the key is missing; without `absent` it is required."""
        if key not in self.values and absent is not None:
            return absent
        value = self.values.get(key)
        if not isinstance(value, int) or not low <= value <= high:
            raise Failure(f"the key {shown(key)} is not an integer from {low} to {high}; send one")
        return value

    def hex(self, key: str, absent: str | None = None) -> bytes:
        """Bytes written in lower-case hex."""
        text = self.text(key, absent)
        try:
            value = bytes.fromhex(text)
        except ValueError:
            value = None
        if value is None or value.hex() != text:  # fromhex ignores blanks and case
            raise Failure(f"the key {shown(key)} is not lower-case hex; send two digits a byte")
        return value


def line(kind: str, **values: Value) -> bytes:
    """An answer. None is written as null."""
    return json.dumps({"is": kind, **values}, separators=(",", ":")).encode() + b"\n"


def failure(why: str) -> bytes:
    """The answer to a request that failed."""
    return line("error", why=why[:2000])
