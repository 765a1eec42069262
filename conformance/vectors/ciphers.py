"""The algorithms of PROTOCOL.md's table, each from two libraries where two have it.

`seal(algorithm, key, nonce, aad, message)` gives what `check` must answer for
`seal` and `encrypt`. It asks every library that knows the algorithm and stops
if they disagree, so no answer rests on one implementation alone (save
aes-256-gcm-siv, sm4-gcm and XTS, which only `cryptography` has, ascon-aead128,
which only Bouncy Castle has, adiantum, which only Luke Champine's Go module
has, and AEGIS with tags of 16, of which libsodium has the ciphertexts of two
variants and Zig all; vectors of RFC 8452, 8998 and 10032, Google's and Wycheproof's stand in).

Bouncy Castle is a Java library: `BCPROV` names its bcprov jar. The Go module
is built and run in the folder adiantum/.
"""

import hmac
import json
import os
import subprocess
from functools import cache, partial
from pathlib import Path

from Crypto.Cipher import AES, ChaCha20, ChaCha20_Poly1305
from Crypto.Hash import CMAC, HMAC, SHA256, SHA512
from Crypto.Util.Padding import pad
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, AESGCMSIV, AESOCB3, AESSIV
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.kbkdf import KBKDFCMAC, CounterLocation, Mode
from aegis import zig_seal
from nacl import bindings as sodium

ORDER = [
    "aes-128-gcm",
    "aes-256-gcm",
    "aes-256-gcm-siv",
    "aes-256-ocb",
    "xaes-256-gcm",
    "sm4-gcm",
    "aes-128-ccm",
    "aes-256-ccm",
    "aes-128-ccm-8",
    "aes-256-ccm-8",
    "aes-128-ccm-4",
    "aes-128-cbc-hs256",
    "aes-256-cbc-hs512",
    "aes-256-cbc-hs256",
    "aes-256-ctr-hs256",
    "aegis-128l",
    "aegis-128x2",
    "aegis-128x4",
    "aegis-256",
    "aegis-256x2",
    "aegis-256x4",
    "aegis-128l-32",
    "aegis-256-32",
    "chacha20-poly1305",
    "xchacha20-poly1305",
    "ascon-aead128",
    "aes-256-siv",
    "aes-256-ctr",
    "aes-256-cbc",
    "aes-128-xts",
    "aes-256-xts",
    "adiantum",
    "chacha20",
    "xor",
]
TABLE = json.loads((Path(__file__).parent / "../algorithms.json").read_text())
ROWS = {row["algorithm"]: row for row in TABLE if row["family"] != "ceiling"}
assert set(ORDER) == set(ROWS), "an algorithm has no answers here: add it to ORDER and to LIBRARIES"
# Bytes of key, of nonce and of tag; a bare cipher has no tag.
SIZES = {name: (ROWS[name]["key"], ROWS[name]["nonce"], ROWS[name]["tag"]) for name in ORDER}


def pyca_bare(cipher, mode, message):
    worker = Cipher(cipher, mode).encryptor()
    return worker.update(message) + worker.finalize()


def pycryptodome_aead(cipher, aad, message):
    cipher.update(aad)
    ciphertext, tag = cipher.encrypt_and_digest(message)
    return ciphertext + tag


def gcm(key, nonce, aad, message):
    yield AESGCM(key).encrypt(nonce, message, aad)
    yield pycryptodome_aead(AES.new(key, AES.MODE_GCM, nonce=nonce), aad, message)


def gcm_siv(key, nonce, aad, message):
    yield AESGCMSIV(key).encrypt(nonce, message, aad)


def ocb(key, nonce, aad, message):
    yield AESOCB3(key).encrypt(nonce, message, aad)
    yield pycryptodome_aead(AES.new(key, AES.MODE_OCB, nonce=nonce), aad, message)


def xaes(key, nonce, aad, message):
    """AES-GCM under a key that SP 800-108's derivation makes of half the nonce: each library has both parts."""
    fixed = b"X\x00" + nonce[:12]
    derive = KBKDFCMAC(algorithms.AES, Mode.CounterMode, 32, 2, None, CounterLocation.BeforeFixed, None, None, fixed)
    yield AESGCM(derive.derive(key)).encrypt(nonce[12:], message, aad)
    halves = [CMAC.new(key, number.to_bytes(2, "big") + fixed, ciphermod=AES).digest() for number in (1, 2)]
    yield pycryptodome_aead(AES.new(b"".join(halves), AES.MODE_GCM, nonce=nonce[12:]), aad, message)


def sm4_gcm(key, nonce, aad, message):
    cipher = Cipher(algorithms.SM4(key), modes.GCM(nonce)).encryptor()
    cipher.authenticate_additional_data(aad)
    yield cipher.update(message) + cipher.finalize() + cipher.tag


def ccm(tag, key, nonce, aad, message):
    yield AESCCM(key, tag).encrypt(nonce, message, aad)
    yield pycryptodome_aead(AES.new(key, AES.MODE_CCM, nonce=nonce, mac_len=tag), aad, message)


def aegis(algorithm, key, nonce, aad, message):
    sealed = zig_seal(algorithm, key, nonce, aad, message)
    yield sealed
    name = algorithm.removesuffix("-32").replace("-", "")
    if name in ("aegis128l", "aegis256"):
        # Its tags have 32 bytes, of which none of 16 can be made.
        by_sodium = getattr(sodium, f"crypto_aead_{name}_encrypt")(message, aad, nonce, key)
        yield by_sodium if algorithm.endswith("-32") else by_sodium[:-32] + sealed[-16:]


