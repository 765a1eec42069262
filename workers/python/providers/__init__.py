"""The providers: one file each, imported only on request."""

from __future__ import annotations

from collections import defaultdict
from importlib import import_module

from kinds import Absent, Kind, Offer
from messages import Unsupported

# The modules of each.
KNOWN = {"pyca": ["pyca"], "pycryptodome": ["pycryptodome"], "pynacl": ["pynacl"], "study": ["study", "study_process"]}


def load(names: list[str]) -> tuple[list[Kind], list[Absent]]:
    """The offers of the named providers, by kind, and the providers that cannot run here."""
    offers: defaultdict[type[Kind], list[Offer]] = defaultdict(list)
    absent: list[Absent] = []
    modules = [(name, module) for name in names for module in KNOWN[name]]
    for name, module in modules:
        try:
            provider = import_module(f"providers.{module}")
            found = provider.offers()
            offers[provider.KIND] += found
        except Unsupported as error:
            absent.append(Absent(name, str(error)))
        # Whatever a broken library raises: a panic of a Rust library is a BaseException.
        except BaseException as error:
            why = f"{type(error).__name__}: {ascii(str(error))[1:-1][:300]}"
            absent.append(Absent(name, f"cannot load its library ({why}); run build.py of this worker again"))
    return [kind(its) for kind, its in offers.items()], absent
