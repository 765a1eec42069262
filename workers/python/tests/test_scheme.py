"""The scheme on a pair of sockets, and what it refuses."""

from __future__ import annotations

import io
import socket
import threading
import tracemalloc

import pytest
from conftest import MIB
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from transfer.frames import Broken, limit_waiting, receive_exactly, receive_message, send_message
from transfer.scheme import BOXES, CHUNK, MAX_TEXT, TAG, Cipher, Metadata, hear, receive_file, send_file

KEY, BASE = bytes(range(32)), bytes.fromhex("0000000000000007fffffffe")


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for end in ours, theirs:
            limit_waiting(end, 10)
        yield ours, theirs


def cipher(algorithm: str = "aes-256-gcm") -> Cipher:
    return Cipher(algorithm, KEY, BASE)


def put(sender: socket.socket, data: bytes) -> threading.Thread:
    """Sends `data` and ends, in parallel to the test, because it may not fit into the socket."""

    def run() -> None:
        try:
            sender.sendall(data)
            sender.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the test is over

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def wire(data: bytes, algorithm: str = "aes-256-gcm") -> bytes:
    """The bytes that carry `data`."""
    sent = []

    class Recorder:
        def sendall(self, piece: bytes) -> None:
            sent.append(piece)

    send_file(Recorder(), io.BytesIO(data), cipher(algorithm))
    return b"".join(sent)


def received(pair, wired: bytes, size: int, algorithm: str = "aes-256-gcm") -> bytes:
    sender, receiver = pair
    put(sender, wired)
    taken = bytearray()
    receive_file(receiver, size, cipher(algorithm), taken.extend)
    return bytes(taken)


def test_what_travels():
    """Compared with the library itself: 4 bytes of length, then the chunk under base nonce XOR index."""
    data = bytes(2 * MIB) + b"end"
    for algorithm, box in ("aes-256-gcm", AESGCM), ("chacha20-poly1305", ChaCha20Poly1305):
        expected = b""
        # fffffffe XOR 2 is fffffffc: no carry, and nothing of the rest changes.
        for chunk, last in (bytes(MIB), "fffffffe"), (bytes(MIB), "ffffffff"), (b"end", "fffffffc"):
            sealed = box(KEY).encrypt(bytes.fromhex("0000000000000007" + last), chunk, None)
            expected += len(sealed).to_bytes(4, "big") + sealed
        assert wire(data, algorithm) == expected


@pytest.mark.parametrize("algorithm", BOXES)
@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5])
def test_there_and_back(pair, algorithm, size):
    data = bytes(i % 251 for i in range(1000)) * (size // 1000 + 1)
    assert received(pair, wire(data[:size], algorithm), size, algorithm) == data[:size]


@pytest.mark.parametrize("at", [4, 100, 4 + CHUNK, 4 + CHUNK + TAG - 1, 4 + CHUNK + TAG + 4, -1])
def test_a_flipped_bit(pair, at):
    wired = bytearray(wire(bytes(CHUNK + 10)))
    wired[at] ^= 1
    with pytest.raises(Broken, match="not authentic"):
        received(pair, bytes(wired), CHUNK + 10)


def test_chunks_that_are_swapped_repeated_or_of_another_key(pair):
    whole = wire(bytes(3 * CHUNK))
    one, two, three = (whole[at : at + 4 + CHUNK + TAG] for at in range(0, len(whole), 4 + CHUNK + TAG))
    other = Cipher("aes-256-gcm", bytes(32), BASE).seal(0, bytes(CHUNK))
    for wired in two + one + three, one + one + three, one + three + two, len(other).to_bytes(4, "big") + other:
        sender, receiver = socket.socketpair()
        with sender, receiver, pytest.raises(Broken, match="not authentic"):
            received((sender, receiver), wired, 3 * CHUNK)


@pytest.mark.parametrize("length", [0, 1, 15, TAG, CHUNK + TAG + 1, 2**31, 2**32 - 1])
def test_lengths_are_refused_before_anything_is_allocated(pair, length):
    sender, receiver = pair
    sender.sendall(length.to_bytes(4, "big"))
    tracemalloc.start()
    try:
        with pytest.raises(Broken, match=f"of {length} bytes where 17 to {CHUNK + TAG}"):
            receive_file(receiver, 2 * CHUNK, cipher(), len)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_no_more_than_the_size_is_taken(pair):
    with pytest.raises(Broken, match="where 17 to 115"):
        received(pair, wire(bytes(100)), 99)


@pytest.mark.parametrize("cut", [1, TAG, TAG + 4, 14, CHUNK + TAG, CHUNK + TAG + 4])
def test_a_cut(pair, cut):
    """Also where a chunk ends (`14 + TAG` from the end): the size in the metadata would show it, if authenticated."""
    wired = wire(bytes(CHUNK + 10))
    with pytest.raises(Broken, match="ended after"):
        received(pair, wired[: len(wired) - cut], CHUNK + 10)


def test_a_cut_that_the_scheme_takes_for_the_end(pair):
    """An attacker between the two changes the size to what is left. transfer/README.md names this weakness."""
    wired = wire(bytes(CHUNK) + b"end")
    assert received(pair, wired[: 4 + CHUNK + TAG], CHUNK) == bytes(CHUNK)


def test_a_peer_that_stalls(pair):
    sender, receiver = pair
    limit_waiting(receiver, 1)
    sender.sendall(b"\0\0")
    with pytest.raises(Broken, match="stalled after 2 of 4"):
        receive_exactly(receiver, 4)


def test_metadata(pair):
    sender, receiver = pair
    Metadata(5, "aes-256-gcm", BASE).send(sender, "../../a name is no path")
    assert Metadata.receive(receiver) == (5, "aes-256-gcm", BASE)


@pytest.mark.parametrize(
    "text",
    [
        b"{}",
        b"\xff\xff",
        b'{"name":"a","size":-1,"cipher":"aes-256-gcm","nonce":"000000000000000000000000"}',
        b'{"name":"a","size":1073741825,"cipher":"aes-256-gcm","nonce":"000000000000000000000000"}',
        b'{"name":7,"size":1,"cipher":"aes-256-gcm","nonce":"000000000000000000000000"}',
        b'{"name":"a","size":1,"cipher":"none","nonce":"000000000000000000000000"}',
        b'{"name":"a","size":1,"cipher":"aes-256-gcm","nonce":"00000000000000000000000"}',
        b'{"name":"a","size":1,"cipher":"aes-256-gcm","nonce":"0000000000000000000000"}',
        b'{"name":"a","size":1,"cipher":"aes-256-gcm","nonce":"zz"}',
        b'{"name":"' + b"a" * MAX_TEXT + b'"}',
    ],
    ids=lambda text: ascii(text[:60]),
)
def test_metadata_that_is_refused(pair, text):
    sender, receiver = pair
    send_message(sender, text)
    with pytest.raises(Broken):
        Metadata.receive(receiver)


@pytest.mark.parametrize("said", [b'{"is":"received","size":4}', b'{"is":"synced","size":5}', b"{}", b"[5]", b"5"])
def test_answers_that_are_refused(pair, said):
    sender, receiver = pair
    send_message(sender, said)
    with pytest.raises(Broken):
        hear(receiver, "received", 5)


def test_any_split_of_the_bytes(pair):
    sender, receiver = pair
    thread = threading.Thread(target=lambda: [sender.sendall(bytes([byte])) for byte in b"\0\0\0\3abc" * 50])
    thread.start()
    assert [receive_message(receiver, 3, 3) for _ in range(50)] == [b"abc"] * 50
    thread.join()
