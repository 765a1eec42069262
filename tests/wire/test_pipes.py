"""Streams: the second implementation pipes to our `recv -`, takes what our `send -` pipes, and lies to both."""

from __future__ import annotations

import contextlib
import os
import pty
import struct
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from receiver import HOLE, PIECE, TAG, Receiver, read_exactly
from sender import CHUNK, DATA, END, Entry, Folder, Out, Sender
from wire import PATIENCE, Broken, Ended, Session, Stream

TEXT = bytes(range(251)) * 4000
INCOMPLETE = "the stream is incomplete: do not use what was written"
PIPES = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def stream(**more: object) -> Entry:
    return Entry("stream", b"", more={"stream": True, **more})


def piping(ours, *more: object) -> tuple:
    """Our `recv -`, and its ticket."""
    process = ours.start("recv", "-", "--yes", "--quiet", "--ticket-file", ours.home / "ticket", *more)
    return process, ours.ticket(process)


def opened(ours, *more: object) -> tuple:
    """Our `recv -`, and a sender that has begun a stream."""
    process, ticket = piping(ours, *more)
    return process, Sender(ticket, [stream()], streams=4).offer().open()


def raw_end(process: subprocess.Popen) -> tuple[int, bytes, str]:
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, " ".join(err.decode().split())


@contextlib.contextmanager
def read_beside(process: subprocess.Popen):
    """Reads what it writes, which no pipe holds, while a test goes on."""
    with ThreadPoolExecutor(1) as beside:
        yield beside.submit(raw_end, process)


@pytest.mark.parametrize("sizes", [[], [1], [1, 2, 70_000, 0, 0, 300_000, 5], [1_000_000]])
def test_our_receiver_pipes_a_stream_on(ours, sizes):
    process, sender = opened(ours)
    assert len(sender.outs) == 1 and "resume" not in sender.welcome
    at = 0
    with read_beside(process) as ended:
        for size in sizes:
            sender.out.piece(0, at, TEXT[at : at + size])
            at += size
        sender.end()
        authenticated, failed, durable = sender.finish()
    assert (authenticated["files"], failed, durable["files"]) == (1, [], 1)
    assert ended.result()[:2] == (0, TEXT[: sum(sizes)])


def test_what_is_authentic_is_written_at_once(ours):
    process, sender = opened(ours)
    for at in range(3):
        sender.out.piece(0, at, TEXT[at : at + 1])
        assert os.read(process.stdout.fileno(), 9) == TEXT[at : at + 1]
    sender.cut()
    code, _, err = raw_end(process)
    assert code == 5 and err.endswith(INCOMPLETE)


def test_our_receiver_pipes_one_file_on(ours):
    process, ticket = piping(ours)
    size = 3 * 2**20
    text = TEXT[:CHUNK] + bytes(size - 2 * CHUNK) + TEXT[:CHUNK]
    with read_beside(process) as ended:
        sender = Sender(ticket, [Entry("file", text, more={"data": 2 * CHUNK})]).offer().open()
        sender.piece(0, 0, CHUNK)
        sender.out.hole(0, CHUNK, size - 2 * CHUNK)
        sender.piece(0, size - CHUNK, CHUNK)
        sender.end()
        sender.finish()
    assert ended.result()[:2] == (0, text)


class Piped(Receiver):
    """A receiver that takes one stream."""

    def welcome(self, hello: dict) -> dict:
        return {**super().welcome(hello), "streams": 1}

    def greet(self) -> tuple:
        self.resume = None
        return super().greet()

    def accepts(self) -> Stream:
        """Accepts the offer; the data connection is there."""
        control, welcome = self.greet()
        while (message := control.hear("file", "folder", "offered"))["is"] != "offered":
            self.files.append(message)
        control.say("ready")
        session = Session.of(control, welcome)
        self.source, _ = self.listener.accept()
        self.source.settimeout(PATIENCE)
        return Stream(session, *session.expect(read_exactly(self.source, 54)))

    def frame(self) -> tuple[int, bytes]:
        kind, length = struct.unpack(">BI", read_exactly(self.source, 5))
        return kind, read_exactly(self.source, length)

    def pieces(self, keys: Stream):
        """What comes, piece by piece, until the end."""
        at = 0
        while True:
            kind, sealed = self.frame()
            head = keys.frames.open(kind, sealed, kind == END)
            if kind == END:
                assert self.source.recv(1) == b""
                return
            assert kind == PIECE and kind != HOLE
            number, offset, length = struct.unpack(">IQQ", head)
            assert (number, offset) == (0, at) and length <= 2**30
            sequence, text = keys.piece(head), b""
            for start in range(0, max(length, 1), CHUNK):
                kind, sealed = self.frame()
                assert kind == DATA and len(sealed) == min(CHUNK, length - start) + TAG
                text += sequence.open(DATA, sealed, start + CHUNK >= length)
            at += length
            yield text


