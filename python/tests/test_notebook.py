"""The example notebook is executed, as its reader would, and draws its figures."""

from __future__ import annotations

import base64
import io
import json
import tempfile

import matplotlib.image
import nbformat
import pandas
import pytest
from conftest import EXAMPLE, LIMIT
from nbclient import NotebookClient

import ciphermeter

NOTEBOOK = EXAMPLE.parent / "throughput.ipynb"
FIGURES = 3


@pytest.fixture
def executed(tmp_path, monkeypatch):
    """Executes the notebook beside a run. Its kernel listens on no network: its sockets are files."""
    for name in ("HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))

    def execute(text):
        (tmp_path / "run.json").write_text(text, encoding="utf-8")
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        resources = {"metadata": {"path": str(tmp_path)}}
        client = NotebookClient(notebook, timeout=LIMIT, kernel_name="python3", resources=resources)
        with tempfile.TemporaryDirectory() as sockets:  # whose names have to be short
            manager = client.create_kernel_manager()
            manager.transport, manager.ip = "ipc", f"{sockets}/kernel"
            client.execute()
        return notebook

    return execute


def figures(notebook):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert [output for output in outputs if output.output_type in ("error", "stream")] == []
    return [base64.b64decode(output.data["image/png"]) for output in outputs if "image/png" in output.get("data", {})]


def colors(figure):
    """How many different colors of some weight it has: text and axes alone have few."""
    pixels = matplotlib.image.imread(io.BytesIO(figure), format="png")
    return len({tuple(pixel) for pixel in (pixels[::2, ::2, :3].reshape(-1, 3) * 15).round().tolist()})


def test_notebook_draws_the_example(executed, tmp_path):
    drawn = figures(executed(EXAMPLE.read_text(encoding="utf-8")))
    assert len(drawn) == FIGURES
    assert all(colors(figure) > 20 for figure in drawn)
    export = ciphermeter.load(EXAMPLE)
    for name, table in (("cells", export.cells), ("samples", export.samples)):
        assert len(pandas.read_parquet(tmp_path / f"{name}.parquet")) == len(table) > 0


def test_notebook_draws_a_run_measured_now(executed, program, measured):
    # A busy machine has no six forks in that time, and the notebook says so in place of the ratios' figure.
    assert len(figures(executed(program.export(measured, 1)))) in (FIGURES - 1, FIGURES)


def test_notebook_draws_a_short_run_of_another_form(executed):
    """As `ciphermeter study run` measures Python: into new memory, and on a busy machine with few forks."""
    text = EXAMPLE.read_text(encoding="utf-8").replace('"in-place"', '"fresh"')
    document = json.loads(text)
    for record in document["records"]:
        if record["summary"]:
            record["summary"]["forks"] = 2
    assert len(figures(executed(json.dumps(document)))) == FIGURES - 1


def test_notebook_is_kept_without_outputs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None
