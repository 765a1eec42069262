"""Links, holes, names that are taken and files that are not wanted, between the two implementations and in attacks."""

from __future__ import annotations

import hashlib

import pytest

from conftest import tree
from receiver import Receiver
from sender import CHUNK, Entry, Folder, Sender, send
from wire import Broken, Ended

LINKS = {"d/link": "e/file", "d/e/up": "../e/file", "d/e/here": ".", "d/nowhere": "not/here"}


def make_links(folder):
    """A folder with a file, and links that stay in it."""
    (folder / "d" / "e").mkdir(parents=True)
    (folder / "d" / "e" / "file").write_bytes(b"text")
    for name, target in LINKS.items():
        (folder / name).symlink_to(target)
    return folder / "d"


def links_in(folder) -> dict[str, str]:
    paths = [path for path in folder.rglob("*") if path.is_symlink()]
    return {path.relative_to(folder).as_posix(): str(path.readlink()) for path in paths}


def test_our_receiver_makes_links(ours):
    process, ticket = ours.recv()
    assert send(ticket, [make_links(ours.folder("from"))])[2]["files"] == 5
    ours.fine(process)
    assert links_in(ours.into) == LINKS and (ours.into / "d/e/file").read_bytes() == b"text"


def test_our_sender_sends_links(ours):
    receiver = Receiver(ours.into)
    process = ours.send(receiver.ticket, make_links(ours.folder("from")))
    receiver.receive()
    ours.fine(process)
    assert links_in(ours.into) == LINKS


LINK_LIES = {
    "up at the top": Entry("d/link", more={"link": "../x"}, mode=0),
    "at the top": Entry("link", more={"link": "x"}, mode=0),
    "up too far": Entry("d/e/link", more={"link": "../../x"}, mode=0),
    "down and up": Entry("d/link", more={"link": "e/../x"}, mode=0),
    "absolute": Entry("d/link", more={"link": "/etc/passwd"}, mode=0),
    "empty": Entry("d/link", more={"link": ""}, mode=0),
    "into a state": Entry("d/link", more={"link": ".ciphermeter-00/state.json"}, mode=0),
    "not shown": Entry("d/link", more={"link": "a\x1b[2J"}, mode=0),
    "too long": Entry("d/link", more={"link": "a/" * 2048 + "a"}, mode=0),
    "with content": Entry("d/link", b"text", more={"link": "x"}, mode=0),
    "with a mode": Entry("d/link", more={"link": "x"}, mode=0o755),
    "a number": Entry("d/link", more={"link": 7}, mode=0),
    "more data than bytes": Entry("file", b"text", more={"data": 5}),
    "data below": Entry("file", b"text", more={"data": -1}),
}


@pytest.mark.parametrize("lie", LINK_LIES)
def test_our_receiver_refuses_an_entry(ours, lie):
    process, ticket = ours.recv()
    with pytest.raises(Broken):
        Sender(ticket, [Folder("d"), Folder("d/e"), LINK_LIES[lie]]).offer()
    ours.refuses(process)


def test_nothing_goes_through_a_link_of_the_same_offer(ours):
    """A link is no folder: a name below it is refused, whichever line comes first."""
    for order in (1, -1):
        one = ours.another(f"order{order}")
        process, ticket = one.recv()
        things = [Entry("d/link", more={"link": "e"}, mode=0), Entry("d/link/file", b"text")][::order]
        with pytest.raises(Ended, match="same name as a folder"):
            Sender(ticket, [Folder("d"), *things]).offer()
        one.refuses(process)


def test_link_does_not_replace_what_exists(ours):
    process, ticket = ours.recv("--json")
    sender = Sender(ticket, [Folder("d"), Entry("d/link", more={"link": "e"}, mode=0)]).offer().open()
    (ours.into / "d").mkdir()
    (ours.into / "d" / "link").write_bytes(b"mine")
    sender.end()
    assert sender.finish()[1] == [{"is": "failed", "file": 0, "why": "exists"}]
    assert ours.end(process)[0] == 5
    assert (ours.into / "d" / "link").read_bytes() == b"mine"