def piped(ours, ticket, stdin: int) -> subprocess.Popen:
    file = ours.home / "ticket"
    file.touch(mode=0o600)
    file.write_text(f"{ticket}\n")
    return ours.start("send", "-", "--quiet", "--ticket-file", file, **{**PIPES, "stdin": stdin})


def test_our_sender_pipes_what_it_reads(ours):
    path = ours.home / "text"
    path.write_bytes(TEXT)
    receiver = Piped(ours.into)
    with path.open() as file:
        process = piped(ours, receiver.ticket, file)
        keys = receiver.accepts()
        about = receiver.files[0]
        assert (len(receiver.files), about["size"], about["stream"]) == (1, 0, True)
        assert "link" not in about and "data" not in about
        assert b"".join(receiver.pieces(keys)) == TEXT
    receiver.control.hear("sent")
    receiver.control.say("authenticated", files=1)
    receiver.control.say("durable", files=1)
    receiver.control.hear("bye")
    assert ours.fine(process).startswith("sent a stream, ")


def test_our_sender_says_that_it_lives_and_waits_for_no_byte(ours):
    receiver = Piped(ours.into)
    stdin, produced = os.pipe()
    piped(ours, receiver.ticket, stdin)
    os.close(stdin)
    pieces = receiver.pieces(receiver.accepts())
    assert next(pieces) == next(pieces) == b""
    os.write(produced, b"x")
    assert b"x" in (next(pieces), next(pieces))
    os.close(produced)
    assert set(pieces) <= {b""}
    receiver.control.hear("sent")
    receiver.control.close()


def gap(a: Sender) -> None:
    a.out.piece(0, 0, TEXT[:9])
    a.out.piece(0, 10, TEXT[10:19])


def again(a: Sender) -> None:
    a.out.piece(0, 0, TEXT[:9])
    a.out.piece(0, 0, TEXT[:9])


def another_file(a: Sender) -> None:
    a.out.piece(0, 0, TEXT[:9])
    a.out.piece(1, 9, TEXT[9:18])


def hole(a: Sender) -> None:
    a.out.piece(0, 0, TEXT[:9])
    a.out.hole(0, 9, 2**20)


def beyond_every_end(a: Sender) -> None:
    a.out.piece(0, 0, TEXT[:9])
    a.out.head(0, 9, 2**64 - 1)


def long_piece(a: Sender) -> None:
    a.out.piece(0, 0, TEXT[:9])
    a.out.head(0, 9, 2**30 + 1)


def broken_chunk(a: Sender) -> None:
    a.out.piece(0, 0, TEXT[:9])
    sequence = a.out.stream.piece(a.out.head(0, 9, 9))
    frame = bytearray(sequence.seal(DATA, TEXT[9:18], True))
    frame[-1] ^= 1
    a.out.socket.sendall(frame)


def cut_between_pieces(a: Sender) -> None:
    a.out.piece(0, 0, TEXT[:9])
    a.out.socket.close()


def end_unmarked(a: Sender) -> None:
    a.out.piece(0, 0, TEXT[:9])
    a.out.frame(a.out.stream.frames, END, b"")


def sent_without_end(a: Sender) -> None:
    a.out.piece(0, 0, TEXT[:9])
    a.control.say("sent")
    time.sleep(0.3)
    a.out.socket.close()


def withdrawn(a: Sender) -> None:
    a.out.piece(0, 0, TEXT[:9])
    a.end()
    a.control.say("withdrawn", file=0, why="changed")
    a.control.say("sent")


LIES = {
    gap: "a piece that is not the next one",
    again: "a piece that is not the next one",
    another_file: "a piece of an unknown file",
    hole: "a hole of a stream",
    beyond_every_end: "the head of too long a piece",
    long_piece: "the head of too long a piece",
    broken_chunk: "a frame failed authentication",
    cut_between_pieces: "the connection was lost",
    end_unmarked: "a frame failed authentication",
    sent_without_end: "the connection was lost",
    withdrawn: "it changed while it was being sent",
}


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_our_receiver_writes_nothing_else_and_ends_without_success(ours, lie):
    process, sender = opened(ours)
    with contextlib.suppress(OSError):  # it needn't listen to the end
        lie(sender)
    with pytest.raises(Broken):
        sender.control.hear("authenticated")
    code, out, err = raw_end(process)
    assert code == 5 and out == TEXT[:9], err
    assert LIES[lie] in err and err.endswith(INCOMPLETE), err


def test_a_sender_that_breaks_off_says_why(ours):
    process, sender = opened(ours)
    sender.out.piece(0, 0, TEXT[:9])
    # Else the reason, which takes another way, may overtake the bytes.
    assert os.read(process.stdout.fileno(), 9) == TEXT[:9]
    sender.control.say("broke-off", why="the input failed")
    with pytest.raises(Broken):
        sender.control.hear("authenticated")
    code, out, err = raw_end(process)
    assert (code, out) == (5, b"")
    assert "the input failed" in err and err.endswith(INCOMPLETE), err


