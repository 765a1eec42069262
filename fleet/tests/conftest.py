"""What the tests share: this user's folders replaced by the test's own, the program, and planted exports."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet import BINARY, Fleet
from planted import Plants

pytest_plugins = ["hangs"]


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    with Fleet(tmp_path).running() as fleet:
        yield fleet


@pytest.fixture(scope="session")
def plants(tmp_path_factory: pytest.TempPathFactory) -> Plants:
    """Exports that stand-ins for the binary give, made of a stored run that compares AES and ChaCha20."""
    folder = tmp_path_factory.mktemp("plants")
    store = folder / "runs.db"
    golden = Path(__file__).resolve().parents[2] / "crates/cli/tests/goldens/runs.db"
    store.write_bytes(golden.read_bytes())
    command = [BINARY, "export", "1", "--store", store, "--format", "json"]
    return Plants(folder, subprocess.run(command, check=True, capture_output=True).stdout)


@pytest.fixture
def root() -> None:
    """Asked for by tests that make namespaces."""
    if os.geteuid() != 0:
        pytest.skip("namespaces need root")
    if (
        subprocess.run(["unshare", "--mount", "--net", "--uts", "true"], capture_output=True, check=False).returncode
        != 0
    ):
        pytest.skip("this machine has no namespaces")
