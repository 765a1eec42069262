"""Calls pyca's cryptography as a plain program would: plain.py ALGORITHM FORM MESSAGE_BYTES.

It proves that the worker adds no time of its own, so it imports nothing of the worker. Each line of standard input is a
number of seals; the answer is the nanoseconds that so many took.
"""

from __future__ import annotations

import sys
import time

from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

AAD, TAIL = b"thirteen byte", b"tail"
BOXES = {"aes-256-gcm": AESGCM, "chacha20-poly1305": ChaCha20Poly1305}


def seal(box: AESGCM | ChaCha20Poly1305, message: bytes, count: int) -> int:
    begin = time.perf_counter_ns()
    for number in range(count):
        box.encrypt(number.to_bytes(8, "big") + TAIL, message, AAD)
    return time.perf_counter_ns() - begin


def main(arguments: list[str]) -> int:
    if len(arguments) != 3 or arguments[0] not in BOXES or arguments[1] != "fresh" or not arguments[2].isdigit():
        print(f"usage: plain.py {'|'.join(BOXES)} fresh MESSAGE_BYTES", file=sys.stderr)
        return 2
    box, message = BOXES[arguments[0]](bytes(range(32))), bytes(i % 251 for i in range(int(arguments[2])))
    for line in sys.stdin:
        print(seal(box, message, int(line)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
