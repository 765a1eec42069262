"""A table that knows the type of each of its columns, and what makes one of pandas, polars or Parquet of it.

Those libraries are imported only where they are asked for.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    import pandas
    import polars

Name = Union[str, "os.PathLike[str]"]
Value = Union[int, float, str, bool, None]


class Table:
    """Columns of equal length, by name. Each is of `int`, `float`, `str` or `bool`, None where a value is absent."""

    def __init__(self, types: Mapping[str, type]) -> None:
        self.types: dict[str, type] = dict(types)
        self.columns: dict[str, list[Value]] = {name: [] for name in types}

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __repr__(self) -> str:
        return f"<{len(self)} rows of {', '.join(self.columns)}>"

    def rows(self) -> list[dict[str, Value]]:
        """A dictionary for each row."""
        return [dict(zip(self.columns, row)) for row in zip(*self.columns.values())]

    def to_pandas(self) -> pandas.DataFrame:
        """A frame of pandas. Integers, texts and truths have its types that can be null; an absent `float64` is NaN."""
        with _remedy("pandas"):
            import pandas
        types = {int: "Int64", float: "float64", str: "string", bool: "boolean"}
        return pandas.DataFrame(
            {name: pandas.Series(self.columns[name], dtype=types[kind]) for name, kind in self.types.items()}
        )

    def to_polars(self) -> polars.DataFrame:
        """A frame of polars."""
        with _remedy("polars"):
            import polars
        types = {int: polars.Int64, float: polars.Float64, str: polars.String, bool: polars.Boolean}
        return polars.DataFrame(self.columns, schema={name: types[kind] for name, kind in self.types.items()})

    def write_parquet(self, path: Name) -> None:
        """Writes a file of Parquet. It gets its name, and replaces a file of that name, only once it is complete."""
        with _remedy("pyarrow"):
            import pyarrow
            import pyarrow.parquet
        types = {int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string(), bool: pyarrow.bool_()}
        schema = pyarrow.schema([(name, types[kind]) for name, kind in self.types.items()])
        table = pyarrow.table(self.columns, schema=schema)
        target = Path(path)
        partial = target.with_name(f".ciphermeter-{secrets.token_hex(8)}")
        try:
            with open(partial, "xb") as file:
                pyarrow.parquet.write_table(table, file)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)

    def _extend(self, count: int, values: Mapping[str, Value | list[Value]]) -> None:
        """Adds rows. A list has a value for each, anything else stands in all; a column without values is null."""
        for name, column in self.columns.items():
            value = values.get(name)
            column.extend(value if isinstance(value, list) else [value] * count)

    def _add_column(self, name: str, kind: type) -> None:
        """Adds a column that is null in all rows so far."""
        self.columns[name] = [None] * len(self)
        self.types[name] = kind


@contextlib.contextmanager
def _remedy(package: str) -> Iterator[None]:
    """Says how to get a library that is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        message = f"this needs {package}, which is not installed: python -m pip install {package}"
        raise ModuleNotFoundError(message, name=package) from None
