"""Servers on loopback with a certificate of their own, and a client that says which suite it got."""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from advice import AES, CHACHA20

LIMIT = 60  # seconds
SUITES = {
    "tls1_3": {AES: "TLS_AES_256_GCM_SHA384", CHACHA20: "TLS_CHACHA20_POLY1305_SHA256"},
    "tls1_2": {AES: "ECDHE-ECDSA-AES256-GCM-SHA384", CHACHA20: "ECDHE-ECDSA-CHACHA20-POLY1305"},
}
# What a client of TLS 1.2 may have alone: without an AEAD, or without forward secrecy.
OLDER = ("ECDHE-RSA-AES128-SHA256", "ECDHE-RSA-AES256-SHA", "AES128-GCM-SHA256")


def run(*command: object, **other: object) -> subprocess.CompletedProcess:
    words = [str(word) for word in command]
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, **other)


class Certificate:
    """Self-made, of an elliptic curve: both in one PEM, and as PKCS#12 for Java; and `rsa` beside it."""

    def __init__(self, folder: Path, kind: tuple[str, ...] = ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")) -> None:
        self.key, self.chain, self.both = folder / "key.pem", folder / "chain.pem", folder / "both.pem"
        self.store = folder / "store.p12"
        words = ["-newkey", *kind, "-nodes", "-days", 2, "-subj", "/CN=localhost"]
        self._openssl("req", "-x509", *words, "-keyout", self.key, "-out", self.chain)
        self.both.write_text(self.chain.read_text() + self.key.read_text())
        self._openssl("pkcs12", "-export", "-in", self.both, "-out", self.store, "-passout", "pass:changeit")
        if kind[0] == "ec":
            (folder / "rsa").mkdir()
            self.rsa = Certificate(folder / "rsa", ("rsa:2048",))

    @staticmethod
    def _openssl(*words: object) -> None:
        done = run("openssl", *words)
        assert done.returncode == 0, done.stderr


def serving(port: int, *command: object, **other: object) -> contextlib.AbstractContextManager[None]:
    """A server that listens on the port while this lasts."""
    return started(lambda: listens(port), *command, **other)


@contextlib.contextmanager
def started(is_ready: Callable[[], bool], *command: object, **other: object) -> Iterator[None]:
    """A program that runs while this lasts, which begins when it is ready."""
    words = [str(word) for word in command]
    with (Path(other.pop("log"))).open("wb") as log:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **other)
    try:
        until = time.monotonic() + LIMIT
        while not is_ready():
            assert process.poll() is None, Path(log.name).read_text()
            assert time.monotonic() < until, f"{words[0]} is not ready: {Path(log.name).read_text()}"
            time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(LIMIT)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def taken(port: int, suites: tuple[str, ...] = OLDER) -> set[str]:
    """Those with which a client of TLS 1.2 connects that has no other."""
    # By this name HAProxy finds the certificate whose key the suite takes.
    words = ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-servername", "localhost", "-tls1_2", "-cipher"]
    return {suite for suite in suites if f"Cipher is {suite}\n" in run(*words, suite).stdout}


def shown(port: int, command: str) -> str:
    """What a command prints that a user runs to see the suite."""
    own = re.sub(r"HOST:(443|5432|PORT)", f"127.0.0.1:{port}", command)
    assert own != command, command
    done = run("sh", "-c", own)
    found = re.search(r"^Ciphersuite: (\S+)$", done.stdout + done.stderr, re.MULTILINE)
    assert found, done
    return found[1]


def suites_of(text: str) -> set[str]:
    """The suites of TLS 1.2 that a string of OpenSSL names, in whatever order."""
    own = ":".join(word for word in text.split(":") if not word.startswith("TLS_"))
    done = run("openssl", "ciphers", own)
    assert done.returncode == 0, done
    return {suite for suite in done.stdout.strip().split(":") if not suite.startswith("TLS_")}


def negotiated(port: int, version: str, first: str, *words: str) -> str:
    """The suite that a client gets which offers both, that cipher first; with further words for it."""
    own = SUITES[version]
    offered = ":".join([own[first], *(suite for cipher, suite in own.items() if cipher != first)])
    option = "-ciphersuites" if version == "tls1_3" else "-cipher"
    done = run("openssl", "s_client", "-connect", f"127.0.0.1:{port}", f"-{version}", option, offered, *words)
    found = re.search(r"Cipher is (\S+)", done.stdout)
    assert found, done
    return found[1]


def both_orders(
    port: int, versions: tuple[str, ...] = ("tls1_3", "tls1_2"), words: tuple[str, ...] = ()
) -> dict[tuple[str, str], str]:
    """By version and by the cipher that a client puts first: the cipher that it gets."""
    names = {suite: cipher for version in versions for cipher, suite in SUITES[version].items()}
    each = [(version, first) for version in versions for first in (AES, CHACHA20)]
    return {(version, first): names[negotiated(port, version, first, *words)] for version, first in each}
