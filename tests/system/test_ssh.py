"""Transfers whose other end a real ssh starts at the other end of a link."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

from sshd import PORT, Sshd
from transfer import is_recorded, waits

LIMIT = 60  # seconds
SIZE = 8 << 20


class Far:
    """The other machine, as `far` for this one: one file system, two networks."""

    def __init__(self, ours, network, sshd) -> None:
        self.ours, self.network, self.sshd = ours, network, sshd
        self.folder = ours.folder("there")
        # What sshd starts has root's home, whose cache is this test's own.
        variables = ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"]
        own = [f"{name}={ours.folder(f'there-{name.lower()}')}" for name in variables]
        self.program = shlex.join(["env", *own, os.environ["CIPHERMETER"]])
        self.ssh = f"ssh -F {shlex.quote(str(sshd.config))}"

    def send(self, *arguments: object) -> subprocess.Popen:
        return self.start("send", *arguments)

    def fetch(self, *arguments: object) -> subprocess.Popen:
        return self.start("recv", "--into", self.ours.home / "here", *arguments)

    def start(self, command: str, *arguments: object) -> subprocess.Popen:
        options = ["--ssh", self.ssh, "--remote-program", self.program]
        return self.ours.start(command, *options, *arguments, prefix=self.network.here.inside)

    def remote_ends(self) -> list[int]:
        """The processes of this test that were started through ssh."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                environment = (process / "environ").read_bytes()
            except OSError:
                continue
            if (
                b"--started-by-ssh" in words
                and words[0].endswith(b"ciphermeter")
                and bytes(self.folder.parent) in environment
            ):
                found.append(int(process.name))
        return found


@pytest.fixture
def far(ours, network, sshd) -> Far:
    return Far(ours, network, sshd)


def ended(process: subprocess.Popen, code: int = 0) -> tuple[str, str]:
    out, err = (text.decode() for text in process.communicate(timeout=LIMIT))
    assert process.returncode == code, (process.returncode, out, err)
    return out, err


def counted(end, device: str, direction: str) -> int:
    command = [*end.inside, "cat", f"/sys/class/net/{device}/statistics/{direction}_bytes"]
    return int(subprocess.run(command, capture_output=True, check=True).stdout)


def half_way(far: Far, *more: object, patience: str = "5s") -> subprocess.Popen:
    sender = far.send("--quiet", "--limit", "1MiB", "--patience", patience, *more, "big", f"far:{far.folder}/in")
    is_recorded(sender, far.folder / "in")
    return sender


def test_folder_arrives_and_the_data_does_not_go_through_ssh(far):
    tree, content = far.ours.folder("photos"), os.urandom(SIZE)
    (tree / "it's $(here)").write_bytes(content)
    (tree / ".hidden").write_text("text")
    # What ssh's program reads and writes is little: the data took another way.
    log = far.ours.home / "ssh.log"
    far.ssh = f"{far.ssh} -v -E {shlex.quote(str(log))}"
    out, err = ended(far.send("photos", f"far:{far.folder}/it's $(in)"))
    into = far.folder / "it's $(in)/photos"
    assert (into / "it's $(here)").read_bytes() == content
    assert (into / ".hidden").read_text() == "text"
    assert (out.count("sent 2 files"), err) == (1, "")
    carries_little(log)
    assert counted(far.network.here, "link0", "tx") > SIZE
    assert not far.remote_ends()


def carries_little(log: Path) -> None:
    transferred = next(line for line in log.read_text().splitlines() if line.startswith("Transferred: sent"))
    sent, received = (int(word.rstrip(",")) for word in transferred.split() if word.rstrip(",").isdigit())
    assert sent < 20_000 and received < 20_000, transferred


def test_folder_is_fetched_and_the_data_does_not_go_through_ssh(far):
    (tree := far.folder / "it's $(there)").mkdir()
    content = os.urandom(SIZE)
    (tree / "big").write_bytes(content)
    (tree / ".hidden").write_text("text")
    here, log = far.ours.folder("here"), far.ours.home / "ssh.log"
    far.ssh = f"{far.ssh} -v -E {shlex.quote(str(log))}"
    out, err = ended(far.fetch("--quiet", f"far:{tree}"))
    assert (here / tree.name / "big").read_bytes() == content
    assert (here / tree.name / ".hidden").read_text() == "text"
    assert (out.count("received 2 files"), err) == (1, "")
    carries_little(log)
    assert counted(far.network.here, "link0", "rx") > SIZE
    assert not far.remote_ends()


def test_receiver_listens_where_ssh_reached_it_and_on_that_port(far):
    (far.ours.home / "big").write_bytes(os.urandom(SIZE))
    sender = half_way(far, "--port", 4100)
    listing = subprocess.run([*far.network.there.inside, "cat", "/proc/net/tcp"], capture_output=True, text=True).stdout
    listening = [line.split()[1] for line in listing.splitlines() if line.split()[3] == "0A"]
    address = bytes(reversed([int(part) for part in far.network.there.ipv4.split(".")])).hex().upper()
    assert f"{address}:{4100:04X}" in listening, listening
    assert [place for place in listening if place.endswith(f":{4100:04X}")] == [f"{address}:{4100:04X}"]
    ended(sender)