def chacha20_poly1305(key, nonce, aad, message):
    yield ChaCha20Poly1305(key).encrypt(nonce, message, aad)
    yield pycryptodome_aead(ChaCha20_Poly1305.new(key=key, nonce=nonce), aad, message)
    yield sodium.crypto_aead_chacha20poly1305_ietf_encrypt(message, aad, nonce, key)


def xchacha20_poly1305(key, nonce, aad, message):
    yield pycryptodome_aead(ChaCha20_Poly1305.new(key=key, nonce=nonce), aad, message)
    yield sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(message, aad, nonce, key)


@cache
def process(*command, **options):
    """One process for all of a library: each takes half a second to start."""
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)


def asked(process, *fields):
    process.stdin.write(" ".join(field.hex() or "-" for field in fields) + "\n")
    process.stdin.flush()
    return bytes.fromhex(process.stdout.readline())


def ascon(key, nonce, aad, message):
    bouncy_castle = process("java", "-cp", os.environ["BCPROV"], str(Path(__file__).with_name("Ascon.java")))
    yield asked(bouncy_castle, key, nonce, aad, message)


def adiantum(key, tweak, _aad, message):
    yield asked(process("go", "run", ".", cwd=Path(__file__).with_name("adiantum")), key, tweak, message)


def xts(key, tweak, _aad, message):
    yield pyca_bare(algorithms.AES(key), modes.XTS(tweak), message)


def siv(key, nonce, aad, message):
    yield AESSIV(key).encrypt(message, [aad, nonce] if nonce else [aad])
    cipher = AES.new(key, AES.MODE_SIV, nonce=nonce or None)
    cipher.update(aad)
    ciphertext, tag = cipher.encrypt_and_digest(message)
    yield tag + ciphertext


def ctr(key, nonce, _aad, message):
    yield pyca_bare(algorithms.AES(key), modes.CTR(nonce), message)
    # pycryptodome refuses a counter that wraps past 2^128; then only one library remains.
    if int.from_bytes(nonce, "big") + len(message) // 16 + 1 < 1 << 128:
        cipher = AES.new(key, AES.MODE_CTR, nonce=b"", initial_value=nonce)
        yield cipher.encrypt(message)


def cbc(key, nonce, _aad, message):
    padder = padding.PKCS7(128).padder()
    padded = padder.update(message) + padder.finalize()
    yield pyca_bare(algorithms.AES(key), modes.CBC(nonce), padded)
    yield AES.new(key, AES.MODE_CBC, iv=nonce).encrypt(pad(message, 16))


def then_hmac(algorithm, key, nonce, aad, message):
    """RFC 7518, 5.2.2, of each library's two primitives."""
    mode, half, tag = ctr if "-ctr-" in algorithm else cbc, len(key) // 2, SIZES[algorithm][2]
    bits = algorithm[-3:]
    hmacs = [lambda text: hmac.digest(key[:half], text, f"sha{bits}"),
             lambda text: HMAC.new(key[:half], text, SHA512 if bits == "512" else SHA256).digest()]
    for ciphertext, of in zip(mode(key[half:], nonce, b"", message), hmacs, strict=True):
        yield ciphertext + of(aad + nonce + ciphertext + (8 * len(aad)).to_bytes(8, "big"))[:tag]


def chacha20(key, nonce, _aad, message):
    yield pyca_bare(algorithms.ChaCha20(key, bytes(4) + nonce), None, message)
    yield ChaCha20.new(key=key, nonce=nonce).encrypt(message)


def xor(key, _nonce, _aad, message):
    n = len(message)
    mask = (key * (n // len(key) + 1))[:n]
    yield (int.from_bytes(message, "big") ^ int.from_bytes(mask, "big")).to_bytes(n, "big")


LIBRARIES = {
    "aes-128-gcm": gcm,
    "aes-256-gcm": gcm,
    "aes-256-gcm-siv": gcm_siv,
    "aes-256-ocb": ocb,
    "xaes-256-gcm": xaes,
    "sm4-gcm": sm4_gcm,
    **{name: partial(ccm, SIZES[name][2]) for name in ORDER if "-ccm" in name},
    **{name: partial(then_hmac, name) for name in ORDER if "-hs" in name},
    **{name: partial(aegis, name) for name in ORDER if name.startswith("aegis-")},
    "chacha20-poly1305": chacha20_poly1305,
    "xchacha20-poly1305": xchacha20_poly1305,
    "ascon-aead128": ascon,
    "aes-256-siv": siv,
    "aes-256-ctr": ctr,
    "aes-256-cbc": cbc,
    "aes-128-xts": xts,
    "aes-256-xts": xts,
    "adiantum": adiantum,
    "chacha20": chacha20,
    "xor": xor,
}


def seal(algorithm, key, nonce, aad, message):
    """What every library agrees that sealing (or encrypting) gives."""
    answers = list(LIBRARIES[algorithm](key, nonce, aad, message))
    assert all(a == answers[0] for a in answers), f"libraries disagree about {algorithm}"
    return answers[0]


def cbc_raw(key, nonce, blocks):
    """CBC without padding: makes ciphertexts whose padding is bad."""
    return pyca_bare(algorithms.AES(key), modes.CBC(nonce), blocks)
