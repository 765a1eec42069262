"""A team's server as tables: a real one where it is built, and one that sends what a test says."""

from __future__ import annotations

import contextlib
import json
import os
import re
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from conftest import EXAMPLE, LIMIT, REPOSITORY, Program

import ciphermeter

RUN = {
    "digest": "ab" * 32,
    "machine": "web1",
    "started": "2026-11-30T10:00:00Z",
    "received": "2026-11-30T10:01:00Z",
    "scenario": "messages",
    "status": "complete",
    "version": "0.1.0",
    "cells": 12,
    "measured_on": "Example EPYC 9",
    "question": "Which cipher?",
    "answered": True,
    "answer": "Use AES-256-GCM.",
    "choice": {
        "ciphers": ["aes-256-gcm", "chacha20-poly1305"],
        "recommended": "aes-256-gcm",
        "message": 16384,
        "conditions": "seal, 16 KiB message",
        "gb_per_s": [9.0, 2],
        "libraries": ["openssl", "aws-lc"],
    },
    "bytes": 1000,
}
MACHINES = {
    "sentences": ["Use AES-256-GCM.", "ChaCha20-Poly1305 is faster on db1."],
    "machines": [RUN],
    "since": {"web1": "2026-11-01T10:00:00Z"},
    "stale": [],
}
MOMENT = {
    "run": "ab" * 32,
    "machine": "web1",
    "started": "2026-11-30T10:00:00Z",
    "version": "3.5.0",
    "ns": 1800.5,
    "reference": "ceiling memcpy",
    "ratio": [9.0, 8.9, 9.1],
}


class Stub:
    """Sends these bodies with these codes, and remembers what it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, bytes]] = {}
        self.asked: list[tuple[str, str]] = []
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stub.asked.append((self.path, self.headers.get("Authorization", "")))
                code, body = stub.answers.get(self.path, (404, b'{"error": "there is no such page"}'))
                self.send_response(code)
                if code == 302:
                    self.send_header("Location", body.decode())
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def sends(self, path: str, document: object, code: int = 200) -> None:
        self.answers[path] = (code, document if isinstance(document, bytes) else json.dumps(document).encode())

    def encrypt(self, certificate: Path, private_key: Path) -> str:
        """Speaks TLS from now on; its address."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, private_key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        return self.url.replace("http:", "https:")

    @contextlib.contextmanager
    def running(self) -> Iterator[Stub]:
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub().running() as stub:
        yield stub


def test_machines_and_runs_have_their_answers_and_rates(stub):
    stub.sends("/api/machines", MACHINES)
    stub.sends("/api/runs?machine=web1", [{**RUN, "choice": None}])
    team = ciphermeter.Team(stub.url)
    (row,) = team.machines().rows()
    assert (row["machine"], row["recommended"]) == ("web1", "aes-256-gcm")
    assert [row[name] for name in ("message_bytes", "aes_gb_per_s", "chacha20_gb_per_s")] == [16384, 9.0, 2.0]
    assert (row["aes_library"], row["chacha20_library"]) == ("openssl", "aws-lc")
    assert (row["since"], row["stale"]) == ("2026-11-01T10:00:00Z", False)
    assert team.answer() == "Use AES-256-GCM. ChaCha20-Poly1305 is faster on db1."
    frame = team.runs("web1").to_pandas()
    assert list(frame["answer"]) == ["Use AES-256-GCM."] and frame["aes_gb_per_s"].isna().all()


def test_cell_over_time_has_its_intervals(stub):
    cell = "openssl aes-256-gcm seal into aad 0 message 16384"
    stub.sends("/api/cells?cell=" + cell.replace(" ", "+"), [MOMENT, {**MOMENT, "ratio": None}])
    frame = ciphermeter.Team(stub.url).cells(cell).to_pandas()
    assert list(frame["median_ns"]) == [1800.5, 1800.5]
    assert frame.loc[0, ["ratio_mid", "ratio_low", "ratio_high"]].tolist() == [9.0, 8.9, 9.1]
    assert frame["ratio_mid"].isna().tolist() == [False, True]


