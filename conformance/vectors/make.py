"""Computes the other files here, the answers that the suite knows.

Run by hand, never by a test: `pip install -r requirements.txt && python make.py`.
It follows PROTOCOL.md and shares no code with Ciphermeter's Rust, so that a
mistake there can't hide behind the same mistake here. The output is the same
on every run.
"""

import json
from hashlib import sha256
from pathlib import Path

from ciphers import ROWS, SIZES, cbc_raw, seal
from published import OTHER_KEYS, PUBLISHED

HERE = Path(__file__).parent
LAST_SEED = 2**53 - 1
LENGTHS = [0, 1, 15, 16, 17, 31, 63, 64, 65, 255, 4093, 4096, 65537, 1048577]
LONGEST_SECTOR = 65537  # no disk has longer ones, and code without AES instructions takes minutes for them
FAR = 12345678901
PERIOD = 4093


def stream(label, seed, n):
    """PROTOCOL.md's stream: bytes that every worker can make from a seed."""
    cut = min(n, PERIOD)
    blocks = (sha256(f"ciphermeter {label} {seed} {i}".encode()).digest() for i in range((cut + 31) // 32))
    period = b"".join(blocks)[:cut]
    return (period * (n // PERIOD + 1))[:n]


def fitted(algorithm, lengths):
    """Those lengths, or the nearest that the algorithm's messages have, each once."""
    most = ROWS[algorithm]["most"] or max(lengths)
    if ROWS[algorithm]["sizes"] != "sectors":
        return list(dict.fromkeys(min(n, most) for n in lengths))
    whole = [max(1, -(-n // 16)) * 16 for n in lengths if n <= LONGEST_SECTOR]
    return sorted({min(n, most) for n in whole})


def fit(algorithm, length):
    return fitted(algorithm, [length])[0]


def nonce_of(algorithm, seed, iteration):
    size = SIZES[algorithm][1]
    if size == 0:
        return b""
    if ROWS[algorithm]["sizes"] == "sectors":
        return iteration.to_bytes(size, "little")
    rest = bytes(size) if algorithm == "aes-256-ctr" else stream("nonce", seed, size)
    return iteration.to_bytes(8, "big") + rest[8:]


def key_of(algorithm, seed, number):
    return stream(f"key {number}" if number else "key", seed, SIZES[algorithm][0])


class Cell:
    """One prepared cell, or one thread's part of it: its buffers from the seed, its iterations.

    Iteration i works on text i mod `texts` under key i mod `keys`, counted from the thread's own.
    """

    def __init__(self, algorithm, message, aad, seed, thread, texts=1, keys=1):
        self.algorithm, self.seed, self.texts = algorithm, seed, texts
        self.keys = [key_of(algorithm, seed, thread + number) for number in range(keys)]
        self.aad = stream("aad", seed, aad)
        self.message = stream("message", seed, message)

    def seal(self, message, iteration):
        nonce = nonce_of(self.algorithm, self.seed, iteration)
        return seal(self.algorithm, self.keys[iteration % len(self.keys)], nonce, self.aad, message)

    def left(self, output):
        """The bytes of an output that an in-place buffer keeps for the next iteration."""
        n = len(self.message)
        return output[16:] if self.algorithm == "aes-256-siv" else output[:n]

    def chain(self, first, iteration):
        buffer = self.message
        for i in range(first + (iteration - first) % self.texts, iteration + 1, self.texts):
            output = self.seal(buffer, i)
            buffer = self.left(output)
        return output


def digest_row(algorithm, message, aad, seed, threads=1, texts=1, keys=1):
    cells = [Cell(algorithm, message, aad, seed, thread, texts, keys) for thread in range(threads)]

    def digest(output):
        return sha256(b"".join(output(cell) for cell in cells)).hexdigest()

    row = {"message": message, "aad": aad, "seed": seed, "plain": digest(lambda cell: cell.message)}
    for i in (0, 1, 3, 5, FAR):
        row[str(i)] = digest(lambda cell: cell.seal(cell.message, i))
    for first, last in ((1, 3), (4, 5), (1, 5)):
        row[f"{first}-{last}"] = digest(lambda cell: cell.chain(first, last))
    return row


def digest_rows(algorithm):
    aead = SIZES[algorithm][2] > 0
    rows = [(n, 13 if aead else 0, 42) for n in fitted(algorithm, LENGTHS)]
    rows += [(n, 13 if aead else 0, LAST_SEED) for n in fitted(algorithm, [31, 4097])]
    if aead:
        rows += [(n, 0, 42) for n in (0, 1, 16, 255, 4096)]
        rows += [(64, 5000, 42)]
    return [digest_row(algorithm, *row) for row in rows]


def thread_rows(algorithm):
    """Two threads, and three for those that can; sizes that are no multiples of anything."""
    aad = 13 if SIZES[algorithm][2] else 0
    for threads, message, seed in ((2, 65, 42), (2, 4093, LAST_SEED), (3, 4097, 42)):
        yield {"threads": threads, **digest_row(algorithm, fit(algorithm, message), aad, seed, threads)}


def rotation_rows(algorithm):
    """Texts and keys that go round: as many of both, more of either, and numbers of which neither divides the other."""
    aad = 13 if SIZES[algorithm][2] else 0
    for texts, keys, message, seed in ((2, 1, 16, 42), (1, 2, 65, 42), (2, 2, 0, 42), (3, 2, 1000, LAST_SEED), (4, 2, 4097, 42)):
        yield {"texts": texts, "keys": keys, **digest_row(algorithm, fit(algorithm, message), aad, seed, 1, texts, keys)}


def vector(name, algorithm, key, nonce, aad, message, output):
    """One known answer; `optional` where a library may not take the nonce's size."""
    vector = {"name": name, "algorithm": algorithm, "key": key.hex(), "nonce": nonce.hex(), "aad": aad.hex(),
              "message": message.hex(), "output": output.hex()}
    if len(nonce) != SIZES[algorithm][1]:
        vector["optional"] = f"nonce of {len(nonce)} bytes"
    if ROWS[algorithm]["sizes"] == "sectors" and any(nonce[8:]):
        vector["optional"] = "tweak beyond 64 bits"
    return vector


def published_vectors():
    for algorithm, *fields, output in OTHER_KEYS:
        assert seal(algorithm, *[bytes.fromhex(x) for x in fields]).hex() == output, algorithm
    for name, algorithm, *fields in PUBLISHED:
        key, nonce, aad, message, expected = [bytes.fromhex(x) for x in fields]
        output = seal(algorithm, key, nonce, aad, message)
        padding = 16 if algorithm == "aes-256-cbc" else 0
        assert output[: len(output) - padding] == expected, name
        yield vector(name, algorithm, key, nonce, aad, message, output)


def made_vectors(algorithm):
    """Lengths around blocks and batches, aad or none, and what is odd about one algorithm."""
    key_size, nonce_size, tag = SIZES[algorithm]
    lengths = fitted(algorithm, [0, 1, 15, 16, 17, 64, 255, 1024])
    shapes = [(n, 13 if tag and n % 2 else 0) for n in lengths]
    shapes += [(0, 20), (16, 16), (33, 300)] if tag else []
    for message, aad in shapes:
        fields = [stream(f"{algorithm} {label}", message + aad, n)
                  for label, n in (("key", key_size), ("nonce", nonce_size), ("aad", aad), ("message", message))]
        name = f"made: {message} bytes" + (f", aad of {aad}" if tag else "")
        if ROWS[algorithm]["sizes"] == "sectors":
            fields[1] = fields[1][:8] + bytes(nonce_size - 8)
        yield vector(name, algorithm, *fields, seal(algorithm, *fields))
    if ROWS[algorithm]["sizes"] == "sectors":
        fields = [stream("wide key", 1, key_size), stream("wide tweak", 1, nonce_size), b"", stream("sector", 1, 512)]
        yield vector("made: a tweak of all bytes", algorithm, *fields, seal(algorithm, *fields))
    if algorithm == "aes-256-ctr":
        for bits in (32, 64, 128):
            nonce = ((1 << bits) - 2).to_bytes(16, "big")
            fields = [stream("ctr carry", bits, 32), nonce, b"", stream("ctr message", bits, 200)]
            yield vector(f"made: carry past bit {bits}", algorithm, *fields, seal(algorithm, *fields))
    if algorithm in ("aes-256-siv", "aes-256-gcm"):
        size = 16 if algorithm == "aes-256-siv" else 13
        fields = [stream("odd key", 1, key_size), stream("odd nonce", 1, size), b"aad", stream("odd message", 1, 40)]
        yield vector(f"made: nonce of {size} bytes", algorithm, *fields, seal(algorithm, *fields))


def rejects():
    """CBC ciphertexts whose padding is bad; forged tags the suite makes itself."""
    key, nonce = stream("bad key", 1, 32), stream("bad nonce", 1, 16)
    for name, last in (("padding of 0", bytes(16)), ("padding of 17", bytes([17]) * 16),
                       ("uneven padding", bytes(12) + bytes([4, 3, 4, 4])), ("padding of 255", bytes([255]) * 16)):
        blocks = cbc_raw(key, nonce, stream("bad message", 1, 16) + last)
        yield {"name": f"made: {name}", "algorithm": "aes-256-cbc", "key": key.hex(), "nonce": nonce.hex(),
               "input": blocks.hex()}


def write(name, lines):
    text = "[\n" + ",\n".join(json.dumps(line, separators=(",", ":")) for line in lines) + "\n]\n"
    (HERE / name).write_text(text)
    print(f"{name}: {len(lines)} lines, {len(text)} bytes")


def main():
    made = [v for algorithm in SIZES for v in made_vectors(algorithm)]
    write("vectors.json", [*published_vectors(), *made])
    write("rejects.json", list(rejects()))
    write("digests.json", [{"algorithm": a, **row} for a in SIZES for row in digest_rows(a)])
    write("threads.json", [{"algorithm": a, **row} for a in SIZES for row in thread_rows(a)])
    write("rotations.json", [{"algorithm": a, **row} for a in SIZES for row in rotation_rows(a)])


if __name__ == "__main__":
    main()
