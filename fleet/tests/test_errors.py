"""What a user can get wrong: one line each, with the remedy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fleet import PROGRAM, Ended, Fleet


def hosts(fleet: Fleet, text: str) -> Path:
    file = fleet.home / "hosts"
    file.write_text(text)
    return file


def test_python_without_dask_is_named(fleet: Fleet):
    package = Path(__file__).resolve().parents[1] / "src"
    # Only the package itself and Python's own library.
    start = f"import sys; sys.path.insert(0, {str(package)!r}); from ciphermeter_fleet.main import main; main()"
    isolated = [sys.executable, "-I", "-S", "-c", start, "run", "--hosts", hosts(fleet, "web1\n")]
    said = subprocess.run(isolated, env=fleet.environment, capture_output=True, text=True, check=False)
    assert said.returncode == 2 and len(said.stderr.splitlines()) == 1, said
    assert (
        "this Python has no distributed: install ciphermeter-fleet with `make fleet`, or distributed with pip"
        in said.stderr
    )


def test_machine_without_ssh_is_named(fleet: Fleet):
    fleet.refuses(
        "run",
        "--hosts",
        hosts(fleet, "web1\n"),
        says=["there is no ssh here: install OpenSSH's client"],
        PATH="/nowhere",
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "names no host"),
        ("# none\n\n", "names no host"),
        (
            "web1\n-oProxyCommand=x\n",
            "hosts:2: '-oProxyCommand=x' is no host: write HOST, USER@HOST or ssh://USER@HOST:PORT",
        ),
        ("web1;reboot\n", "hosts:1: 'web1;reboot' is no host"),
        ("web1 a b\n", "hosts:1: there is more than a host and its name"),
        ("web1 a/b\n", "hosts:1: 'a/b' is no name: write one behind the host"),
        ("web1\nroot@web1\n", "has two hosts named web1"),
    ],
)
def test_bad_file_of_hosts_is_refused(fleet: Fleet, text: str, says: str):
    fleet.refuses("run", "--hosts", hosts(fleet, text), says=[says])


def test_endless_file_of_hosts_is_refused(fleet: Fleet):
    fleet.refuses("run", "--hosts", "/dev/zero", says=["is longer than 256 KiB"])


def test_missing_file_of_hosts_is_named(fleet: Fleet):
    fleet.refuses(
        "run", "--hosts", "none", says=["cannot read the hosts of none: No such file or directory; write a file"]
    )


def test_host_that_refuses_is_lost_with_what_ssh_says(fleet: Fleet):
    said = fleet.run("run", "--hosts", hosts(fleet, "ssh://nobody@127.0.0.1:1 web1\n"))
    assert (said.code, said.out) == (4, ""), said
    assert (
        "web1: lost: ssh: connect to host 127.0.0.1 port 1: Connection refused; see that `ssh ssh://nobody@127.0.0.1:1`"
        in said.err
    )
    assert "nothing was measured: see above why, and repeat" in said.err.splitlines()[-1], said
    assert fleet.members()["web1"]["state"] == "lost"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "--hosts"),
        (("run", "tea", "--hosts", "hosts"), "there is no scenario `tea`"),
        (("run", "./tea.toml", "--hosts", "hosts"), "cannot read the scenario tea.toml"),
        (("run",), "--hosts"),
        (("run", "--scheduler", "web1"), "'web1' is no scheduler: write tls://HOST:8786"),
        (("run", "--scheduler", "tcp://10.0.0.1:8786"), "lets anybody on its network run programs on the workers"),
        (("run", "--scheduler", "tls://127.0.0.1:1"), "tls:// needs a certificate"),
        (("run", "--scheduler", "tls://127.0.0.1:1", "--tls-cert", "x"), "--tls-ca-file is missing"),
        (("run", "--hosts", "hosts", "--remote-program=-x"), "'-x' is no program"),
        (("run", "--hosts", "hosts", "--port", "0"), "'0' is no port"),
        (("run", "--hosts", "hosts", "--program", "nowhere"), "there is no program"),
        (("worker",), "which scheduler?"),
        (("worker", "--from-ssh"), "`ciphermeter fleet run --hosts`"),
        (("tea",), "invalid choice: 'tea'"),
    ],
)
def test_wrong_words_are_refused(fleet: Fleet, words: tuple[str, ...], says: str):
    hosts(fleet, "web1\n")
    if not words:
        words, says = ("",), "invalid choice"
    fleet.refuses(*words, says=[says])


def test_scheduler_that_is_away_is_named(fleet: Fleet):
    assert fleet.run("certificate", "tls").code == 0
    files = ("--tls-ca-file", "tls/ca.pem", "--tls-cert", "tls/cert.pem", "--tls-key", "tls/key.pem")
    fleet.refuses(
        "run", "--scheduler", "tls://127.0.0.1:1", *files, says=["cannot reach the scheduler at tls://127.0.0.1:1"]
    )


def test_certificate_is_this_users_alone_and_never_replaced(fleet: Fleet):
    said = fleet.run("certificate", "tls")
    assert said.out.split() == ["tls/ca.pem", "tls/cert.pem", "tls/key.pem"], said
    assert all((fleet.home / file).stat().st_mode & 0o077 == 0 for file in said.out.split())
    fleet.refuses("certificate", "tls", says=["tls/ca.pem is there already: name another folder"])


def test_store_that_cannot_push_is_said_before_anything_is_measured(fleet: Fleet):
    words = ("run", "--hosts", hosts(fleet, "web1\n"), "--push", "http://127.0.0.1:1")
    # A copy of the binary, beside which nothing is.
    own = fleet.home / "ciphermeter"
    own.write_bytes(Path(fleet.environment["CIPHERMETER_PROGRAM"]).read_bytes())
    own.chmod(0o755)
    fleet.refuses(
        *words, "--program", own, says=["needs the program ciphermeter-serve", "make serve"], PATH="/usr/bin:/bin"
    )


def test_worker_takes_no_other_words_from_ssh(fleet: Fleet):
    words = ["sh", "-c", f"echo '{{}}' | {PROGRAM} worker --from-ssh"]
    said = Ended(fleet.process(words))
    assert said.code == 2 and said.err.startswith("ciphermeter-fleet: what came through ssh is not of this version"), (
        said
    )


def test_nothing_was_measured_yet(fleet: Fleet):
    said = fleet.run("status")
    assert said.code == 0 and "No fleet was measured yet" in said.out, said


def test_damaged_state_is_named(fleet: Fleet):
    folder = fleet.home / "state/ciphermeter/fleet"
    folder.mkdir(parents=True)
    (folder / "state.json").write_text('{"scenarios": []}')
    fleet.refuses("status", says=["state.json is damaged", "remove it; runs stay in the store"])
