"""The process of one call: `python -m process.child` reads what to do, a JSON object, and prints what it came to.

It goes through the paper's sizes below that of its message, as the paper's program has when it comes to a file: at
each, AES comes before ChaCha20, and each encrypts and decrypts once. The call that was asked for is the first of its
size.
"""

from __future__ import annotations

import json
import sys

from process.procedure import BOXES, NONCES, SIZES, Timed, traced
from stream import stream

OPERATIONS = {"aes-256-cbc": ("encrypt", "decrypt"), "chacha20-poly1305": ("seal", "open")}


def main() -> None:
    asked = json.loads(sys.stdin.buffer.read())
    timed, peak = called(asked)
    said = {"ns": round(timed.seconds * 1e9), "peak": peak, "sha256": hashed(timed.output)}
    json.dump(said, sys.stdout)


def called(asked: dict) -> tuple[Timed, int]:
    """The call, and the most memory of an encryption and a decryption together, in bytes."""
    for size in SIZES:
        if size < asked["message"]:
            do_file(asked, size, "")
    encrypted, decrypted, peak = do_file(asked, asked["message"], asked["algorithm"])
    return (encrypted, decrypted)[OPERATIONS[asked["algorithm"]].index(asked["operation"])], peak


def do_file(asked: dict, size: int, last: str) -> tuple[Timed, Timed, int] | None:
    """Does to a file what the paper's program does, up to the cipher that is the last. Nothing of the ciphers before it
    stays in memory, nor of the file when it is done, so that the next call finds memory as it does there."""
    key, aad = bytes.fromhex(asked["key"]), bytes.fromhex(asked["aad"])
    nonce = bytes.fromhex(asked["nonce"]).ljust(max(NONCES.values()), b"\0")
    data = stream("message", asked["seed"], size)
    for each in BOXES:
        made = traced(each, key, nonce[: NONCES[each]], data, aad)
        if each == last:
            return made
        del made
    return None


def hashed(output: bytes) -> str:
    from cryptography.hazmat.primitives.hashes import SHA256, Hash  # here, as the paper's program loads it nowhere

    digest = Hash(SHA256())
    digest.update(output)
    return digest.finalize().hex()


if __name__ == "__main__":
    main()
