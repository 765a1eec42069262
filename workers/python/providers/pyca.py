"""pyca/cryptography, on the OpenSSL in its wheel.

Its AEADs are keyed objects. Its bare stream ciphers are contexts, whose `reset_nonce` begins another message under the
same key; a context of CBC serves one message only, and padding wants bytes objects. OpenSSL, and so `..._into`, takes
input and output that are apart or begin at the same byte; `in-place` does the latter.
"""

from __future__ import annotations

from functools import partial
from importlib import metadata
from typing import Callable

from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.backends.openssl import backend
from cryptography.hazmat.primitives.ciphers import Cipher, aead, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

from calls.calls import Calls
from calls.offers import Call, Offer, Tag

KIND = Calls


def aead_calls(before: str, after: str) -> dict[tuple[str, str], Call]:
    """The calls of an AEAD, given the arguments before and after the text."""
    target = Call(f"box.encrypt_into({before}source, {after}, target)", "target")
    return {
        ("seal", "fresh"): Call(f"out = None\nout = box.encrypt({before}source, {after})", "out"),
        ("seal", "into"): target,
        ("seal", "in-place"): target,
        ("open", "fresh"): Call(f"out = None\nout = box.decrypt({before}source, {after})", "out"),
        ("open", "into"): Call(f"box.decrypt_into({before}source, {after}, target)", "target"),
        ("open", "in-place"): Call(f"buffer[:] = sealed\nbox.decrypt_into({before}buffer, {after}, target)", "target"),
    }


def stream_calls() -> dict[tuple[str, str], Call]:
    calls = {}
    for operation, box in ("encrypt", "encryptor"), ("decrypt", "decryptor"):
        reset = f"{box}.reset_nonce(nonce)\n"
        calls[operation, "fresh"] = Call(f"out = None\n{reset}out = {box}.update(source)", "out")
        calls[operation, "into"] = Call(f"{reset}{box}.update_into(source, target)", "target")
        calls[operation, "in-place"] = calls[operation, "into"]
    back = "buffer[:] = sealed\ndecryptor.reset_nonce(nonce)\ndecryptor.update_into(buffer, target)"
    calls["decrypt", "in-place"] = Call(back, "target")
    return calls


ENCRYPT_CBC = """out = None
padder = PKCS7(128).padder()
encryptor = Cipher(algorithm, CBC(nonce)).encryptor()
out = encryptor.update(padder.update(source) + padder.finalize()) + encryptor.finalize()"""

DECRYPT_CBC = """out = None
decryptor = Cipher(algorithm, CBC(nonce)).decryptor()
unpadder = PKCS7(128).unpadder()
out = unpadder.update(decryptor.update(source) + decryptor.finalize()) + unpadder.finalize()"""

CBC_CALLS = {("encrypt", "fresh"): Call(ENCRYPT_CBC, "out"), ("decrypt", "fresh"): Call(DECRYPT_CBC, "out")}

# A context serves one sector.
SECTOR = """out = None
context = Cipher(algorithm, XTS(nonce)).{}()
out = context.update(source)
context.finalize()"""

XTS_CALLS = {
    ("encrypt", "fresh"): Call(SECTOR.format("encryptor"), "out"),
    ("decrypt", "fresh"): Call(SECTOR.format("decryptor"), "out"),
}

AEAD_CALLS = aead_calls("nonce, ", "aad")
# In a list, the last component is SIV's nonce.
SIV_CALLS, SIV_NONCE_CALLS = aead_calls("", "[aad]"), aead_calls("", "[aad, nonce]")


def aead_names(make: Callable[[bytes], object], key: bytes) -> dict[str, object]:
    return {"box": make(key), "make": make}


def ctr(key: bytes, nonce: bytes) -> Cipher:
    return Cipher(algorithms.AES(key), modes.CTR(nonce))


def chacha20(key: bytes, nonce: bytes) -> Cipher:
    return Cipher(algorithms.ChaCha20(key, nonce), None)


