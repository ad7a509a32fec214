"""
What is wrong with a file is one sentence: what must hold, what came and
where, what to do.
"""

import gzip
import os

import numpy as np
import pandas as pd
import pytest

from gluonts_lai.files import read_series

from .written import hours, read, write

LONG = "item_id,timestamp,value\n"
ONE = "timestamp,value\n" + hours(4)
A = "".join(f"a,{line}\n" for line in hours(4).splitlines())
DAYS = "".join(f"b,{line}\n" for line in hours(3, step="D").splitlines())
MANY = ONE + "".join(hours(9_000, "2025-01-01"))

BAD = {
    "an empty file": ("", "must hold a header and readings, got an empty"),
    "empty lines": ("\n \n", "must hold a header and readings, got an empty"),
    "a header only": (LONG, "must hold readings, got none below its header"),
    "no header": (
        hours(3),
        "must name its columns in line 1, got .*; add a line such as",
    ),
    "no column of times": (
        "a,b\n1,2\n",
        r"one column of timestamps, got none among 'a', 'b'; name it with "
        r"timestamp= \(--timestamp\)",
    ),
    "two columns of times": (
        "date,time,value\n2024-01-01,10:00,1\n",
        "one column of timestamps, got 'date', 'time'; name the right one",
    ),
    "no column of values": (
        "timestamp,is_anomaly\n2024-01-01,1\n",
        r"one column of values, got none .* with value= \(--value\)",
    ),
    "several columns of values": (
        "id,time,a,b\nx,2024-01-01,1,2\nx,2024-01-02,1,2\n",
        "one column of values, got 'a', 'b'; name the right one with value=",
    ),
    "two columns of names": (
        "id,sensor,time,y\n7,a,2024-01-01,1\n7,a,2024-01-02,1\n",
        r"one column of names of series, got 'id', 'sensor'; .*--item-id",
    ),
    "two columns of labels": (
        "time,y,label,anomaly\n2024-01-01,1,0,0\n",
        "one column of labels, got 'label', 'anomaly'; .*--label",
    ),
    "a column twice": (
        "time,a,b,a\n2024-01-01,1,2,3\n",
        "a name of its own in line 1, got 'a' more than once",
    ),
    "a column without a name": (
        "time,a,,b\n2024-01-01,1,2,3\n",
        "must name each column in line 1, got nothing for column 3",
    ),
    "text among values": (
        ONE + "2024-01-01 04:00,broken\n",
        "'value' of .*pump.csv must hold numbers, got 'broken' in line 6; ",
    ),
    "thousands": (
        'time,value\n2024-01-01,"1,234"\n2024-01-02,"1,234.5"\n',
        "must hold numbers, got '1,234' in line 2",
    ),
    "an infinite value": (
        ONE + "2024-01-01 04:00,-inf\n",
        "must hold finite numbers, got '-inf' in line 6",
    ),
    "a value too large": (
        ONE + "2024-01-01 04:00,1e39\n",
        "must hold finite numbers, got .1e.39. in line 6",
    ),
    "no value at all": (
        "time,value\n2024-01-01,\n2024-01-02,\n",
        "must hold values, got none in column 'value'",
    ),
    "text among times": (
        ONE + "soon,1\n",
        "'timestamp' of .* must hold times between 1678 and 2261, got 'soon'"
        " in line 6; correct it",
    ),
    "a time out of range": (
        ONE + "3024-01-01,1\n",
        "times between 1678 and 2261, got '3024-01-01' in line 6",
    ),
    "no time": (ONE + ",1\n", "a time in each row, got nothing in line 6"),
    "counted times": (
        "time,value\n0,1\n1,2\n",
        "column 'time' of .* must hold times, got numbers from 0 to 1",
    ),
    "Unix time with a typo": (
        "time,value\n1700000000,1\n1700003600,2\n17,3\n",
        "Unix time in s, from 1973 to 2099, got '17' in line 4",
    ),
    "dates that read in two ways": (
        "date,value\n01/02/2024,1\n02/03/2024,2\n",
        "read in one way, got '01/02/2024' in line 2, where day or month",
    ),
    "time zones in some lines": (
        "time,value\n2024-01-01T00:00Z,1\n2024-01-01T01:00,2\n",
        "a time zone in all rows, or in none, got .* in line 3",
    ),
    "time zones in some lines, in words": (
        "time,value\nJune 11 2024 2am +0200,1\nJune 11 2024 3am,2\n",
        "a time zone in all rows, or in none, got .* in line 3",
    ),
    "a typo among times with a zone": (
        "time,value\n2024-13-01T00:00Z,1\n2024-01-01T01:00:00Z,2\n",
        "times between 1678 and 2261, got '2024-13-01T00:00Z' in line 2",
    ),
    "names of time zones": (
        "time,value\n2024-03-31 01:00 CET,1\n2024-03-31 03:00 CEST,2\n",
        "a time with its zone as an offset or as UTC, got '2024-03-31 01:00 "
        r"CET' in line 2; write it as 2024-01-31 17:00\+01:00",
    ),
    "an absurd gap": (
        ONE + "2204-01-01,1\n",
        "must follow one another, got 2024-01-01 03:00:00 in line 5 and "
        "2204-01-01 00:00:00 in line 6, 1,577,829 points later; correct",
    ),
    "a gap longer than all": (
        ONE + "2041-01-01,1\n",
        "in line 5 and 2041-01-01 00:00:00 in line 6, 149,037 points later;",
    ),
    "a time twice": (
        ONE + "2024-01-01 01:00,1\n",
        "series 'pump' of .* must have one reading a point, got 2024-01-01 "
        r"01:00:00 in line 3 and .* in line 6; .*\(--duplicates\)",
    ),
    "mixed frequencies": (
        LONG + A + DAYS,
        "one frequency, got steps of 1h in 'a' and of 1D in 'b'; put them",
    ),
    "months and quarters": (
        "id,time,y\n"
        + "".join(f"a,2024-0{month}-01,1\n" for month in range(1, 8))
        + "".join(f"b,2024-0{month}-01,1\n" for month in (1, 4, 7)),
        "got steps of 1 month in 'a' and of 3 months in 'b'",
    ),
    "times off the grid": (
        ONE + "2024-01-01 04:10,1\n",
        "whole steps of 1h apart, got 2024-01-01 04:10:00 in line 6 after "
        r".* in line 5; give freq= \(--freq\) such as 'h'",
    ),
    "one row": (
        "timestamp,value\n" + hours(1),
        r"two times .* frequency to be guessed, got one; give freq= \(--freq",
    ),
    "one row of each series": (
        LONG + "a,2024-01-01,1\nb,2024-01-02,1\n",
        "two times in a series for its frequency to be guessed, got one;",
    ),
    "no name": (
        LONG + A + ",2024-01-01,1\n",
        "the name of a series in each row, got nothing in line 6",
    ),
    "another label": (
        "time,y,label\n2024-01-01,1,0\n2024-01-02,1,2\n",
        r"'label' of .* must hold 1 \(anomalous\), 0 .* got '2' in line 3",
    ),
    "a word for a label": (
        "time,y,label\n2024-01-01,1,0\n2024-01-02,1,yes\n",
        "got 'yes' in line 3; correct it, or name another column",
    ),
    "a line too long": (
        ONE + "\n2024-01-01 04:00,1,2\n",
        "must have 2 cells, as line 1 has, got 3 in line 7",
    ),
    "all lines too long": (
        "time,value\n2024-01-01,1,2\n2024-01-02,1,2\n",
        "must have 2 cells, as line 1 has, got 3 in line 2",
    ),
    "a line too short": (
        LONG + A + "\na,2024-01-01 04:00\n",
        "must have 3 cells, as line 1 has, got 2 in line 7",
    ),
    "thousands or decimals": (
        'time,value\n2024-01-01,850\n2024-01-02,"1,020"\n',
        "numbers that can be read in one way, got '1,020' in line 3; write",
    ),
    "an open quote": (
        'time,value\n"2024-01-01,1\n2024-01-02,2\n',
        "comma-separated values, got 'EOF inside string.*; check its quotes",
    ),
    "other bytes": (
        ONE.encode() + "2024-01-01 04:00,1°\n".encode("latin-1"),
        "must be text in UTF-8, got other bytes in line 6; save it",
    ),
    "other bytes, late": (
        MANY.encode() + b"2028-01-01,\xb0\n",
        "must be text in UTF-8, got other bytes in line 9006; save it",
    ),
    "UTF-16": (ONE.encode("utf-16"), "must be text in UTF-8, got UTF-16"),
    "a binary file": (bytes(range(256)), "got a binary file; give it the end"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_csv_file_is_refused_in_a_sentence(tmp_path, what):
    content, message = BAD[what]
    with pytest.raises(ValueError, match=message) as refusal:
        read(tmp_path, content)
    said = str(refusal.value)
    assert "pump.csv" in said and said.endswith(".") and "\n" not in said


@pytest.mark.parametrize("option", ["item_id", "timestamp", "value", "label"])
def test_a_missing_column_is_named(tmp_path, option):
    message = "must have a column 'temp', got 'timestamp', 'value'; name ano"
    with pytest.raises(ValueError, match=f"{message}ther with {option}="):
        read(tmp_path, ONE, **{option: "temp"})


def test_options_are_checked(tmp_path):
    with pytest.raises(ValueError, match="duplicates must be one of 'mean', "):
        read(tmp_path, ONE, duplicates="sum")
    for freq in ("hourly", "", "-1h", "-1ME", "0D", 5):
        with pytest.raises(ValueError, match="freq must be a frequency of pa"):
            read(tmp_path, ONE, freq=freq)


def test_what_a_frequency_puts_together_is_refused(tmp_path):
    with pytest.raises(ValueError, match="00:00:00 in line 2 and .* line 3;"):
        read(tmp_path, ONE, freq="D")


def test_a_frequency_too_short_is_refused(tmp_path):
    days = "time,value\n" + hours(200, step="D")
    with pytest.raises(ValueError, match="got 200 for 17,193,601 points; giv"):
        read(tmp_path, days, freq="s")


def test_one_row_is_enough_where_the_frequency_is_given(tmp_path):
    file = read(tmp_path, "timestamp,value\n" + hours(1), freq="h")
    assert file.entries[0]["target"].tolist() == [0.5]


ENDINGS = "must end in one of .csv, .*, got"
NOT_WHOLE = "must be a whole compressed file, got"
NO_PARQUET = "must be a whole Parquet file, got one that"

OTHER_KINDS = {
    "a workbook": (b"x", "x.xlsx", f"{ENDINGS} '.xlsx'; export"),
    "a name that ends in nothing": (b"x", "x", f"{ENDINGS} ''; export it as"),
    "no Parquet": (b"PAR1 x", "x.parquet", NO_PARQUET),
    "an empty Parquet": (b"", "x.parquet", NO_PARQUET),
    "no gzip": (b"time", "x.csv.gz", f"{NOT_WHOLE} .Not a"),
    "no bzip2": (b"time", "x.csv.bz2", NOT_WHOLE),
    "no xz": (b"time", "x.csv.xz", NOT_WHOLE),
    "half a gzip": (
        gzip.compress(hours(900).encode())[:400],
        "x.csv.gz",
        f"{NOT_WHOLE} 'Compressed file ended",
    ),
}


@pytest.mark.parametrize("what", OTHER_KINDS)
def test_a_file_of_another_kind_is_refused(tmp_path, what):
    content, name, message = OTHER_KINDS[what]
    with pytest.raises(ValueError, match=f"{name} {message}"):
        read(tmp_path, content, name)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(
        IsADirectoryError, match="must be a file, got a folder"
    ):
        read_series(tmp_path)
    with pytest.raises(FileNotFoundError, match="got nothing of that name"):
        read_series(tmp_path / "nowhere.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(ValueError, match="must be a file, got a device or"):
        read_series(tmp_path / "pipe.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_must_be_readable(tmp_path):
    path = write(tmp_path, ONE)
    path.chmod(0)
    with pytest.raises(PermissionError, match="must be readable, got 'Perm"):
        read_series(path)


@pytest.mark.parametrize(
    "times, values, message",
    [
        (["2024-01-01"] * 2, [1, 2], "in row 1 and .* in row 2;"),
        (["2024-01-01", "2024-01-02"], ["1", "x"], "got 'x' in row 2;"),
        (["2024-01-01", None], [1, 2], "a time in each row, got nothing in r"),
        ([], [], "must hold readings, got none"),
    ],
)
def test_rows_of_parquet_are_named(tmp_path, times, values, message):
    frame = pd.DataFrame({"time": pd.to_datetime(times), "value": values})
    with pytest.raises(ValueError, match=message):
        read(tmp_path, frame, "x.parquet", freq="D")


def test_a_time_that_only_parquet_can_hold_is_refused(tmp_path):
    times = np.array(["2024-01-01", "3024-01-01"], "datetime64[us]")
    frame = pd.DataFrame({"time": times, "value": [1, 2]})
    with pytest.raises(ValueError, match="between 1678 .* '3024-.* in row 2;"):
        read(tmp_path, frame, "x.parquet")
