"""What pandas, polars and Parquet get: the same values, typed, null where absent."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas
import polars
import pyarrow.parquet
import pytest
from conftest import EXAMPLE

import ciphermeter

TABLES = ("runs", "host", "cells", "samples", "calls", "memory")


@pytest.fixture(scope="module")
def exports(program, goldens, tmp_path_factory):
    """Runs of every kind, so that every column has values somewhere."""
    folder = tmp_path_factory.mktemp("exports")
    files = []
    for name, (store, run) in goldens.items():
        files.append(folder / f"{name}.json")
        files[-1].write_text(program.export(store, run))
    return ciphermeter.load(*files)


@pytest.mark.parametrize("name", TABLES)
def test_libraries_and_parquet_hold_the_same(exports, tmp_path, name):
    table = getattr(exports, name)
    assert len(table) > 0
    table.write_parquet(tmp_path / "table.parquet")
    from_polars, from_pandas = table.to_polars(), table.to_pandas()
    assert from_polars.to_dicts() == table.rows()
    assert polars.read_parquet(tmp_path / "table.parquet").equals(from_polars)
    assert pyarrow.parquet.read_table(tmp_path / "table.parquet").to_pydict() == table.columns

    read = pandas.read_parquet(tmp_path / "table.parquet", dtype_backend="numpy_nullable")
    pandas.testing.assert_frame_equal(read.astype(from_pandas.dtypes), from_pandas)
    absent = from_pandas.astype(object).where(from_pandas.notna(), None)
    assert absent.to_dict("list") == table.columns


def test_integers_stay_integers_and_absent_is_null(tmp_path):
    cells = ciphermeter.load(EXAMPLE).cells
    assert set(cells.columns["cpus"]) == {None}
    cells.write_parquet(tmp_path / "cells.parquet")
    schema = pyarrow.parquet.read_schema(tmp_path / "cells.parquet")
    types = [str(schema.field(name).type) for name in ("cpus", "message_bytes", "median_ns", "converged", "why")]
    assert types == ["int64", "int64", "double", "bool", "string"]
    frame = cells.to_pandas()
    assert [str(frame[name].dtype) for name in ("cpus", "message_bytes", "median_ns", "converged", "why")] == [
        *("Int64", "Int64", "float64", "boolean", "string")
    ]
    assert cells.to_polars().schema["cpus"] == polars.Int64


def test_table_without_rows_keeps_its_types(tmp_path):
    empty = ciphermeter.load(EXAMPLE).memory
    assert len(empty) == 0
    empty.write_parquet(tmp_path / "empty.parquet")
    assert polars.read_parquet(tmp_path / "empty.parquet").schema == empty.to_polars().schema
    assert list(empty.to_pandas().columns) == list(empty.columns)


def test_parquet_replaces_a_file_only_once_complete(tmp_path, monkeypatch):
    target = tmp_path / "cells.parquet"
    target.write_bytes(b"before")
    cells = ciphermeter.load(EXAMPLE).cells

    def full(table, file):
        file.write(b"half")
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(pyarrow.parquet, "write_table", full)
        with pytest.raises(OSError, match="full"):
            cells.write_parquet(target)
    assert target.read_bytes() == b"before"
    assert [path.name for path in tmp_path.iterdir()] == ["cells.parquet"]
    cells.write_parquet(str(target))
    assert pyarrow.parquet.read_table(target).num_rows == len(cells)
    assert [path.name for path in tmp_path.iterdir()] == ["cells.parquet"]


@pytest.mark.parametrize(
    ("package", "call"), [("pandas", "to_pandas()"), ("polars", "to_polars()"), ("pyarrow", "write_parquet('x')")]
)
def test_missing_library_is_named_with_its_remedy(package, call, tmp_path):
    """This Python sees the package's own files alone, which also shows that loading needs nothing else."""
    place = str(EXAMPLE.parents[1] / "src")
    script = f"""
import sys
sys.path.insert(0, {place!r})
import ciphermeter
ciphermeter.load({str(EXAMPLE)!r}).cells.{call}
"""
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", script], cwd=tmp_path, capture_output=True, text=True
    )
    last = ended.stderr.splitlines()[-1]
    assert last == f"ModuleNotFoundError: this needs {package}, which is not installed: python -m pip install {package}"


def test_nothing_is_imported_before_it_is_asked_for(tmp_path):
    script = f"""
import sys, ciphermeter
ciphermeter.load({str(EXAMPLE)!r}).cells.rows()
print(sorted({{"pandas", "polars", "pyarrow", "numpy"}} & sys.modules.keys()))
"""
    assert subprocess.check_output([sys.executable, "-c", script], cwd=tmp_path, text=True) == "[]\n"


def test_installed_package_says_that_it_has_types():
    assert (Path(ciphermeter.__file__).parent / "py.typed").exists()


def test_readme_s_lines_run(tmp_path, monkeypatch):
    lines, _ = re.findall(r"```python\n(.*?)```", (EXAMPLE.parents[1] / "README.md").read_text("utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLE, "run.json")
    exec(lines, {})
    assert pyarrow.parquet.read_table("samples.parquet").num_rows > 0
