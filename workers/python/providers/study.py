"""The transfer scheme of one paper, by pyca/cryptography on the OpenSSL in its wheel: transfer/README.md names it."""

from __future__ import annotations

import os
from importlib import metadata

from cryptography.hazmat.backends.openssl import backend

from messages import Unsupported
from transfer.scheme import BOXES, works
from transfer.transfers import Offer, Transfers

KIND = Transfers


def version() -> str:
    return f"cryptography {metadata.version('cryptography')}, {' '.join(backend.openssl_version_text().split()[:2])}"


def offers() -> list[Offer]:
    if os.name != "posix":
        raise Unsupported("it transfers files on Linux, macOS and other POSIX systems only")
    # OpenSSL does not report which code it runs, and the rules of version 4 are unknown to this worker.
    return [Offer("study", version(), algorithm, path="unknown") for algorithm in BOXES if works(algorithm)]
