"""PyCryptodome. A cipher object serves one message, so every message includes key set-up; the tag is separate.

The library's own switches for the CPU's AES and carry-less multiplication instructions are two arguments of AES.new;
CIPHERMETER_CPU_WITHOUT=aes in the environment makes this worker pass them.
"""

from __future__ import annotations

import os
import platform
from functools import partial

import Crypto
from Crypto.Cipher import AES, ChaCha20, ChaCha20_Poly1305
from Crypto.Cipher import _mode_gcm as gcm_mode
from Crypto.Util.Padding import pad, unpad

from calls.calls import Calls
from calls.offers import Call, Offer, Tag

KIND = Calls

SOFT = os.environ.get("CIPHERMETER_CPU_WITHOUT") == "aes"
AES_SWITCH = ", use_aesni=False" if SOFT else ""
GCM_SWITCH = ", use_aesni=False, use_clmul=False" if SOFT else ""

GCM = f"cipher = AES.new(key, AES.MODE_GCM, nonce=nonce{GCM_SWITCH})"
CCM = f"cipher = AES.new(key, AES.MODE_CCM, nonce=nonce{AES_SWITCH})"
OCB = f"cipher = AES.new(key, AES.MODE_OCB, nonce=nonce{AES_SWITCH})"
SIV = f"cipher = AES.new(key, AES.MODE_SIV{AES_SWITCH})"
SIV_NONCE = f"cipher = AES.new(key, AES.MODE_SIV, nonce=nonce{AES_SWITCH})"
CTR = f'cipher = AES.new(key, AES.MODE_CTR, nonce=b"", initial_value=nonce{AES_SWITCH})'
CBC = f"cipher = AES.new(key, AES.MODE_CBC, iv=nonce{AES_SWITCH})"
POLY = "cipher = ChaCha20_Poly1305.new(key=key, nonce=nonce)"
CHACHA = "cipher = ChaCha20.new(key=key, nonce=nonce)"

UPDATE = "if aad: cipher.update(aad)"  # the manual: not to be called without an aad


def calls(aead: bool, new: str, **text: str) -> dict[tuple[str, str], Call]:
    """The calls of `new`, given the statements that seal and open and the names of their outputs."""
    seal, unseal = ("seal", "open") if aead else ("encrypt", "decrypt")
    into = Call(f"{new}\n{text['seal_into']}", text["sealed_into"])
    return {
        (seal, "fresh"): Call(f"out = None\n{new}\n{text['seal']}", text["sealed"]),
        (seal, "into"): into,
        (seal, "in-place"): into,
        (unseal, "fresh"): Call(f"out = None\n{new}\n{text['open']}", "out"),
        (unseal, "into"): Call(f"{new}\n{text['open_into'].format('source')}", "target"),
        (unseal, "in-place"): Call(f"buffer[:] = sealed\n{new}\n{text['open_into'].format('buffer')}", "target"),
    }


def aead_calls(new: str) -> dict[tuple[str, str], Call]:
    return calls(
        True,
        f"{new}\n{UPDATE}",
        seal="out = cipher.encrypt_and_digest(source)",
        sealed="out[0], out[1]",
        seal_into="cipher.encrypt(source, output=target)\ntag = cipher.digest()",
        sealed_into="target, tag",
        open="out = cipher.decrypt_and_verify(source, sealed_tag)",
        open_into="cipher.decrypt({}, output=target)\ncipher.verify(sealed_tag)",
    )


def siv_calls(new: str) -> dict[tuple[str, str], Call]:
    return calls(
        True,
        f"{new}\ncipher.update(aad)",
        seal="out = cipher.encrypt_and_digest(source)",
        sealed="out[1], out[0]",
        seal_into="_, tag = cipher.encrypt_and_digest(source, output=target)",
        sealed_into="tag, target",
        open="out = cipher.decrypt_and_verify(source, sealed_tag)",
        open_into="cipher.decrypt_and_verify({}, sealed_tag, output=target)",
    )


def stream_calls(new: str) -> dict[tuple[str, str], Call]:
    return calls(
        False,
        new,
        seal="out = cipher.encrypt(source)",
        sealed="out",
        seal_into="cipher.encrypt(source, output=target)",
        sealed_into="target",
        open="out = cipher.decrypt(source)",
        open_into="cipher.decrypt({}, output=target)",
    )


# Its methods have no parameter for an output.
OCB_CALLS = {way: call for way, call in aead_calls(OCB).items() if way[1] == "fresh"}

CBC_CALLS = {
    ("encrypt", "fresh"): Call(f"out = None\n{CBC}\nout = cipher.encrypt(pad(source, 16))", "out"),
    ("decrypt", "fresh"): Call(f"out = None\n{CBC}\nout = unpad(cipher.decrypt(source), 16)", "out"),
}


def names(_: bytes) -> dict[str, object]:
    every = {"AES": AES, "ChaCha20": ChaCha20, "ChaCha20_Poly1305": ChaCha20_Poly1305}
    return {**every, "pad": pad, "unpad": unpad}


def aes_path() -> str:
    """The library's own choice, which it does not report: AES by instruction where the CPU has it."""
    if SOFT or AES._raw_aes_hw is None:
        return "soft"
    return "aesni" if platform.machine().lower() in ("x86_64", "amd64") else "armv8-aes"


def gcm_path() -> str:
    multiplies = gcm_mode._ghash_clmul is not None
    return aes_path() if multiplies or aes_path() == "soft" else f"{aes_path()}+soft"


def chacha_path() -> str:
    return "soft" if ChaCha20._raw_chacha20_avx2_bmi2_lib is None else "avx2"


def offers() -> list[Offer]:
    make = partial(Offer, "pycryptodome", Crypto.__version__, names=names, rejections=(ValueError,))
    behind, harness = Tag(first=False, apart=True), Tag(first=True, apart=True)
    gcm = {"nonce": 12, "path": gcm_path(), "calls": aead_calls(GCM), "tag": behind, "nonces": range(1, 2**14)}
    ccm = {"nonce": 12, "path": aes_path(), "calls": aead_calls(CCM), "tag": behind, "copies": 4}
    ocb = {"key": 32, "nonce": 12, "path": aes_path(), "calls": OCB_CALLS, "tag": behind}
    poly = {"key": 32, "path": chacha_path(), "calls": aead_calls(POLY), "tag": behind}
    bare = {"key": 32, "nonce": 16, "path": aes_path()}
    siv = {"calls": siv_calls(SIV), "nonce_calls": siv_calls(SIV_NONCE), "nonces": range(2**14), "copies": 4}
    return [
        make(algorithm="aes-128-gcm", key=16, **gcm),
        make(algorithm="aes-256-gcm", key=32, **gcm),
        make(algorithm="aes-256-siv", key=64, nonce=0, path=aes_path(), tag=harness, **siv),
        make(algorithm="aes-256-ocb", **ocb),
        make(algorithm="aes-128-ccm", key=16, **ccm),
        make(algorithm="aes-256-ccm", key=32, **ccm),
        make(algorithm="chacha20-poly1305", nonce=12, **poly),
        make(algorithm="xchacha20-poly1305", nonce=24, **poly),
        make(algorithm="aes-256-ctr", calls=stream_calls(CTR), zero_nonce=True, **bare),
        make(algorithm="aes-256-cbc", calls=CBC_CALLS, bytes_only=True, copies=4, **bare),
        make(algorithm="chacha20", key=32, nonce=12, path=chacha_path(), calls=stream_calls(CHACHA)),
    ]
