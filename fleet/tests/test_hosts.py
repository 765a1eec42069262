"""The file of hosts."""

from __future__ import annotations

from pathlib import Path

from ciphermeter_fleet import hosts
from ciphermeter_fleet.hosts import Host


def test_host_has_the_name_behind_it_or_its_own(tmp_path: Path):
    file = tmp_path / "hosts"
    file.write_text(
        "# all\nweb1\n  admin@10.0.0.7  db1 # a comment\n\nssh://me@[fd00::1]:2222 far\nme@10.0.0.8\nroot@[::1]\n"
    )
    assert hosts.read(file) == [
        Host("web1", "web1"),
        Host("admin@10.0.0.7", "db1"),
        Host("ssh://me@[fd00::1]:2222", "far"),
        Host("me@10.0.0.8", "10.0.0.8"),
        Host("root@[::1]", "::1"),
    ]
