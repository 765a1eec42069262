"""The providers: one file each, imported only when it is asked for."""

from __future__ import annotations

from importlib import import_module

from calls.calls import Calls
from kinds import Absent, Kind, Offer

KNOWN = ["pyca", "pycryptodome", "pynacl"]


def load(names: list[str]) -> tuple[list[Kind], list[Absent]]:
    """What the named providers offer, and which of them can't be loaded."""
    offers: list[Offer] = []
    absent: list[Absent] = []
    for name in names:
        try:
            offers += import_module(f"providers.{name}").offers()
        # Whatever a broken library raises: the panics of one written in Rust are a BaseException.
        except BaseException as error:
            why = f"{type(error).__name__}: {ascii(str(error))[1:-1][:300]}"
            absent.append(Absent(name, f"its library can't be loaded ({why}); run build.py of this worker again"))
    return [Calls(offers)], absent