HOLES = 5 * 2**20


def sparse(path) -> bytes:
    """A file with a hole in its middle and one at its end."""
    with path.open("wb") as file:
        file.write(b"begin")
        file.seek(2 * HOLES)
        file.write(b"middle")
        file.truncate(3 * HOLES)
    return path.read_bytes()


def test_our_sender_sends_holes_as_such(ours):
    receiver, path = Receiver(ours.into), ours.home / "file"
    text = sparse(path)
    process = ours.send(receiver.ticket, "--json", path)
    receiver.receive()
    out = ours.fine(process)
    assert tree(ours.into) == {"file": text}
    assert path.stat().st_blocks * 512 < HOLES, "this file system has no holes"
    assert '"bytes":131077,' in out or '"bytes":131' in out, out


def test_our_receiver_makes_holes(ours):
    size = 4 * CHUNK
    process, ticket = ours.recv()
    sender = Sender(ticket, [Entry("file", size=64 * size, more={"data": size})]).offer().open()
    sender.out.hole(0, 0, 32 * size)
    sender.out.piece(0, 32 * size, b"x" * size)
    sender.out.hole(0, 33 * size, 31 * size)
    sender.end()
    sender.finish()
    ours.fine(process)
    file = ours.into / "file"
    assert file.read_bytes() == bytes(32 * size) + b"x" * size + bytes(31 * size)
    assert file.stat().st_blocks * 512 <= 2 * size


def test_a_hole_hides_nothing_of_an_earlier_attempt(ours):
    """Bytes that a first attempt wrote and did not record are gone where a second one sends a hole."""
    process, ticket = ours.recv("--patience", "20s")
    sender = Sender(ticket, [Entry("file", b"x" * (2 * CHUNK))]).offer().open()
    sender.out.head(0, 0, 2 * CHUNK)
    sender.cut()
    sender = sender.again().offer().open()
    at = sum(length for _, length in sender.have[0])
    sender.out.hole(0, at, 2 * CHUNK - at)
    sender.end()
    sender.finish()
    ours.fine(process)
    assert (ours.into / "file").read_bytes() == bytes(2 * CHUNK)


def taken(ours) -> list[Entry]:
    """An offer of three files, two of whose names are taken."""
    (ours.into / "equal").write_bytes(b"same")
    (ours.into / "other").write_bytes(b"mine")
    return [Entry("equal", b"same"), Entry("other", b"your"), Entry("new", b"new")]


@pytest.mark.parametrize(
    "choice, skipped, files",
    [
        ("skip", {0: "exists", 1: "exists"}, {"other": b"mine"}),
        ("rename", {}, {"other": b"mine", "equal-1": b"same", "other-1": b"your"}),
        ("compare", {0: "equal"}, {"other": b"mine", "other-1": b"your"}),
    ],
)
def test_recv_settles_names_that_are_taken(ours, choice, skipped, files):
    things = taken(ours)
    process, ticket = ours.recv("--existing", choice)
    sender = Sender(ticket, things)
    durable = sender.complete()[2]
    assert sender.skipped == skipped and durable["files"] == 3 - len(skipped)
    ours.fine(process)
    assert tree(ours.into) == {"equal": b"same", "new": b"new", **files}


def test_recv_refuses_names_that_are_taken_unless_it_is_chosen(ours):
    things = taken(ours)
    process, ticket = ours.recv()
    with pytest.raises(Ended, match="exists in the receiving folder"):
        Sender(ticket, things).offer()
    assert ours.end(process)[0] == 5


DIGEST_LIES = {
    "one too many": ("digests", {"sha256": ["00" * 32] * 2}),
    "none": ("digests", {"sha256": []}),
    "short": ("digests", {"sha256": ["00"]}),
    "too many": ("digests", {"sha256": [None] * 257}),
    "no answer": ("sent", {}),
}