@pytest.mark.parametrize("kind", ["ipv6", "link_local"])
def test_addresses_of_ipv6(ours, network, kind):
    network.connect("--delay", "0.005s")
    address, content = getattr(network.there, kind), os.urandom(1 << 20)
    (ours.home / "a").write_bytes(content)
    with Sshd(ours.folder("sshd"), network.there, f"ListenAddress [{address}]:{PORT}\n").running() as sshd:
        far = Far(ours, network, sshd)
        alias = shlex.quote(f"HostKeyAlias=[{network.there.ipv4}]:{PORT}")
        port_user = f"-p {PORT} -o {alias} -o User=root -i {shlex.quote(str(sshd.home / 'user'))}"
        far.ssh = f"{far.ssh} {port_user} -o UserKnownHostsFile={shlex.quote(str(sshd.home / 'known_hosts'))}"
        _, err = ended(far.send("a", f"root@[{address}]:{far.folder}/in"))
        assert err == "" and (far.folder / "in/a").read_bytes() == content


def test_killed_sender_leaves_no_receiver_and_resumes(far):
    content = os.urandom(SIZE)
    (far.ours.home / "big").write_bytes(content)
    sender = half_way(far)
    (receiver,) = far.remote_ends()
    words = Path(f"/proc/{receiver}/cmdline").read_bytes().split(b"\0")
    assert words[1:] == [b"recv", b"--started-by-ssh", b""], "a list of processes shows neither folder nor ticket"
    sender.kill()
    sender.communicate()
    waits("the receiver ends", lambda: not far.remote_ends())
    out, err = ended(far.ours.start("send", "--quiet", "--resume", prefix=far.network.here.inside))
    assert (out.count("sent 1 file"), err) == (1, "")
    assert [path.name for path in (far.folder / "in").iterdir()] == ["big"]
    assert (far.folder / "in/big").read_bytes() == content
    assert not far.remote_ends()


def test_killed_receiver_leaves_no_sender_and_resumes(far):
    content, here = os.urandom(SIZE), far.ours.folder("here")
    (far.folder / "big").write_bytes(content)
    place = f"far:{far.folder}/big"
    receiver = far.fetch("--quiet", "--limit", "1MiB", "--patience", "5s", place)
    is_recorded(receiver, here)
    (sender,) = far.remote_ends()
    words = Path(f"/proc/{sender}/cmdline").read_bytes().split(b"\0")
    assert words[1:] == [b"send", b"--started-by-ssh", b""], "a list of processes shows neither path nor ticket"
    receiver.kill()
    receiver.communicate()
    waits("the sender ends", lambda: not far.remote_ends())
    out, err = ended(far.fetch("--quiet", "--json", "--resume", place))
    assert json.loads(out.splitlines()[0])["bytes"] < SIZE and err == "", out
    assert [path.name for path in here.iterdir()] == ["big"]
    assert (here / "big").read_bytes() == content
    assert not far.remote_ends()


def test_interrupted_sender_ends_the_receiver_at_once(far):
    (far.ours.home / "big").write_bytes(os.urandom(SIZE))
    sender = half_way(far, patience="600s")
    # A terminal sends it to all processes of the group, ssh among them.
    for process in [sender.pid, *children(sender.pid)]:
        os.kill(process, signal.SIGINT)
    _, err = ended(sender, 130)
    assert "`ciphermeter send --resume=" in err
    waits("the receiver ends", lambda: not far.remote_ends())


def children(process: int) -> list[int]:
    return [
        int(child)
        for task in Path(f"/proc/{process}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]


def test_cut_link_is_no_end(far):
    content = os.urandom(SIZE)
    (far.ours.home / "big").write_bytes(content)
    sender = half_way(far, patience="60s")
    far.network.cut()
    time.sleep(2)
    far.network.mend()
    ended(sender)
    assert (far.folder / "in/big").read_bytes() == content


def test_firewall_is_explained(far):
    (far.ours.home / "a").write_text("text")
    # Nothing but ssh gets in: its port is the only one that this route leads to.
    refuse = ["ip", "rule", "add", "ipproto", "tcp", "dport", "4100", "prohibit"]
    subprocess.run([*far.network.here.inside, *refuse], check=True)
    _, err = ended(far.send("--port", 4100, "a", f"far:{far.folder}/in"), 5)
    for words in ("ssh reaches far, but", f"tried {far.network.there.ipv4}:4100", "--port", "ProxyJump"):
        assert words in err
    assert not far.remote_ends() and not (far.folder / "in").exists()


def test_failures_say_what_to_do(far):
    (far.ours.home / "a").write_text("text")
    for change, words in (
        ({"program": "no-such-program"}, ["far: ", "no program no-such-program", "--remote-program"]),
        ({"ssh": f"{far.ssh} -p 1"}, ["far: ", "Connection refused", "ssh failed; its own message is above"]),
    ):
        wrong = Far.__new__(Far)
        wrong.__dict__ = far.__dict__ | change
        _, err = ended(wrong.send("a", f"far:{far.folder}"), 5)
        for word in words:
            assert word in err, err
    _, err = ended(far.send("a", f"far:{far.folder}/no/folder"), 5)
    assert 'far refuses: "cannot make the folder' in err and "create that one first" in err
