"""The sshd that other tests use."""

from __future__ import annotations

import subprocess


def test_ssh_reaches_the_other_end(network, sshd):
    done = sshd.ssh(network.here, "ip", "-brief", "address", "show", "link0")
    assert (done.returncode, done.stderr) == (0, "")
    assert network.there.ipv4 in done.stdout
    assert sshd.ssh(network.here, "exit 7").returncode == 7


def test_a_program_that_starts_ssh_reaches_it_by_its_environment(network, sshd):
    command = [*network.here.inside, "sh", "-c", "ssh far true"]
    done = subprocess.run(command, env=sshd.environment, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
