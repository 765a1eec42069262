"""The procedure of another paper, by pyca/cryptography on the OpenSSL in its wheel: process/README.md names it."""

from __future__ import annotations

from process.procedure import BOXES
from process.processes import Offer, Processes
from providers.study import version

KIND = Processes


def offers() -> list[Offer]:
    return [Offer("study", version(), algorithm, path="unknown") for algorithm in BOXES]
