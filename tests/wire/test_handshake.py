"""Who agrees to what: the key exchange, the versions, and what of it can be seen from outside."""

from __future__ import annotations

import pytest

from conftest import tree
from receiver import Receiver, read_exactly, read_frame
from sender import Entry, Sender, connect
from wire import END, GROUP, HELLO, PIECE, RATES, Broken, Ended

OLD = b"ciphermeter/1"
FILE = [Entry("file", b"three words here")]


@pytest.mark.parametrize("group", [b"X25519", b"P-256", b"X25519:P-384"])
def test_recv_refuses_a_key_exchange_that_a_quantum_computer_breaks(ours, group):
    process, ticket = ours.recv()
    with pytest.raises(Broken, match="no TLS"):
        connect(ticket, group=group)
    Sender(ticket, FILE).complete()
    ours.fine(process)


@pytest.mark.parametrize("group", [GROUP, b"X25519:X25519MLKEM768", b"P-256:" + GROUP])
def test_recv_takes_the_hybrid_whatever_else_is_offered(ours, group):
    _, ticket = ours.recv()
    assert connect(ticket, group=group).tls.get_group_name() == GROUP.decode()


@pytest.mark.parametrize("group", [b"X25519", b"P-256"])
def test_send_refuses_a_key_exchange_that_a_quantum_computer_breaks(ours, group):
    receiver = Receiver(ours.into)
    receiver.group = group
    err = refused_by_send(ours, receiver)
    assert GROUP.decode() in err or "key exchange" in err


def refused_by_send(ours, receiver: Receiver) -> str:
    (ours.home / "file").write_bytes(b"three words here")
    process = ours.send(receiver.ticket, "--patience", "2s", ours.home / "file")
    with pytest.raises(Broken):
        receiver.receive()
    return ours.refuses(process)


@pytest.mark.parametrize("group", [GROUP, b"X25519:" + GROUP])
def test_send_offers_the_hybrid(ours, group):
    (ours.home / "file").write_bytes(b"three words here")
    receiver = Receiver(ours.into)
    receiver.group = group
    process = ours.send(receiver.ticket, ours.home / "file")
    control, _ = receiver.greet()
    assert control.tls.get_group_name() == GROUP.decode()
    process.kill()


def test_both_ends_explain_the_key_exchange(ours):
    (ours.home / "file").write_bytes(b"three words here")
    recv, ticket = ours.recv("--explain")
    send = ours.send(ticket, "--explain", ours.home / "file")
    for process in send, recv:
        code, out, err = ours.end(process)
        assert code == 0 and any(GROUP.decode() in line for line in (out + err).splitlines()), (out, err)


class Watcher(Receiver):
    """Looks at the first bytes of each attempt's data connections before anything else."""

    def look(self) -> list[bytes]:
        control, welcome = self.greet()
        session = self.agree(control, welcome)
        sources = [self.listener.accept()[0] for _ in range(welcome["streams"])]
        hellos = [read_exactly(source, HELLO) for source in sources]
        assert {session.expect(hello)[0] for hello in hellos} == set(range(welcome["streams"]))
        for source in sources:
            read_frame(source, (PIECE, 20), (END, 0))  # right behind it
        for one in [*sources, control.plain]:
            one.close()
        return hellos


def test_a_data_connection_names_neither_transfer_nor_attempt(ours):
    """An observer can't tell by it that two attempts are of one transfer."""
    for number in range(2):
        (ours.home / f"{number}").write_bytes(bytes(1000))
    watcher = Watcher(ours.into)
    process = ours.send(watcher.ticket, "--patience", "20s", "--streams", "2", ours.home / "0", ours.home / "1")
    attempts = [watcher.look(), watcher.look()]
    process.kill()
    assert watcher.attempt == 2
    transfer = bytes.fromhex(watcher.transfer)
    for hello in attempts[0] + attempts[1]:
        assert not any(transfer[at : at + 4] in hello for at in range(13))
    for one in attempts[0]:
        for other in attempts[1]:
            assert not any(one[at : at + 4] in other for at in range(6, HELLO - 3))


def old_hello(control, ticket) -> str:
    """What a sender of an earlier version hears."""
    rates = {"suites": RATES, "streams": 1}
    control.say("hello", wire=1, token=ticket.token.hex(), **rates)
    with pytest.raises(Ended) as said:
        control.hear("welcome")
    assert said.value.kind == "refused"
    return str(said.value)


@pytest.mark.parametrize("alpn", [OLD, b"ciphermeter/2"])
def test_recv_tells_an_old_sender_why_and_keeps_the_ticket(ours, alpn):
    process, ticket = ours.recv(quiet=False)
    assert "version" in old_hello(connect(ticket, alpn=alpn), ticket)
    other = connect(ticket, alpn=alpn)
    other.write(b"GET / HTTP/1.1\n")  # whatever it says
    with pytest.raises(Ended, match="version"):
        other.hear()
    Sender(ticket, FILE).complete()
    code, _, err = ours.end(process)
    assert code == 0 and tree(ours.into) == {"file": FILE[0].text}
    assert [line for line in err.splitlines() if "version" in line], err


def test_an_old_hello_in_the_new_protocol_is_refused(ours):
    process, ticket = ours.recv()
    old_hello(connect(ticket), ticket)
    Sender(ticket, FILE).complete()
    ours.fine(process)


@pytest.mark.parametrize("alpn", [b"http/1.1", b"ciphermeter/4"])
def test_recv_refuses_other_protocols(ours, alpn):
    process, ticket = ours.recv()
    with pytest.raises(Broken, match=r"no TLS|something else"):
        connect(ticket, alpn=alpn)
    Sender(ticket, FILE).complete()
    ours.fine(process)


def test_send_says_that_the_receiver_has_another_version(ours):
    receiver = Receiver(ours.into)
    receiver.alpn = OLD
    assert "version" in refused_by_send(ours, receiver)
