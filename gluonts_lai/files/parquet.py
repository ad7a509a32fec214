"""
Parquet files, as pandas and others write them.

Of a value that is repeated, Parquet keeps one: a few bytes may stand for
billions of cells. How many there are is known before any of them is read.
"""

from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pandas as pd

from gluonts_lai.limits import most_unpacked, raised_by

from .sheet import Sheet, check_columns, listed

CELL = 8  # bytes in memory, at least
LONGEST = 100_000  # bytes of a text in a cell, about as in CSV


def read_parquet(path: Path) -> Sheet:
    """The table of a file; what was its index is a column of it."""
    if find_spec("pyarrow") is None:
        raise ImportError(
            f"pyarrow must be installed to read {path}; "
            "pip install 'gluonts-lai[parquet]'."
        )
    from pyarrow import parquet

    def look() -> tuple[Any, Any]:
        with parquet.ParquetFile(path) as file:
            return file.schema_arrow, file.metadata

    schema, metadata = readable(path, look)
    check_schema(path, schema)
    check_size(path, metadata)
    table = readable(path, lambda: table_of(path, schema))
    check_texts(path, table)
    frame = readable(path, lambda: frame_of(table))
    check_names(path, list(frame.columns))
    return Sheet(path, frame, np.arange(len(frame)) + 1, "row", [])


def readable(path: Path, read: Callable[[], Any]) -> Any:
    """What is read from a file; or say that it cannot be."""
    try:
        return read()
    except Exception as error:  # Arrow and pandas have many
        raise ValueError(
            f"{path} must be a whole Parquet file, got one that cannot be "
            f"read ({type(error).__name__}); write it again."
        ) from error


def table_of(path: Path, schema: Any) -> Any:
    """The cells of a file; a text that is repeated stays one text."""
    from pyarrow import parquet

    texts = [field.name for field in schema if is_text(field.type)]
    return parquet.read_table(path, read_dictionary=texts)


def frame_of(table: Any) -> pd.DataFrame:
    """The cells of a table, as the readers of text have them."""
    frame = table.to_pandas()
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    frame.columns = [str(name) for name in frame.columns]
    for name in frame.columns[frame.dtypes == "category"]:
        frame[name] = frame[name].astype(object)
    return frame


def is_text(kind: Any) -> bool:
    from pyarrow import types

    return types.is_string(kind) or types.is_large_string(kind)


def check_schema(path: Path, schema: Any) -> None:
    """Columns of plain values, each with a name of its own."""
    from pyarrow import types

    check_columns(path, len(schema))
    check_names(path, schema.names)
    for field in schema:
        if types.is_nested(field.type):
            raise ValueError(
                f"columns of {path} must hold a value in each row, got "
                f"{str(field.type)[:60]!r} in {field.name!r:.60}; leave it "
                "out of the file."
            )


def check_names(path: Path, names: list[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ValueError(
            f"{path} must give each column a name of its own, got "
            f"{listed(twice)} more than once; rename one of them."
        )


def check_size(path: Path, metadata: Any) -> None:
    """Cells are not so many more than bytes that it must be a trap."""
    size = path.stat().st_size
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    num_bytes = max(
        metadata.num_rows * metadata.num_columns * CELL,
        sum(group.total_byte_size for group in groups),
    )
    if num_bytes > most_unpacked(size):
        raise ValueError(
            f"{path} must not unpack to more than {most_unpacked(size):,} "
            f"bytes, got {metadata.num_rows:,} rows in {size:,} bytes; if you "
            f"trust it, {raised_by('UNPACKED_RATIO')}."
        )


def check_texts(path: Path, table: Any) -> None:
    """Texts are names, or times: not books, which rows would repeat."""
    from pyarrow import compute, types

    for field, column in zip(table.schema, table.columns):
        if not types.is_dictionary(field.type):
            continue
        if not is_text(field.type.value_type):
            continue
        for chunk in column.chunks:
            length = compute.max(compute.binary_length(chunk.dictionary))
            if (length.as_py() or 0) > LONGEST:
                raise ValueError(
                    f"texts in column {field.name!r:.60} of {path} must be no "
                    f"longer than {LONGEST:,} bytes, got {length.as_py():,}; "
                    "leave it out of the file."
                )