def stream_names(make: Callable[[bytes, bytes], Cipher], key: bytes) -> dict[str, object]:
    cipher = make(key, bytes(16))
    return {"encryptor": cipher.encryptor(), "decryptor": cipher.decryptor(), "make": make, "zero": bytes(16)}


def cbc_names(key: bytes) -> dict[str, object]:
    return {"algorithm": algorithms.AES(key), "Cipher": Cipher, "CBC": modes.CBC, "PKCS7": PKCS7}


def xts_names(key: bytes) -> dict[str, object]:
    return {"algorithm": algorithms.AES(key), "Cipher": Cipher, "XTS": modes.XTS}


def works(offer: Offer) -> bool:
    """Whether this OpenSSL has the algorithm: some builds lack AES-SIV or AES-GCM-SIV."""
    try:
        offer.names(bytes(range(offer.key)))
    except UnsupportedAlgorithm:
        return False
    return True


def offers() -> list[Offer]:
    version = f"{metadata.version('cryptography')}, {' '.join(backend.openssl_version_text().split()[:2])}"
    # OpenSSL does not report which code it runs, and the rules of version 4 are unknown to this worker.
    make = partial(Offer, "pyca", version, path="unknown")

    def sealing(algorithm: str, box: Callable[[bytes], object], key: int, **more: object) -> Offer:
        fixed = {"names": partial(aead_names, box), "rejections": (InvalidTag, ValueError)}
        setup = Call("box = None\nbox = make(key)", "")
        usual = {"nonce": 12, "calls": AEAD_CALLS, "tag": Tag(first=False, apart=False)}
        return make(algorithm, key=key, key_setup=setup, **fixed, **{**usual, **more})

    def ccm_8(algorithm: str, key: int) -> Offer:
        tag = Tag(first=False, apart=False, size=8)
        return sealing(algorithm, partial(aead.AESCCM, tag_length=8), key, tag=tag)

    def bare(algorithm: str, cipher: Callable[[bytes, bytes], Cipher], **more: object) -> Offer:
        fixed = {"calls": stream_calls(), "names": partial(stream_names, cipher), "rejections": (ValueError,)}
        setup = Call("box = None\nbox = make(key, zero).encryptor()", "")
        return make(algorithm, key=32, key_setup=setup, **fixed, **more)

    gcm_nonces = range(8, 129)
    siv = {"nonce": 0, "calls": SIV_CALLS, "tag": Tag(first=True, apart=False)}
    cbc = {"calls": CBC_CALLS, "names": cbc_names, "rejections": (ValueError,), "bytes_only": True, "copies": 5}
    xts = {"nonce": 16, "calls": XTS_CALLS, "names": xts_names, "rejections": (ValueError,), "sectors": True}
    every = [
        sealing("aes-128-gcm", aead.AESGCM, 16, nonces=gcm_nonces),
        sealing("aes-256-gcm", aead.AESGCM, 32, nonces=gcm_nonces),
        sealing("aes-256-gcm-siv", aead.AESGCMSIV, 32),
        sealing("aes-256-siv", aead.AESSIV, 64, nonces=range(2**14), nonce_calls=SIV_NONCE_CALLS, **siv),
        sealing("aes-256-ocb", aead.AESOCB3, 32),
        sealing("aes-128-ccm", aead.AESCCM, 16),
        sealing("aes-256-ccm", aead.AESCCM, 32),
        ccm_8("aes-128-ccm-8", 16),
        ccm_8("aes-256-ccm-8", 32),
        sealing("chacha20-poly1305", aead.ChaCha20Poly1305, 32),
        bare("aes-256-ctr", ctr, nonce=16, zero_nonce=True),
        make("aes-256-cbc", key=32, nonce=16, **cbc),
        make("aes-128-xts", key=32, **xts),
        make("aes-256-xts", key=64, **xts),
        # The library's nonce of 16 bytes is a block counter, little-endian, and the nonce of RFC 8439.
        bare("chacha20", chacha20, nonce=12, before_nonce=bytes(4)),
    ]
    return [offer for offer in every if works(offer)]