IMPOSSIBLE = {
    "a size": [stream(size=5)],
    "holes": [stream(data=0)],
    "a link": [stream(link="other", mode=0)],
}
NOT_ALONE = {
    "two streams": [stream(), Entry("other", b"", more={"stream": True})],
    "a file beside it": [stream(), Entry("file", b"text")],
    "a folder around it": [Folder("d"), Entry("d/stream", b"", more={"stream": True})],
}
FILES = {
    "a folder": [Folder("d")],
    "nothing": [],
    "two files": [Entry("a", b"text"), Entry("b", b"text")],
    "only a link": [Entry("d/link", mode=0, more={"link": "other"})],
}


def refused(ours, process: subprocess.Popen, sender: Sender) -> str:
    with pytest.raises(Ended) as said:
        sender.offer()
    code, out, _ = raw_end(process)
    assert (code, out, list(ours.into.iterdir())) == (5, b"", [])
    return str(said.value)


@pytest.mark.parametrize("offer", [*IMPOSSIBLE.values()], ids=IMPOSSIBLE)
@pytest.mark.parametrize("to", ["a pipe", "a folder"])
def test_a_stream_has_no_facts_of_a_file(ours, offer, to):
    process, ticket = piping(ours) if to == "a pipe" else ours.recv()
    assert "impossible metadata" in refused(ours, process, Sender(ticket, offer))


@pytest.mark.parametrize("offer", [*NOT_ALONE.values(), *FILES.values()], ids=[*NOT_ALONE, *FILES])
def test_a_pipe_takes_one_stream_or_file_alone(ours, offer):
    process, ticket = piping(ours)
    assert "takes one stream or one file" in refused(ours, process, Sender(ticket, offer))


@pytest.mark.parametrize("offer", [[stream()], *NOT_ALONE.values()], ids=["alone", *NOT_ALONE])
def test_a_folder_takes_no_stream(ours, offer):
    process, ticket = ours.recv()
    assert "pipes a stream" in refused(ours, process, Sender(ticket, offer))


def test_a_folder_takes_no_stream_in_a_later_offer_either(ours):
    process, ticket = ours.recv()
    sender = Sender(ticket, [Entry("stream", b"text")]).offer()
    sender.cut()
    with pytest.raises(Ended, match="recv -"):
        sender.again([stream()]).offer()
    assert "pipes a stream" in raw_end(process)[2]


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_stream_has_one_connection(ours, number):
    process, sender = opened(ours)
    sender.out.piece(0, 0, TEXT[:9])
    assert os.read(process.stdout.fileno(), 9) == TEXT[:9]
    assert Out(sender.ticket, sender.session, number).socket.recv(1) == b""
    sender.end()
    sender.finish()
    assert raw_end(process)[0] == 0


def test_nobody_comes_back_to_a_pipe(ours):
    process, ticket = piping(ours)
    sender = Sender(ticket, [stream()]).offer().open()
    sender.cut()
    code, _, err = raw_end(process)
    assert code == 5 and err.endswith(INCOMPLETE)
    with pytest.raises(OSError):
        Sender(ticket, [stream()])


def test_silence_ends_a_stream(ours):
    process, sender = opened(ours, "--patience", "5s")
    code, _, err = raw_end(process)
    assert code == 5 and err.endswith(f"nothing came for too long; {INCOMPLETE}")
    sender.cut()


def test_a_terminal_is_neither_sent_nor_written_to(ours):
    master, slave = pty.openpty()
    process = ours.start("recv", "-", "--yes", **{**PIPES, "stdout": slave})
    assert process.wait(PATIENCE) == 2 and b"recv - > FILE" in process.stderr.read()
    process = ours.start("send", "-", **{**PIPES, "stdin": slave})
    assert process.wait(PATIENCE) == 2 and b"standard input is a terminal" in process.stderr.read()
    for end in master, slave:
        os.close(end)


def test_standard_input_is_no_ticket(ours):
    """Where there is no terminal either, nothing is read from it."""
    process = ours.start("send", "-", stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    _, err = process.communicate(b"cm1." + b"A" * 64 + b"@127.0.0.1:1\n", PATIENCE)
    assert process.returncode == 2 and b"give it with --ticket-file" in err


def test_a_person_at_the_terminal_is_asked_for_the_ticket(ours):
    """Standard input is what is sent; the ticket is typed."""
    process, ticket = piping(ours)
    path = Path(ours.home / "text")
    path.write_bytes(TEXT)
    child, master = pty.fork()
    if child == 0:
        os.dup2(os.open(path, os.O_RDONLY), 0)
        program = os.environ["CIPHERMETER"]
        os.execve(program, [program, "send", "-", "--quiet"], ours.environment)
    seen = b""
    while b"Ticket: " not in seen:
        seen += os.read(master, 999)
    os.write(master, f"{ticket}\n".encode())
    assert raw_end(process)[:2] == (0, TEXT)
    with contextlib.suppress(OSError):  # when it has left the terminal
        while os.read(master, 999):
            pass
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(master)