def test_movements_and_notes_are_tables(stub):
    moved = {"machine": "web1", "scenario": "messages", "run": "ab" * 32, "started": "2026-11-30T10:00:00Z"}
    moved |= {"before": "cd" * 32, "cell": "openssl x", "reference": "ceiling memcpy", "change": [1.05, 1.04, 1.06]}
    moved |= {"errors": 21.5, "runs": 3, "cause": "library", "reason": "3.0.17 → 3.0.20"}
    stub.sends("/api/movements?machine=web1", [moved])
    note = {"id": "0", "machine": "web1", "moment": "2026-11-30T10:00:00Z", "kind": "remark"}
    stub.sends("/api/notes", [{**note, "author": "ci", "written": "2026-11-30T11:00:00Z", "words": "new fan"}])
    team = ciphermeter.Team(stub.url)
    frame = team.movements("web1").to_pandas()
    assert frame.loc[0, ["change", "change_low", "change_high"]].tolist() == [1.05, 1.04, 1.06]
    assert frame.loc[0, ["standard_errors", "runs", "cause"]].tolist() == [21.5, 3, "library"]
    (row,) = team.notes().rows()
    assert (row["kind"], row["words"]) == ("remark", "new fan")


def test_pages_follow_each_other(stub):
    first = [{**RUN, "digest": f"{k:064x}", "started": f"2026-11-30T{k:06}"} for k in range(1000)]
    stub.sends("/api/runs", first)
    stub.sends(f"/api/runs?before=2026-11-30T000999&after={999:064x}", [RUN])
    assert len(ciphermeter.Team(stub.url).runs()) == 1001


def test_token_goes_to_the_server_alone(stub, monkeypatch):
    stub.sends("/api/machines", MACHINES)
    monkeypatch.setenv("CIPHERMETER_TOKEN", "ciphermeter_x")
    ciphermeter.Team(stub.url).machines()
    assert stub.asked == [("/api/machines", "Bearer ciphermeter_x")]
    with Stub().running() as other:
        stub.sends("/api/machines", f"{other.url}/api/machines".encode(), 302)
        with pytest.raises(ciphermeter.ExportError, match="refuses: 302"):
            ciphermeter.Team(stub.url).machines()
        assert other.asked == []
    with pytest.raises(ciphermeter.ExportError, match="this is no token"):
        ciphermeter.Team(stub.url, token="ciphermeter_…")
    with pytest.raises(ciphermeter.ExportError, match="over HTTPS alone"):
        ciphermeter.Team("http://team.example")


def test_only_the_named_certificate_is_trusted(stub, tmp_path):
    stub.sends("/api/machines", MACHINES)
    for name in ("own", "other"):
        words = [
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "9",
            "-subj",
            "/CN=x",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
        ]
        files = ["-keyout", tmp_path / f"{name}.key", "-out", tmp_path / f"{name}.pem"]
        subprocess.run(["openssl", "req", "-x509", *words, *files], check=True, capture_output=True)
    url = stub.encrypt(tmp_path / "own.pem", tmp_path / "own.key")
    assert len(ciphermeter.Team(url, certificate=tmp_path / "own.pem").machines()) == 1
    for certificate in (None, tmp_path / "other.pem"):
        with pytest.raises(ciphermeter.ExportError, match="see that the server runs, and its certificate"):
            ciphermeter.Team(url, certificate=certificate).machines()
    with pytest.raises(ciphermeter.ExportError, match=r"cannot use the certificate .*; name a file of PEM"):
        ciphermeter.Team(url, certificate=tmp_path / "none.pem")


@pytest.mark.parametrize(
    "url", ["team.example", "ftp://team.example", "https://", "https://a/b", "https://me@a", "https://a?x"]
)
def test_address_of_no_server_is_refused(url):
    with pytest.raises(ciphermeter.ExportError, match="is no server: write https://HOST:PORT"):
        ciphermeter.Team(url)


