"""Calls a library as a plain program would: plain.py PROVIDER ALGORITHM OPERATION FORM MESSAGE_BYTES.

It proves that the worker adds no time of its own, so it imports nothing of the worker. Each line of standard input is a
number of calls; the answer is the nanoseconds that so many took.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Callable

AAD = b"thirteen byte"
HEAD, TAIL = bytes(8), b"nonce's remaining bytes!"

Run = Callable[[int], int]


def pyca_seal(box: Any, size: int, message: bytes) -> Run:
    tail = TAIL[: size - 8]

    def run(count: int) -> int:
        begin = time.perf_counter_ns()
        for number in range(count):
            box.encrypt(number.to_bytes(8, "big") + tail, message, AAD)
        return time.perf_counter_ns() - begin

    return run


def pyca_open(box: Any, size: int, message: bytes) -> Run:
    nonce = HEAD + TAIL[: size - 8]
    sealed = box.encrypt(nonce, message, AAD)

    def run(count: int) -> int:
        begin = time.perf_counter_ns()
        for _ in range(count):
            box.decrypt(nonce, sealed, AAD)
        return time.perf_counter_ns() - begin

    return run


def pyca_seal_into(box: Any, size: int, message: bytes) -> Run:
    tail = TAIL[: size - 8]
    sealed = bytearray(len(message) + 16)

    def run(count: int) -> int:
        begin = time.perf_counter_ns()
        for number in range(count):
            box.encrypt_into(number.to_bytes(8, "big") + tail, message, AAD, sealed)
        return time.perf_counter_ns() - begin

    return run


def pyca_open_into(box: Any, size: int, message: bytes) -> Run:
    nonce = HEAD + TAIL[: size - 8]
    sealed = box.encrypt(nonce, message, AAD)
    opened = bytearray(len(message))

    def run(count: int) -> int:
        begin = time.perf_counter_ns()
        for _ in range(count):
            box.decrypt_into(nonce, sealed, AAD, opened)
        return time.perf_counter_ns() - begin

    return run


def pycryptodome_seal(new: Callable, size: int, message: bytes) -> Run:
    tail = TAIL[: size - 8]

    def run(count: int) -> int:
        begin = time.perf_counter_ns()
        for number in range(count):
            cipher = new(nonce=number.to_bytes(8, "big") + tail)
            cipher.update(AAD)
            cipher.encrypt_and_digest(message)
        return time.perf_counter_ns() - begin

    return run


def pycryptodome_open(new: Callable, size: int, message: bytes) -> Run:
    nonce = HEAD + TAIL[: size - 8]
    cipher = new(nonce=nonce)
    cipher.update(AAD)
    sealed, tag = cipher.encrypt_and_digest(message)

    def run(count: int) -> int:
        begin = time.perf_counter_ns()
        for _ in range(count):
            cipher = new(nonce=nonce)
            cipher.update(AAD)
            cipher.decrypt_and_verify(sealed, tag)
        return time.perf_counter_ns() - begin

    return run


def pynacl_seal(box: tuple[Callable, Callable, bytes], size: int, message: bytes) -> Run:
    encrypt, _, key = box
    tail = TAIL[: size - 8]

    def run(count: int) -> int:
        begin = time.perf_counter_ns()
        for number in range(count):
            encrypt(message, AAD, number.to_bytes(8, "big") + tail, key)
        return time.perf_counter_ns() - begin

    return run


def pynacl_open(box: tuple[Callable, Callable, bytes], size: int, message: bytes) -> Run:
    encrypt, decrypt, key = box
    nonce = HEAD + TAIL[: size - 8]
    sealed = encrypt(message, AAD, nonce, key)

    def run(count: int) -> int:
        begin = time.perf_counter_ns()
        for _ in range(count):
            decrypt(sealed, AAD, nonce, key)
        return time.perf_counter_ns() - begin

    return run


def pyca(algorithm: str, key: bytes) -> tuple[Any, int] | None:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

    made = {"aes-256-gcm": AESGCM, "chacha20-poly1305": ChaCha20Poly1305}.get(algorithm)
    return made and (made(key), 12)


def pycryptodome(algorithm: str, key: bytes) -> tuple[Any, int] | None:
    from Crypto.Cipher import AES, ChaCha20_Poly1305

    return {
        "aes-256-gcm": (lambda nonce: AES.new(key, AES.MODE_GCM, nonce=nonce), 12),
        "chacha20-poly1305": (lambda nonce: ChaCha20_Poly1305.new(key=key, nonce=nonce), 12),
        "xchacha20-poly1305": (lambda nonce: ChaCha20_Poly1305.new(key=key, nonce=nonce), 24),
    }.get(algorithm)


def pynacl(algorithm: str, key: bytes) -> tuple[Any, int] | None:
    from nacl import bindings as b

    return {
        "aes-256-gcm": ((b.crypto_aead_aes256gcm_encrypt, b.crypto_aead_aes256gcm_decrypt, key), 12),
        "chacha20-poly1305": (
            (b.crypto_aead_chacha20poly1305_ietf_encrypt, b.crypto_aead_chacha20poly1305_ietf_decrypt, key),
            12,
        ),
        "xchacha20-poly1305": (
            (b.crypto_aead_xchacha20poly1305_ietf_encrypt, b.crypto_aead_xchacha20poly1305_ietf_decrypt, key),
            24,
        ),
    }.get(algorithm)


PROVIDERS = {"pyca": pyca, "pycryptodome": pycryptodome, "pynacl": pynacl}

RUNS = {
    ("pyca", "seal", "fresh"): pyca_seal,
    ("pyca", "open", "fresh"): pyca_open,
    ("pyca", "seal", "into"): pyca_seal_into,
    ("pyca", "open", "into"): pyca_open_into,
    ("pycryptodome", "seal", "fresh"): pycryptodome_seal,
    ("pycryptodome", "open", "fresh"): pycryptodome_open,
    ("pynacl", "seal", "fresh"): pynacl_seal,
    ("pynacl", "open", "fresh"): pynacl_open,
}


def main(arguments: list[str]) -> int:
    if len(arguments) != 5 or not arguments[4].isdigit():
        print("usage: plain.py PROVIDER ALGORITHM OPERATION FORM MESSAGE_BYTES", file=sys.stderr)
        return 2
    provider, algorithm, operation, form, size = arguments
    prepare = RUNS.get((provider, operation, form))
    box = PROVIDERS[provider](algorithm, bytes(range(32))) if prepare else None
    if box is None:
        print(f"plain.py has no {' '.join(arguments[:4])}", file=sys.stderr)
        return 2
    run = prepare(*box, bytes(i % 251 for i in range(int(size))))
    for line in sys.stdin:
        print(run(int(line)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
