"""What the tests share: a host that is asked in Python's words, whose files lie in the test's own folder."""

from __future__ import annotations

import json
import tempfile

import pytest

from host import Host

MIB = 2**20


class Asked:
    def __init__(self) -> None:
        self.host = Host()

    def __call__(self, kind: str, **request: object) -> dict:
        """Sends one request and wants an answer of one kind."""
        answer = json.loads(self.host.answer(json.dumps(request).encode()))
        assert answer["is"] == kind, f"{request} answered {answer}"
        return answer

    def prepare(self, message: int, algorithm: str = "aes-256-gcm", form: str = "discard", **more: object) -> dict:
        """Prepares cell 1 and returns the request."""
        about = {"provider": "study", "algorithm": algorithm, "operation": "transfer", "form": form}
        request = {"do": "prepare", "cell": 1, **about, "message": message, "threads": 1, "seed": 42, **more}
        self("ready", **request)
        return request

    def sample(self, kind: str = "sample", **more: int) -> dict:
        return self(kind, do="sample", cell=1, **{"iterations": 1, **more})

    def digest(self, **request: int) -> str:
        return self("digest", do="digest", cell=1, **request)["sha256"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where cells put their folders."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def ask(folder):
    asked = Asked()
    yield asked
    asked.host.close()
    assert list(folder.iterdir()) == []
