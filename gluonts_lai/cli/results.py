"""
Results for machines: a table, piece by piece, to a file or to standard output.

    .csv      one line a row, empty where nothing is known
    .json     one list of objects, null where nothing is known
    .jsonl    one object a line
    .parquet  as pandas reads it

Standard output is CSV, or JSON if it is asked for. A file appears whole or not
at all.
"""

import json
import math
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Callable, Iterator, Optional

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

Put = Callable[["pd.DataFrame"], None]

KINDS = (".csv", ".json", ".jsonl", ".parquet")


def check_results(out: Optional[Path]) -> None:
    """Refuse what cannot be written, before any work is done."""
    if out is None:
        return
    if out.suffix not in KINDS:
        raise ValueError(
            f"--out must end in one of {', '.join(KINDS)}, got {out}; the "
            "ending says what is written."
        )
    from gluonts_lai.files import check_writable

    check_writable(out)
    if out.suffix == ".parquet":
        parquet()


@contextmanager
def results(out: Optional[Path], as_json: bool = False) -> Iterator[Put]:
    """
    Where to put pieces of a table that have the same columns.

    Parameters
    ----------
    out
        A file; None for standard output.
    as_json
        Whether standard output is one JSON document.
    """
    if out is None:
        with (document if as_json else rows_of_csv)(sys.stdout) as put:
            yield put
        sys.stdout.flush()
        return
    from gluonts_lai.files import whole_file

    with whole_file(out) as path:
        if out.suffix == ".parquet":
            with row_groups(path) as put:
                yield put
            return
        write = {".csv": rows_of_csv, ".json": document, ".jsonl": lines}
        with open(path, "w", encoding="utf-8", newline="") as file:
            with write[out.suffix](file) as put:
                yield put


@contextmanager
def rows_of_csv(file: IO[str]) -> Iterator[Put]:
    is_first = True

    def put(frame: "pd.DataFrame") -> None:
        nonlocal is_first
        flags = frame.select_dtypes(bool)
        frame = frame.assign(**flags.astype(int))
        frame.to_csv(file, header=is_first, index=False, lineterminator="\n")
        is_first = False

    yield put


@contextmanager
def document(file: IO[str]) -> Iterator[Put]:
    before = "["

    def put(frame: "pd.DataFrame") -> None:
        nonlocal before
        for record in records(frame):
            file.write(f"{before}{record}")
            before = ",\n"

    yield put
    file.write("[]\n" if before == "[" else "]\n")


@contextmanager
def lines(file: IO[str]) -> Iterator[Put]:
    def put(frame: "pd.DataFrame") -> None:
        file.writelines(f"{record}\n" for record in records(frame))

    yield put


@contextmanager
def row_groups(path: Path) -> Iterator[Put]:
    arrow, writer = parquet(), None

    def put(frame: "pd.DataFrame") -> None:
        nonlocal writer
        table = arrow.Table.from_pandas(frame, preserve_index=False)
        if writer is None:
            writer = arrow.parquet.ParquetWriter(path, table.schema)
        writer.write_table(table.cast(writer.schema))

    try:
        yield put
    finally:
        if writer is not None:
            writer.close()


def records(frame: "pd.DataFrame") -> Iterator[str]:
    """Each row as a JSON object."""
    names = list(frame)
    singles = frame.select_dtypes(np.float32)
    frame = frame.assign(**{name: decimal(singles[name]) for name in singles})
    for row in frame.astype(object).itertuples(index=False):
        yield dump(dict(zip(names, row)))


def decimal(singles: Any) -> Any:
    """Doubles with the digits of single precision: 20.04, not 20.0400009."""
    return singles.astype(str).astype(float)


def dump(record: dict) -> str:
    """JSON, which knows neither NaN nor infinity."""
    return json.dumps({k: known(v) for k, v in record.items()})


def known(value: Any) -> Any:
    """A number as JSON knows it, None where there is none."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [known(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def parquet() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            "a Parquet file needs pyarrow; install it with "
            "pip install 'gluonts-lai[parquet]', or write to .csv."
        ) from error
    return pyarrow
