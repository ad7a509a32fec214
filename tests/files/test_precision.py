"""
As exact as the series of a file must be, and no more.
"""

import json

import numpy as np
import pandas as pd
import pytest

from gluonts_lai.files.precision import precision_of

from .written import read

TIMES = pd.date_range("2024-01-01", periods=400, freq="h")
RHYTHM = np.tile([0.0, 3.0, 1.0, 5.0], 100)
NOISE = np.random.default_rng(0).normal(scale=0.2, size=400)
COUNTER = 1.7e9 + RHYTHM + NOISE
LONG = 1000 + np.random.default_rng(1).normal(size=100_000)
USUAL = "noise long tiny high decimals whole spike rounding gaps nan no one"
SPIKE = np.where(np.arange(400) == 300, 1.0, 0.0)


def as_csv(values):
    return pd.DataFrame({"time": TIMES, "value": values}).to_csv(index=False)


def as_parquet(values):
    return pd.DataFrame({"time": TIMES, "value": values})


def as_jsonl(values):
    return json.dumps({"start": str(TIMES[0]), "target": values.tolist()})


@pytest.mark.parametrize(
    "name, form",
    [("x.csv", as_csv), ("x.parquet", as_parquet), ("x.jsonl", as_jsonl)],
)
def test_a_counter_keeps_its_last_digits(tmp_path, name, form):
    (entry,) = read(tmp_path, form(COUNTER), name, freq="h").entries

    assert entry["target"].dtype == np.float64
    np.testing.assert_array_equal(entry["target"], COUNTER)


@pytest.mark.parametrize("duplicates", ["mean", "first", "last"])
def test_what_is_made_of_several_readings_is_as_exact(tmp_path, duplicates):
    rows = as_csv(COUNTER) + as_csv(COUNTER).split("\n", 1)[1]
    (entry,) = read(tmp_path, rows, duplicates=duplicates).entries
    np.testing.assert_array_equal(entry["target"], COUNTER)


@pytest.mark.parametrize("name, form", [("x.csv", as_csv), ("y", as_jsonl)])
def test_one_series_speaks_for_all_of_a_file(tmp_path, name, form):
    if name == "x.csv":
        table = {"time": TIMES, "a": RHYTHM + NOISE, "b": COUNTER}
        content = pd.DataFrame(table).to_csv(index=False)
    else:
        name = "x.jsonl"
        content = form(RHYTHM + NOISE) + "\n" + form(COUNTER)

    file = read(tmp_path, content, name, freq="h")

    assert [e["target"].dtype for e in file.entries] == [np.float64] * 2
    np.testing.assert_array_equal(file.entries[0]["target"], RHYTHM + NOISE)


@pytest.mark.parametrize(
    "values",
    [
        RHYTHM + NOISE,
        LONG,  # which is still for a moment, by accident
        1e-20 * (RHYTHM + NOISE),
        1e3 + NOISE,
        (1e5 + RHYTHM + NOISE).round(1),
        16_000_000 + RHYTHM,
        RHYTHM + 1e12 * SPIKE,  # of which the spike alone is rounded
        0.1 + 0.2 + np.spacing(0.3) * RHYTHM[::-1] * (RHYTHM < 2),
        np.where(RHYTHM > 2, np.nan, RHYTHM + NOISE),
        np.full(400, np.nan),
        np.zeros(0),
        np.array([0.1]),
    ],
    ids=USUAL.split(),
)
def test_seven_digits_are_enough_where_they_tell_values_apart(values):
    assert precision_of([values]) == np.float32


@pytest.mark.parametrize(
    "values",
    [
        COUNTER,
        -COUNTER,
        17_000_000 + RHYTHM,
        (1e6 + NOISE).round(1),
        np.where(np.arange(400) < 360, RHYTHM, COUNTER),  # at last
        1.7e9 + SPIKE,
        np.array([RHYTHM, COUNTER]),
        np.where(np.arange(400) % 2, COUNTER, np.nan),
    ],
    ids="high low whole decimals late still two gaps".split(),
)
def test_seven_digits_are_too_few_where_the_last_ones_move(values):
    assert precision_of([RHYTHM, values]) == np.float64
