"""Our receiver that calls takes nothing but what it asked for, from nobody but its sender."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from calls import Answerer
from conftest import tree
from sender import Entry, Folder, Sender, join
from terminal import Terminal
from test_attacks import FILES
from test_callers import closed
from test_calls import half_way
from wire import Broken, Ended, Session

ANY = "00" * 16
HELLOS = {
    "a token": ({"token": ANY}, "not the one that is due"),
    "a transfer": ({"transfer": ANY}, "not the one that is due"),
    "a secret": ({"resume": ANY}, "not the one that is due"),
    "a transfer and a secret": ({"transfer": ANY, "resume": ANY}, "not the one that is due"),
    "no streams": ({"streams": 0}, "a number of data connections that cannot be"),
    "too many streams": ({"streams": 17}, "a number of data connections that cannot be"),
    "another version": ({"wire": 4}, "not the one that is due"),
}


class Liar(Answerer):
    """Its hello has what a test puts into it."""

    def lie(self, **says: object) -> None:
        self.call = self.meet()
        hello = {"wire": 3, "suites": [{"suite": "aes-256-gcm", "seal": 1, "open": 1}], "streams": 1, **says}
        self.control.say("hello", **hello)
        self.control.hear("welcome")


@pytest.mark.parametrize("lie", HELLOS)
def test_our_receiver_refuses_a_first_hello(ours, lie):
    liar = Liar(FILES)
    process = ours.fetch(liar.ticket, "host:big", "host:small")
    says, why = HELLOS[lie]
    with pytest.raises(Broken, match="cut"):
        liar.lie(**says)
    assert why in ours.refuses(process)
    assert list(ours.into.iterdir()) == []


def test_our_receiver_refuses_another_first_line(ours):
    liar = Liar(FILES)
    process = ours.fetch(liar.ticket, "host:big")
    liar.meet()
    liar.control.say("offered", files=0, bytes=0)
    assert "unexpected before the hello" in ours.refuses(process)


def test_our_receiver_tells_what_the_sender_refuses(ours):
    liar = Liar(FILES)
    process = ours.fetch(liar.ticket, "host:big")
    liar.meet()
    liar.control.say("refused", why="not today\x1b[2J")
    assert "not today" in ours.refuses(process)


AGAINS = {
    "nothing": {},
    "a token": {"token": ANY},
    "another secret": {"transfer": "TRANSFER", "resume": ANY},
    "another transfer": {"transfer": ANY, "resume": "RESUME"},
    "no secret": {"transfer": "TRANSFER"},
    "a token beside the secret": {"transfer": "TRANSFER", "resume": "RESUME", "token": ANY},
}


@pytest.mark.parametrize("anew", [False, True], ids=["called again", "resumed"])
@pytest.mark.parametrize("lie", AGAINS)
def test_our_receiver_knows_its_sender_by_the_secret(ours, lie, anew):
    """Whoever answers a second call without it is not given what was received, and what is here stays."""
    liar = Liar(FILES)
    process = ours.fetch(liar.ticket, "host:big", "host:small")
    half_way(ours, liar, process)
    if anew:
        process.kill()
        process.wait()
        liar.cut()
        process = ours.fetch(liar.ticket, "--resume", "host:big", "host:small")
    else:
        liar.cut()
    known = {"TRANSFER": liar.transfer, "RESUME": liar.resume}
    with pytest.raises(Broken, match="cut"):
        liar.lie(**{key: known.get(value, value) for key, value in AGAINS[lie].items()})
    assert "not the one that is due" in ours.refuses(process)
    process = ours.fetch(liar.ticket, "--resume", "host:big", "host:small")
    liar.answer().complete()
    ours.fine(process)


OFFERS = {
    "hidden": ([Entry(".bashrc", b"evil")], ".bashrc"),
    "another name": ([Entry("Makefile", b"evil")], "Makefile"),
    "one more": ([Entry("big"), Entry("Makefile", b"evil")], "Makefile"),
    "one more folder": ([Entry("big"), Folder("bin")], "bin"),
    "in another folder": ([Folder("bin"), Entry("bin/big")], "bin"),
    "another case": ([Entry("BIG")], "BIG"),
}


@pytest.mark.parametrize("yes", [[], ["--yes"], ["--yes", "--hidden"]], ids=["", "yes", "hidden"])
@pytest.mark.parametrize("offer", OFFERS)
def test_our_receiver_takes_only_what_it_asked_for(ours, offer, yes):
    things, name = OFFERS[offer]
    answerer = Answerer(things)
    process = ours.fetch(answerer.ticket, *yes, "host:photos/big", "host:small")
    with pytest.raises(Ended, match="was not asked for") as said:
        answerer.answer().offer()
    assert said.value.kind == "refused" and name in str(said.value)
    assert f"{name} was not asked for" in ours.refuses(process)
    assert list(ours.into.iterdir()) == []


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_person_is_asked_about_other_names(ours, answer):
    answerer = Answerer([Entry("big", b"big"), Entry("Makefile", b"text")])
    terminal = Terminal.fetching(ours, answerer.ticket, "host:big")
    answerer.answer()
    with ThreadPoolExecutor(1) as beside:
        offering = beside.submit(answerer.offer)
        lines = terminal.question()
        assert "Makefile was not asked for" in " ".join(lines)
        terminal.type(f"{answer}\n")
        if answer == "n":
            with pytest.raises(Ended, match="declined"):
                offering.result()
            assert terminal.end() == 5 and tree(ours.into) == {}
            return
        offering.result().open().data()
    answerer.end()
    answerer.finish()
    assert terminal.end() == 0 and set(tree(ours.into)) == {"big", "Makefile"}


HOOK = "repo/.git/hooks/post-checkout"
HOOKS = {
    "with folders": [Folder("repo"), Folder("repo/.git"), Folder("repo/.git/hooks"), Entry(HOOK, b"evil", 0o755)],
    "alone": [Entry(HOOK, b"evil", 0o755)],
    "empty folders": [Folder("repo"), Folder("repo/.git"), Folder("repo/.git/hooks")],
}


def repository(ours) -> dict:
    """A repository that is there already."""
    (ours.into / "repo" / ".git").mkdir(parents=True)
    (ours.into / "repo" / ".git" / "HEAD").write_bytes(b"mine")
    return tree(ours.into)


@pytest.mark.parametrize("options", [[], ["--yes"], ["--yes", "--hidden"], ["--existing", "refuse"]], ids=" ".join)
@pytest.mark.parametrize("things", HOOKS)
def test_a_folder_that_is_there_gets_nothing_without_a_question(ours, things, options):
    before = repository(ours)
    answerer = Answerer(HOOKS[things])
    process = ours.fetch(answerer.ticket, *options, "host:repo")
    with pytest.raises(Ended, match="repo exists in the receiving folder, and nothing is added to it") as said:
        answerer.answer().offer()
    assert said.value.kind == "refused"
    assert ours.end(process)[0] == 5
    assert tree(ours.into) == before


@pytest.mark.parametrize("options", [["--no-folder"], ["--existing", "skip"], ["--existing", "compare"]], ids=" ".join)
def test_a_folder_that_is_there_gets_more_where_an_option_says_so(ours, options):
    before = repository(ours)
    answerer = Answerer(HOOKS["alone"])
    process = ours.fetch(answerer.ticket, *options, "host:repo")
    answerer.answer().complete()
    ours.fine(process)
    assert tree(ours.into) == {**before, "repo/.git/hooks": None, HOOK: b"evil"}


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_person_is_asked_about_a_folder_that_is_there(ours, answer):
    before = repository(ours)
    answerer = Answerer([*HOOKS["with folders"], Entry("repo/readme", b"text")])
    terminal = Terminal.fetching(ours, answerer.ticket, "host:repo")
    answerer.answer()
    with ThreadPoolExecutor(1) as beside:
        offering = beside.submit(answerer.offer)
        text = " ".join(" ".join(terminal.question()).split())
        assert "hidden executable 4 B repo/.git/hooks/post-checkout" in text, text
        assert 'folder "repo" is there already and gets more' in text, text
        terminal.type(f"{answer}\n")
        if answer == "n":
            with pytest.raises(Ended, match="declined"):
                offering.result()
            assert terminal.end() == 5 and tree(ours.into) == before
            return
        offering.result().open().data()
    answerer.end()
    answerer.finish()
    assert terminal.end() == 0 and tree(ours.into)[HOOK] == b"evil"


def test_what_only_the_sender_knows_goes_beside_a_folder_that_is_there(ours):
    before = repository(ours)
    answerer = Answerer(HOOKS["alone"])
    process = ours.fetch(answerer.ticket, "--yes", "host:")
    answerer.answer().complete()
    ours.fine(process)
    after = tree(ours.into)
    assert before.items() <= after.items() and HOOK not in after
    assert any(name.startswith("transfer-") and name.endswith(HOOK) for name in after)


@pytest.mark.parametrize("things", [[], [Entry("big", b"big")]], ids=["nothing", "a part"])
def test_our_receiver_misses_what_it_asked_for_and_was_not_offered(ours, things):
    answerer = Answerer(things)
    process = ours.fetch(answerer.ticket, "--exclude", "*.tmp", "host:big", "host:small", "host:a.tmp")
    answerer.answer().complete()
    code, out, _ = ours.end(process)
    lacking = "small" if things else "big, small"
    assert code == 5 and f"NOT received: {lacking}: the other end did not offer it" in out and "a.tmp" not in out, out
    assert set(tree(ours.into)) == {thing.name for thing in things}


def test_our_receiver_takes_nothing_that_it_left_out(ours):
    """Its sender was told, and offers it all the same."""
    answerer = Answerer([Folder("d"), Entry("d/a", b"a"), Entry("d/a.tmp", b"evil")])
    process = ours.fetch(answerer.ticket, "--exclude", "*.tmp", "host:d")
    answerer.answer().offer().open().data()
    answerer.end()
    answerer.finish()
    assert answerer.skipped == {1: "declined"}
    ours.end(process)
    assert tree(ours.into) == {"d": None, "d/a": b"a"}


def test_our_receiver_takes_hidden_names_that_it_asked_for(ours):
    answerer = Answerer([Entry(".bashrc", b"mine"), Folder(".ssh"), Entry(".ssh/config", b"text")])
    process = ours.fetch(answerer.ticket, "host:.bashrc", "host:.ssh/")
    answerer.answer().complete()
    ours.fine(process)
    assert tree(ours.into) == {".bashrc": b"mine", ".ssh": None, ".ssh/config": b"text"}


@pytest.mark.parametrize("path", ["", "~", "..", "/", "a/.."])
def test_a_name_that_only_the_sender_knows_takes_a_yes(ours, path):
    things = [Folder("me"), Entry("me/a", b"a")]
    answerer = Answerer(things)
    process = ours.fetch(answerer.ticket, f"host:{path}")
    with pytest.raises(Ended, match="--yes"):
        answerer.answer().offer()
    ours.refuses(process)
    answerer = Answerer(things)
    process = ours.fetch(answerer.ticket, "--yes", f"host:{path}")
    answerer.answer().complete()
    ours.fine(process)
    assert tree(ours.into) == {"me": None, "me/a": b"a"}


def test_later_offers_add_nothing(ours):
    answerer = Answerer(FILES)
    process = ours.fetch(answerer.ticket, "host:big", "host:small")
    half_way(ours, answerer, process)
    answerer.cut()
    answerer.things = [*FILES, Entry("Makefile", b"evil")]
    with pytest.raises(Ended):
        answerer.answer().offer()
    assert "Makefile was not asked for" in ours.refuses(process)


def test_our_receiver_tells_another_key_nothing(ours):
    liar = Liar(FILES)
    liar.key = ec.generate_private_key(ec.SECP256R1())
    process = ours.fetch(liar.ticket, "host:big")
    with pytest.raises(Broken):
        liar.meet()
    assert "has a different key than the ticket" in ours.refuses(process)


def test_our_receiver_that_listens_takes_no_connection_of_its_own_role(ours):
    """The MAC is what a receiver that calls would say."""
    process, ticket = ours.recv()
    sender = Sender(ticket, FILES).offer()
    assert closed(join(ticket, Session.of(sender.control, sender.welcome, "receiver"), 0)[0])
    sender.open().data()
    sender.end()
    sender.finish()
    ours.fine(process)
