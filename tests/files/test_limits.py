"""
A file that asks for too much ends in a sentence, and soon.
"""

import bz2
import gzip
import lzma
import time

import numpy as np
import pandas as pd
import pytest

from gluonts_lai.documents import depth_of, parse_json
from gluonts_lai.files import read_series
from gluonts_lai.limits import LIMITS, most

from .written import hours, read, write

ONE = "timestamp,value\n" + hours(4)
# What pandas would look through for minutes, and seconds that are soon.
ENDLESS, SOON = "1." * 49_000, 5
LINE = '{"start": "2024-01-01", "target": [1, 2, 3]%s}\n'


@pytest.mark.parametrize(
    "packed, ending",
    [(gzip.compress, "gz"), (bz2.compress, "bz2"), (lzma.compress, "xz")],
    ids=["gz", "bz2", "xz"],
)
@pytest.mark.parametrize("name", ["x.csv", "x.jsonl"])
def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch, packed, ending, name):
    monkeypatch.setenv("GLUONTS_LAI_MAX_UNPACKED_BYTES", "1000000")
    row = b"2024-01-01 00:00,1\n" if name == "x.csv" else b"{}\n"
    bomb = packed(row * (1_500_000 // len(row)))
    assert most("UNPACKED_RATIO") * len(bomb) < 1_500_000

    with pytest.raises(ValueError, match="must not unpack to more than 1,000"):
        read(tmp_path, bomb, f"{name}.{ending}", freq="h")


def test_a_large_bomb_is_not_unpacked(tmp_path):
    half = gzip.compress(b"time,value\n" * 6_000_000)

    with pytest.raises(ValueError, match="must not unpack to more than 100,0"):
        read(tmp_path, half + half, "x.csv.gz")


def test_what_is_well_packed_is_no_bomb(tmp_path, monkeypatch):
    packed = gzip.compress((ONE + "\n" * 100_000).encode())
    assert len(packed) * 100 < 100_000

    assert len(read(tmp_path, packed, "x.csv.gz").entries) == 1
    monkeypatch.setenv("GLUONTS_LAI_MAX_UNPACKED_BYTES", "50000")
    with pytest.raises(ValueError, match="raise GLUONTS_LAI_MAX_UNPACKED_RAT"):
        read(tmp_path, packed, "x.csv.gz")
    monkeypatch.setenv("GLUONTS_LAI_MAX_UNPACKED_RATIO", "1000")
    assert len(read(tmp_path, packed, "x.csv.gz").entries) == 1


@pytest.mark.parametrize("before", ["", ONE], ids=["first", "later"])
@pytest.mark.parametrize("cell", ["7", "7,"])
def test_a_line_without_end_is_refused(tmp_path, before, cell):
    content = before + cell * (11_000_000 // len(cell))

    with pytest.raises(ValueError, match="no longer than 10,000,000 bytes, g"):
        read(tmp_path, content)


def test_lines_may_end_as_they_did_on_old_computers(tmp_path, monkeypatch):
    monkeypatch.setenv("GLUONTS_LAI_MAX_LINE_BYTES", "40")

    assert len(read(tmp_path, ONE.replace("\n", "\r")).entries) == 1


def test_a_cell_that_is_too_long_is_refused(tmp_path):
    for content in ("x" * 200_000 + ",y\n1,2\n", ONE + '2025,"' + "7" * 10**6):
        with pytest.raises(ValueError, match="x.csv must|of .*x.csv must"):
            read(tmp_path, content, "x.csv")


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet"])
def test_a_text_that_is_too_long_for_a_time_is_refused(tmp_path, name):
    begin = time.perf_counter()
    with pytest.raises(ValueError, match="got '1.1.1.1"):
        if name == "x.parquet":
            pytest.importorskip("pyarrow")
            times = ["2024-01-01", "2024-01-02", ENDLESS]
            table = pd.DataFrame({"timestamp": times, "value": 1.0})
            table.to_parquet(tmp_path / name)
            read_series(tmp_path / name)
        elif name == "x.csv":
            read(tmp_path, ONE + f"{ENDLESS},7\n", name)
        else:
            line = LINE.replace("2024-01-01", ENDLESS) % ""
            read(tmp_path, line, name, freq="h")

    assert time.perf_counter() - begin < SOON


def test_a_long_name_of_a_column_is_no_usual_one(tmp_path):
    begin = time.perf_counter()

    read(tmp_path, ONE.replace("value", "(" * 100_000), "x.csv")

    assert time.perf_counter() - begin < SOON


def test_a_table_may_be_wide_and_not_without_end(tmp_path):
    def wide(num_columns):
        names = ",".join(f"sensor-{i}" for i in range(num_columns - 1))
        cells = ",1" * (num_columns - 1)
        return f"time,{names}\n2024-01-01{cells}\n2024-01-02{cells}\n"

    # The names alone are longer than the sample by which a file is known.
    assert len(wide(6_001).split("\n")[0]) > 2**16
    for num_columns in (10_001, 100_000):
        with pytest.raises(
            ValueError, match=f"at most 10,000 columns, got {num_columns:,};"
        ):
            read(tmp_path, wide(num_columns))


def test_names_may_be_longer_than_the_sample(tmp_path):
    names = [f"{'s' * 300}-{i}" for i in range(300)]
    header = ",".join(["time", *names])
    cells = ",1" * len(names)

    file = read(tmp_path, f"{header}\n2024-01-01{cells}\n2024-01-02{cells}\n")

    assert [e["item_id"] for e in file.entries] == names


@pytest.mark.parametrize("content", ["[" * 10**5, '{"a":' * 10**5])
def test_deep_json_is_refused(tmp_path, content):
    deep = LINE % (', "feat": ' + content)
    with pytest.raises(ValueError, match="deep, where 64 are allowed. in lin"):
        read(tmp_path, LINE % "" + deep, "x.jsonl", freq="h")


def test_deep_is_what_a_naive_count_says():
    rng = np.random.default_rng(0)
    for _ in range(300):
        text = "".join(rng.choice([*'[]{}"\\,:a '], size=30))
        assert depth_of(text.encode()) == naive_depth(text), text


def naive_depth(text):
    depth = deepest = 0
    is_text = is_escaped = False
    for letter in text:
        if is_text:
            is_text = is_escaped or letter != '"'
            is_escaped = letter == "\\" and not is_escaped
        elif letter == '"':
            is_text = True
        elif letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        deepest = max(deepest, depth)
    return deepest


def test_strings_that_do_not_end_cost_no_more_than_others():
    # A search that begins anew at each quote would take hours.
    for text in ('"' + '\\"' * 10**6, '"\\' * 10**6, '"' * 10**6):
        with pytest.raises(ValueError):
            parse_json(text)


def test_limits_are_whole_numbers(monkeypatch):
    for given in ("many", "-1", "1e6", "9" * 30):
        monkeypatch.setenv("GLUONTS_LAI_MAX_COLUMNS", given)
        with pytest.raises(
            ValueError, match="_COLUMNS must be a whole number"
        ):
            most("COLUMNS")
    monkeypatch.setenv("GLUONTS_LAI_MAX_COLUMNS", "")
    assert most("COLUMNS") == LIMITS["COLUMNS"]


# Parquet


def frame(num_rows=4, **columns):
    times = pd.date_range("2024-01-01", periods=num_rows, freq="h")
    return pd.DataFrame({"timestamp": times, "value": 1.5, **columns})


def test_rows_that_are_not_there_are_not_made(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    ones = pa.array(np.ones(1_000_000), pa.float64())
    table = pa.table({"timestamp": ones, "value": ones})
    path = tmp_path / "x.parquet"
    with parquet.ParquetWriter(path, table.schema) as writer:
        for _ in range(10):
            writer.write_table(table)

    with pytest.raises(
        ValueError, match="got 10,000,000 rows in .* bytes; if"
    ):
        read_series(path)


@pytest.mark.parametrize("length", [1_000, 10**6])
def test_a_long_text_that_is_repeated_stays_one(tmp_path, length):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    number = pa.array(np.repeat(np.arange(2, dtype=np.int32), 10_000))
    names = pa.DictionaryArray.from_arrays(number, ["a" * length, "b"])
    table = pa.Table.from_pandas(frame(20_000)).append_column("name", names)
    path = tmp_path / "x.parquet"
    parquet.write_table(
        table, path, store_schema=False, dictionary_pagesize_limit=10**7
    )
    assert parquet.read_schema(path).field("name").type == pa.string()

    if length == 1_000:
        names = [e["item_id"] for e in read_series(path).entries]
        assert names == ["a" * length, "b"]
        return
    # 10 GB, if each row had a text of its own.
    with pytest.raises(
        ValueError, match="no longer than 100,000 bytes, got 1"
    ):
        read_series(path)


@pytest.mark.parametrize(
    "cells, kind",
    [([[1.0], [2.0], [], None], "list"), ([{"a": 1}] * 4, "struct")],
    ids=["lists", "structs"],
)
def test_cells_hold_no_tables(tmp_path, cells, kind):
    pytest.importorskip("pyarrow")
    with pytest.raises(
        ValueError, match=f"must hold a value in each row, got '{kind}.* 'odd'"
    ):
        read(tmp_path, frame(odd=cells), "x.parquet")


def test_columns_of_parquet_have_names_of_their_own(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    twice = pa.table([[1.0], [2.0], [3.0]], names=["time", "a", "a"])
    parquet.write_table(twice, tmp_path / "x.parquet")

    with pytest.raises(
        ValueError, match="a name of its own, got 'a' more tha"
    ):
        read_series(tmp_path / "x.parquet")


@pytest.mark.parametrize("text", ['{"index_columns": 5}', "[" * 10**5, "no"])
def test_what_is_said_of_an_index_may_be_wrong(tmp_path, text):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pa.Table.from_pandas(frame())
    table = table.replace_schema_metadata({"pandas": text})
    parquet.write_table(table, tmp_path / "x.parquet")

    with pytest.raises(ValueError, match="must be a whole Parquet file, got"):
        read_series(tmp_path / "x.parquet")


def test_a_parquet_file_that_is_wide_is_refused(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setenv("GLUONTS_LAI_MAX_COLUMNS", "2")
    with pytest.raises(ValueError, match="at most 2 columns, got 3; put"):
        read(tmp_path, frame(more=1), "x.parquet")
    assert write(tmp_path, frame(), "y.parquet").exists()
    assert len(read(tmp_path, frame(), "y.parquet").entries) == 1
