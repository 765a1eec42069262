"""A ticket with several addresses: what answers at the others, or does not, keeps `send` from no receiver."""

from __future__ import annotations

import dataclasses
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from conftest import tree
from receiver import Receiver
from wire import Broken

CLOSED = ("127.0.0.1", 1)
TEXT = b"three words here"


@pytest.fixture
def web():
    """A program that answers everything, but not in TLS."""
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.RequestHandlerClass.log_message = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address
    server.shutdown()
    server.server_close()


@pytest.fixture
def silent():
    """Programs that accept every connection and never speak. In a row, their limits would be more than a test's."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
    yield [listener.getsockname() for listener in listeners]
    for listener in listeners:
        listener.close()


@pytest.fixture
def stuck():
    """A listener that accepts no more: the system drops what comes, as a firewall does."""
    with (
        socket.create_server(("127.0.0.1", 0), backlog=0) as listener,
        socket.create_connection(listener.getsockname()),
    ):
        yield listener.getsockname()


@pytest.fixture
def other(ours):
    """A receiver with another key."""
    receiver = Receiver(ours.folder("other"))

    def refuse() -> None:
        while True:
            try:
                receiver.accept()
            except Broken:
                continue
            except OSError:
                return

    threading.Thread(target=refuse, daemon=True).start()
    yield receiver.ticket.addresses[0]
    receiver.listener.close()


def test_send_finds_its_receiver_behind_whatever_else_answers(ours, web, silent, stuck, other):
    process, ticket = ours.recv()
    (ours.home / "file").write_bytes(TEXT)
    addresses = [CLOSED, web, *silent, stuck, other, *ticket.addresses]
    ours.fine(ours.send(dataclasses.replace(ticket, addresses=addresses), "--streams", "2", ours.home / "file"))
    ours.fine(process)
    assert tree(ours.into) == {"file": TEXT}


def test_send_says_what_each_address_is(ours, web, other):
    process, ticket = ours.recv()
    (ours.home / "file").write_bytes(TEXT)
    addresses = [CLOSED, web, other]
    err = ours.refuses(ours.send(dataclasses.replace(ticket, addresses=addresses), ours.home / "file"))
    words = ["refused", "another program", "another key"]
    for (host, port), why in zip(addresses, words, strict=True):
        assert f"{host}:{port}: {why}" in err, err
    assert "get a new ticket" not in err, "it is right at one address or none"
    process.kill()


def test_send_resumes_at_another_address(ours, web, other):
    """The addresses are kept: a sender that comes back tries them all again."""
    receiver = Receiver(ours.into)
    (ours.home / "file").write_bytes(TEXT)
    ticket = dataclasses.replace(receiver.ticket, addresses=[web, other, *receiver.ticket.addresses])
    process = ours.send(ticket, ours.home / "file")
    control, _ = receiver.greet()
    receiver.hear_offer(control)
    control.plain.shutdown(socket.SHUT_RDWR)
    control.plain.close()
    for part in ours.into.iterdir():
        part.unlink()
    receiver.receive()
    ours.fine(process)
    assert (ours.into / "file").read_bytes() == TEXT


def test_the_only_address_keeps_its_own_words(ours, web, other):
    process, ticket = ours.recv()
    (ours.home / "file").write_bytes(TEXT)
    for address, why in [(CLOSED, "cannot connect to"), (web, "cannot open a secure channel"), (other, "new ticket")]:
        err = ours.refuses(ours.send(dataclasses.replace(ticket, addresses=[address]), ours.home / "file"))
        assert why in err, err
    process.kill()