@pytest.mark.parametrize(
    ("document", "code", "says"),
    [
        ({}, 401, "it wants a token: set CIPHERMETER_TOKEN"),
        ({"error": "no\x1b[31m"}, 403, r"403, no\\x1b\[31m"),
        (b"<html>", 500, "refuses: 500"),
        (b"<html>", 200, "is no JSON: see that a ciphermeter server is there"),
        (b"[" * 100_000, 200, "is no JSON"),
        (b'{"sentences": [], "machines": [NaN]}', 200, "is no JSON"),
        (
            {**MACHINES, "machines": 7},
            200,
            "machines is no array: see that the server and this package have the same version",
        ),
        ({**MACHINES, "machines": [{}]}, 200, r"machines\[0\].digest is missing: see that the server"),
        ({**MACHINES, "machines": [{**RUN, "cells": -1}]}, 200, "cells is -1"),
        ({**MACHINES, "since": []}, 200, "since is no object: see that the server"),
        (
            {**MACHINES, "machines": [{**RUN, "choice": {**RUN["choice"], "gb_per_s": [1]}}]},
            200,
            "has 1 entries in gb_per_s, not 2",
        ),
    ],
)
def test_other_answer_is_one_line_with_the_remedy(stub, document: Any, code: int, says: str):
    stub.sends("/api/machines", document, code)
    with pytest.raises(ciphermeter.ExportError, match=says) as raised:
        ciphermeter.Team(stub.url).machines()
    assert len(str(raised.value).splitlines()) == 1


def test_server_that_is_away_is_named():
    with pytest.raises(
        ciphermeter.ExportError, match=r"cannot ask http://127\.0\.0\.1:1: .*refused; see that the server runs"
    ):
        ciphermeter.Team("http://127.0.0.1:1").machines()


def test_answer_without_an_end_is_cut(stub, monkeypatch):
    stub.sends("/api/machines", b" " * 5000)
    monkeypatch.setattr(ciphermeter, "MOST_BYTES", 1000)
    with pytest.raises(ciphermeter.ExportError, match="has more than 1000 bytes"):
        ciphermeter.Team(stub.url).machines()


def test_readme_s_lines_run(stub):
    stub.sends("/api/machines", MACHINES)
    stub.sends("/api/runs?machine=web1", [RUN])
    stub.sends("/api/cells?cell=openssl+aes-256-gcm+seal+in-place+aad+0+message+16KiB&machine=web1", [MOMENT])
    stub.sends("/api/movements?machine=web1", [])
    stub.sends("/api/runs/3f8a2b71/export", EXAMPLE.read_bytes())
    _, lines = re.findall(r"```python\n(.*?)```", (REPOSITORY / "python/README.md").read_text("utf-8"), re.DOTALL)
    exec(lines.replace("https://team.example", stub.url).replace("…", "x"), {"ciphermeter": ciphermeter})
    assert len(stub.asked) == 5


def serve_program() -> Path:
    built = REPOSITORY / "target" / "serve" / "release" / "ciphermeter-serve"
    named = Path(os.environ.get("CIPHERMETER_SERVE", built))
    if not named.exists():
        pytest.skip(f"there is no {named.name}; build it with make serve")
    return named


def test_real_server_gives_the_runs_of_a_store(program: Program, goldens, tmp_path):
    """What a server makes of two pushed runs, and the runs themselves."""
    serve = serve_program()
    home = Program(tmp_path)
    environment = {**home.environment, "CIPHERMETER_DATABASE": f"sqlite:{tmp_path}/team.db"}
    environment["PATH"] = f"{Path(program.path).parent}:{os.environ['PATH']}"
    command = [serve, "serve", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            url = next(word for line in server.stdout for word in line.split() if word.startswith("http://"))
            store, number = goldens["runs 1"]
            push = [serve, "push", str(number), "--to", url, "--store", str(store), "--machine", "web1"]
            said = subprocess.run(push, env=environment, capture_output=True, text=True, timeout=LIMIT)
            assert said.returncode == 0, said
            team = ciphermeter.Team(url, token="")
            (machine,) = team.machines().rows()
            assert (machine["machine"], machine["recommended"]) == ("web1", "aes-256-gcm")
            assert (
                team.runs().rows() == [{name: machine[name] for name in team.runs().columns}]
                and "AES-256-GCM" in team.answer()
            )
            export = team.load(machine["run"][:8])
            (run,) = export.runs.rows()
            assert (run["started"], len(export.cells)) == (machine["started"], machine["cells"])
            first = export.cells.rows()[0]
            words = [first[name] for name in ("provider", "algorithm", "operation", "form")]
            assert (first["aad_bytes"], first["message_bytes"]) == (0, 1024)
            cell = " ".join([*map(str, words), "aad 0 message 1KiB"])
            (moment,) = team.cells(cell).rows()
            assert moment["run"] == machine["run"] and moment["median_ns"] == export.cells.columns["median_ns"][0]
        finally:
            server.terminate()
