"""PyNaCl, on the libsodium in its wheel. Its functions take the key with each message, and bytes objects only."""

from __future__ import annotations

import platform
import re
from functools import partial
from importlib import metadata
from typing import Callable

from nacl import bindings
from nacl._sodium import lib
from nacl.exceptions import CryptoError

from calls.calls import Calls
from calls.offers import Call, Offer, Tag

KIND = Calls

CALLS = {
    ("seal", "fresh"): Call("out = None\nout = encrypt(source, aad, nonce, key)", "out"),
    ("open", "fresh"): Call("out = None\nout = decrypt(source, aad, nonce, key)", "out"),
}


def version() -> str:
    """The library does not report its libsodium's version. Its history in the wheel does: the latest entry counts."""
    history = metadata.metadata("PyNaCl").get_payload()
    found = re.search(r"libsodium`` to (\d[\w.-]*\w)", str(history))
    return f"{metadata.version('PyNaCl')}, libsodium {found[1] if found else 'of unknown version'}"


def names(encrypt: Callable, decrypt: Callable, _: bytes) -> dict[str, object]:
    return {"encrypt": encrypt, "decrypt": decrypt}


def offers() -> list[Offer]:
    known = version()

    def offer(algorithm: str, function: str, nonce: int, path: str) -> Offer:
        both = [getattr(bindings, f"crypto_aead_{function}_{what}") for what in ("encrypt", "decrypt")]
        make = partial(Offer, "pynacl", known, algorithm, path, 32, nonce, CALLS, partial(names, *both))
        return make((CryptoError,), tag=Tag(first=False, apart=False), bytes_only=True, copies=4)

    ciphers = [
        offer("chacha20-poly1305", "chacha20poly1305_ietf", 12, chacha_path()),
        offer("xchacha20-poly1305", "xchacha20poly1305_ietf", 24, chacha_path()),
    ]
    if lib.crypto_aead_aes256gcm_is_available():  # libsodium has no AES without the CPU's instructions
        ciphers.insert(0, offer("aes-256-gcm", "aes256gcm", 12, "armv8-aes" if on_arm() else "aesni"))
    return ciphers


def on_arm() -> bool:
    return platform.machine().lower() in ("aarch64", "arm64")


def chacha_path() -> str:
    """libsodium's rule (crypto_stream/chacha20/stream_chacha20.c): AVX2, else SSSE3, else C, the only one on Arm."""
    if on_arm():
        return "soft"
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
            flags = next((text for text in lines if text.startswith("flags")), "").split()
    except OSError:
        return "unknown"
    return next((path for path in ("avx2", "ssse3") if path in flags), "soft")
