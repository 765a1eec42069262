from __future__ import annotations

from hashlib import sha256

from messages import MAX_NUMBER
from stream import PERIOD, PIECE, pieces, stream


def test_known_values():
    """The Go worker's tests hold the same."""
    whole = sha256(stream("message", 42, 20_000)).hexdigest()
    assert whole == "b14b5f3cf010961ff61170a66b4c07a16c4e254254c2e4df4c70816faccadcbb"
    assert stream("key", MAX_NUMBER, 16).hex() == "9f02d2b5432b7d09959cf46746f1d135"
    assert stream("nonce", 42, 5).hex() == "41210381a9"
    assert stream("aad", 42, 0) == b""


def test_the_period():
    twice = stream("message", 1, 2 * 4093)
    assert twice[:4093] == twice[4093:]


def test_pieces_are_the_stream():
    for n in 0, 1, PERIOD, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 5:
        assert b"".join(pieces("message", 7, n)) == stream("message", 7, n)
