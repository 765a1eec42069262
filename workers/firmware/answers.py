"""Writes core/answers.c: the known answers that a device must give before it offers an algorithm.

By hand, rarely: `python3 answers.py && clang-format -i core/answers.c`. They are the project's own vectors
(crates/meter/vectors, from Project Wycheproof), three for each algorithm: the shortest valid one, one with a short aad,
one whose message is longer than any cipher's block here. None has a message of 64 bytes, at which a build with
PLANT_WRONG_TAG is wrong.
"""

import json
from pathlib import Path

HERE = Path(__file__).parent
VECTORS = HERE / "../../crates/meter/vectors/wycheproof"
TABLE = json.loads((HERE / "../../conformance/algorithms.json").read_text())
ALGORITHMS = [
    "aes-128-gcm",
    "aes-256-gcm",
    "aes-128-ccm",
    "aes-256-ccm",
    "chacha20-poly1305",
    "xchacha20-poly1305",
    "ascon-aead128",
]
# Bytes of key and nonce.
SIZES = {row["algorithm"]: (row["key"], row["nonce"]) for row in TABLE}
# Bytes of aad and of message that the chosen vectors may have: from, to.
CHOICES = [((0, 0), (1, 20)), ((1, 20), (1, 32)), ((0, 65), (65, 150))]

HEAD = """// Made by answers.py from crates/meter/vectors; do not edit. They are Project Wycheproof's, Apache-2.0.
#include "algorithms.h"
"""


def vectors(algorithm: str) -> list:
    """Each valid vector of the protocol's sizes: name, key, nonce, aad, message, sealed."""
    found = []
    for line in (VECTORS / f"{algorithm}.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        name, *texts, verdict = line.split()
        fields = [bytes.fromhex(text) if text != "-" else b"" for text in texts]
        if verdict == "valid" and tuple(map(len, fields[:2])) == SIZES[algorithm]:
            found.append((name, *fields))
    return found


def chosen(algorithm: str) -> list:
    answers = []
    for (least_aad, most_aad), (least, most) in CHOICES:
        answers.append(
            next(
                vector
                for vector in vectors(algorithm)
                if least_aad <= len(vector[3]) <= most_aad
                and least <= len(vector[4]) <= most
                and len(vector[4]) != 64
                and vector not in answers
            )
        )
    return answers


def rows(data: bytes) -> str:
    return "".join(
        "    " + " ".join(f"0x{byte:02x}," for byte in data[at : at + 16]) + "\n" for at in range(0, len(data), 16)
    )


def main() -> None:
    text = HEAD
    for algorithm in ALGORITHMS:
        text += f"\nstatic const FLASH uint8_t {algorithm.replace('-', '_')}[] = {{\n"
        for name, *fields in chosen(algorithm):
            text += f"    // {name}\n    {len(fields[2])}, {len(fields[3])},\n" + rows(b"".join(fields))
        text += "    255};\n"
    text += "\nconst struct algorithm algorithms[ALGORITHMS] = {\n"
    for algorithm in ALGORITHMS:
        key, nonce = SIZES[algorithm]
        text += f'    {{"{algorithm}", {key}, {nonce}, {algorithm.replace("-", "_")}}},\n'
    text += "};\n"
    (HERE / "core/answers.c").write_text(text)


if __name__ == "__main__":
    main()
