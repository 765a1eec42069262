from __future__ import annotations

import pytest

from messages import MAX_NUMBER, Failure, line, parse

REFUSED = [
    *(b"", b"{", b"[]", b"7", b"null", b'"a"', b'{"a":1}{"b":2}', b'{"a":1,}', b'{"a" 1}', b"{a:1}"),
    *(b'{"a":1.0}', b'{"a":1e3}', b'{"a":-1}', b'{"a":-0}', b'{"a":01}', b'{"a":9007199254740992}', b'{"a":NaN}'),
    *(b'{"a":Infinity}', b'{"a":true}', b'{"a":{}}', b'{"a":{"b":1}}', b'{"a":[[1]]}', b'{"a":["b"]}', b'{"a":[null]}'),
    *(b'{"a":[1.5]}', b'{"a":[true]}', b'{"a":"\xff"}', b'{"a":"\n"}', b'{"a":[99999999999999999999999]}'),
    b'{"a":' + b"9" * 60_000 + b"}",
    b'{"a":' + b"[" * 60_000,
    b"{" + b",".join(b'"%d":1' % i for i in range(65)) + b"}",
]


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: ascii(text[:30]))
def test_parse_refuses(text):
    with pytest.raises(Failure):
        parse(text)


def test_parse_takes():
    text = b' {"a":1,"a":"caf\\u00e9","n":5,"n":null,"max":9007199254740991,"l":[1,2], "e":[]}\r\n'
    request = parse(text)
    assert request.text("a") == "café"  # of a repeated key the last
    assert request.number("n", 0, 10, 9) == 9  # null is absent
    assert request.number("max", 0, MAX_NUMBER) == MAX_NUMBER
    assert request.values["l"] == [1, 2]


@pytest.mark.parametrize(
    "get",
    [
        lambda r: r.text("none"),
        lambda r: r.text("n"),
        lambda r: r.number("none", 0, 9),
        lambda r: r.number("s", 0, 9),
        lambda r: r.number("s", 0, 9, 1),
        lambda r: r.number("n", 0, 6),
        lambda r: r.number("n", 8, 9, 8),
    ],
)
def test_getters_refuse(get):
    request = parse(b'{"n":7,"s":"x"}')
    with pytest.raises(Failure):
        get(request)


def test_what_a_line_said_can_be_answered():
    request = parse(b'{"do":"\\ud800\\n\\""}')
    with pytest.raises(Failure) as failed:
        request.number("do", 0, 1)
    answer = line("error", why=str(failed.value))
    assert answer.count(b"\n") == 1 and parse(answer).text("is") == "error"
