"""Our receiver refuses hellos and offers that the page doesn't allow."""

from __future__ import annotations

import pytest

from sender import connect, greet
from wire import RATES, Ended, Ticket

FILE = {"name": "file", "size": 1, "mode": 0o644, "modified": 0, "nanoseconds": 0, "version": "00" * 16}
FOLDER = {"name": "folder", "mode": 0o755}

HELLOS = {
    "another wire": {"wire": 4},
    "three suites": {"suites": [*RATES, RATES[0]]},
    "a thousand suites": {"suites": RATES * 500},
    "a suite twice": {"suites": [RATES[0], RATES[0]]},
    "no streams": {"streams": 0},
    "too many streams": {"streams": 17},
    "unknown suite": {"suites": [*RATES, {"suite": "rot13", "seal": 1, "open": 1}]},
    "a broken rate": {"suites": [{**rate, "seal": 1.5} for rate in RATES]},
    "unknown wanted": {"wanted": "rot13"},
    "a long line": {"more": "x" * 65_536},
}


def hello_of(ticket: Ticket) -> dict:
    return {"wire": 3, "token": ticket.token.hex(), "suites": RATES, "streams": 1}


@pytest.mark.parametrize("lie", HELLOS)
def test_a_hello_is_refused_and_spends_no_ticket(ours, lie):
    _, ticket = ours.recv()
    control = connect(ticket)
    control.say("hello", **{**hello_of(ticket), **HELLOS[lie]})
    with pytest.raises(Ended):
        control.hear("welcome")
    greet(connect(ticket), token=ticket.token.hex())


@pytest.mark.parametrize("lie", [{"suites": []}, {"wanted": "chacha20-poly1305"}], ids=["no suite", "both ask"])
def test_no_suite_will_do(ours, lie):
    process, ticket = ours.recv("--cipher", "aes-256-gcm")
    control = connect(ticket)
    control.say("hello", **{**hello_of(ticket), **lie})
    with pytest.raises(Ended, match="suite"):
        control.hear("welcome")
    assert "suite" in ours.refuses(process)


def test_unknown_keys_are_ignored(ours):
    _, ticket = ours.recv()
    control = connect(ticket)
    control.say("hello", **hello_of(ticket), weather="fine")
    assert control.hear("welcome")["streams"] == 1


OFFERS = {
    "above": [("file", {**FILE, "name": "../file"})],
    "from the root": [("file", {**FILE, "name": "/file"})],
    "no name": [("file", {**FILE, "name": ""})],
    "an empty part": [("file", {**FILE, "name": "a//b"})],
    "a slash at the end": [("folder", {"name": "a/", "mode": 0o755})],
    "a dot": [("file", {**FILE, "name": "a/./b"})],
    "its own": [("file", {**FILE, "name": "a/.CipherMeter-x"})],
    "a control character": [("file", {**FILE, "name": "a\u001bb"})],
    "the other direction": [("file", {**FILE, "name": "a\u202eb"})],
    "a long part": [("file", {**FILE, "name": "a" * 256})],
    "deep": [("file", {**FILE, "name": "/".join("a" * 65)})],
    "twice": [("file", FILE), ("file", FILE), ("offered", {"files": 2, "bytes": 2})],
    "setuid": [("file", {**FILE, "mode": 0o4755})],
    "a sticky folder": [("folder", {**FOLDER, "mode": 0o1777})],
    "a setgid folder": [("folder", {**FOLDER, "mode": 0o2755})],
    "a long second": [("file", {**FILE, "nanoseconds": 10**9})],
    "a second that runs back": [("file", {**FILE, "nanoseconds": -1})],
    "a file and a folder": [
        ("folder", {**FOLDER, "name": "file"}),
        ("file", FILE),
        ("offered", {"files": 1, "bytes": 1}),
    ],
    "below nothing": [("file", {**FILE, "size": -1})],
    "short version": [("file", {**FILE, "version": "00"})],
    "too much": [("file", {**FILE, "size": 2**64 - 1}), ("offered", {"files": 1, "bytes": 2**64 - 1})],
    "wrong bytes": [("file", FILE), ("offered", {"files": 1, "bytes": 2})],
    "wrong count": [("file", FILE), ("offered", {"files": 2, "bytes": 1})],
    "folder counts": [("file", FILE), ("folder", FOLDER), ("offered", {"files": 2, "bytes": 1})],
    "out of place": [("sent", {})],
}


@pytest.mark.parametrize("lie", OFFERS)
def test_an_offer_is_refused(ours, lie):
    process, ticket = ours.recv()
    control = connect(ticket)
    greet(control, token=ticket.token.hex())
    for kind, message in OFFERS[lie]:
        control.say(kind, **message)
    with pytest.raises(Ended):
        control.hear("ready")
    ours.refuses(process)