@pytest.mark.parametrize("lie", DIGEST_LIES)
def test_our_receiver_refuses_digests(ours, lie):
    process, ticket = ours.recv("--existing", "compare")
    (ours.into / "file").write_bytes(b"same")
    sender = Sender(ticket, [Entry("file", b"same"), Entry("more", b"more")])
    sender.digests = lambda _: DIGEST_LIES[lie]
    with pytest.raises(Broken):
        sender.offer()
    assert ours.end(process)[0] == 5
    assert tree(ours.into) == {"file": b"same"}


def test_a_file_without_a_digest_is_not_equal(ours):
    process, ticket = ours.recv("--existing", "compare")
    (ours.into / "file").write_bytes(b"same")
    sender = Sender(ticket, [Entry("file", b"same")])
    sender.digests = lambda _: ("digests", {"sha256": [None]})
    sender.complete()
    ours.fine(process)
    assert tree(ours.into) == {"file": b"same", "file-1": b"same"}


def test_files_are_compared_by_the_hundred(ours):
    process, ticket = ours.recv("--existing", "compare")
    (ours.into / "d").mkdir()
    things = [Entry(f"d/{number}", b"%d" % number) for number in range(600)]
    for thing in things[::2]:
        (ours.into / thing.name).write_bytes(thing.text)
    sender = Sender(ticket, [Folder("d"), *things])
    assert sender.complete()[2]["files"] == 300
    assert sender.skipped == dict.fromkeys(range(0, 600, 2), "equal")
    ours.fine(process)
    assert len(tree(ours.into)) == 601


def test_what_was_left_out_is_not_asked_for_again(ours):
    """Neither in a later attempt; and a skipped file that is sent all the same is refused."""
    process, ticket = ours.recv("--exclude", "*.sh", "--patience", "20s")
    things = [Entry("a.sh", b"a"), Entry("b", b"b")]
    sender = Sender(ticket, things).offer()
    assert sender.skipped == {0: "declined"}
    sender.cut()
    sender = sender.again().offer().open()
    assert sender.skipped == {0: "declined"}
    sender.out.piece(0, 0, b"a")
    with pytest.raises(Ended, match="a piece that came before"):
        sender.control.hear("authenticated")
    assert ours.end(process)[0] == 5


class Asks(Receiver):
    """A receiver that asks for digests, and skips."""

    questions, wants = [], {}

    def hear_offer(self, control) -> None:
        super().hear_offer(control)
        self.answers = []
        for files in self.questions:
            control.say("compare", files=files)
            self.answers.append(control.hear("digests"))

    def skip(self):
        return self.wants


def test_our_sender_answers_and_leaves_out(ours):
    files = [ours.home / name for name in ("a", "b")]
    for file in files:
        file.write_bytes(file.name.encode() * 300_000)
    receiver = Asks(ours.into)
    receiver.questions, receiver.wants = [[1, 0]], {0: "equal", 1: "declined"}
    process = ours.send(receiver.ticket, *files)
    receiver.receive()
    code, out, _ = ours.end(process)
    assert (
        code == 5
        and "NOT sent: b: the receiver declined it" in out
        and "1 file was there already" in " ".join(out.split())
    )
    digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    assert receiver.answers == [{"is": "digests", "sha256": digests[::-1]}]


ASKING_LIES = {
    "the same file twice": ([[0, 0]], {}),
    "the same file again": ([[0], [0]], {}),
    "no such file": ([[2]], {}),
    "skips no such file": ([], {2: "equal"}),
}


@pytest.mark.parametrize("lie", ASKING_LIES)
def test_our_sender_refuses_questions(ours, lie):
    file = ours.home / "file"
    file.write_bytes(b"text")
    receiver = Asks(ours.into)
    receiver.questions, receiver.wants = ASKING_LIES[lie]
    process = ours.send(receiver.ticket, "--patience", "2s", file)
    with pytest.raises(Broken):
        receiver.receive()
    assert "twice, or one that does not exist" in " ".join(ours.end(process)[2].split())
