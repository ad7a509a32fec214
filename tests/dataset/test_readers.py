"""
What holds for all readers: where they look, and what they say of bad files.
"""

import numpy as np
import pytest

from gluonts_lai.dataset import read_electricity, read_nab, read_yahoo
from gluonts_lai.dataset.columns import Columns
from gluonts_lai.dataset.grid import Grid

READERS = [read_electricity, read_nab, read_yahoo]


def columns_of(tmp_path, text):
    path = tmp_path / "series.csv"
    path.write_text(text)
    return Columns(path)


@pytest.mark.parametrize("read", READERS)
def test_a_folder_must_be_known(read, monkeypatch):
    monkeypatch.delenv("GLUONTS_LAI_DATA", raising=False)
    message = "neither a folder nor the environment variable GLUONTS_LAI_DATA;"
    with pytest.raises(ValueError, match=message):
        read()


@pytest.mark.parametrize("read", READERS)
def test_a_folder_must_hold_the_data_set(read, tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match="; give the folder of"):
        read(tmp_path)
    monkeypatch.setenv("GLUONTS_LAI_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match="got '.*nowhere', where nei"):
        read()


def test_a_missing_column_is_named(tmp_path):
    columns = columns_of(tmp_path, "time,value\n1,2\n")
    message = "series.csv must have a column 'timestamp', got time, value;"
    with pytest.raises(ValueError, match=message):
        columns.times("timestamp")
    with pytest.raises(ValueError, match="column 'value', got none;"):
        columns_of(tmp_path, "").numbers("value")


def test_text_among_numbers_is_named(tmp_path):
    columns = columns_of(tmp_path, "value\n1\n\n2\nbroken\n")
    message = "'value' of .*series.csv must hold numbers, got 'broken' in row"
    with pytest.raises(ValueError, match=message + " 3 below"):
        columns.numbers("value")


def test_an_empty_cell_is_missing_where_that_is_possible(tmp_path):
    columns = columns_of(tmp_path, "time,value,flag\n1,2,0\n,,\n3,4,1\n")

    np.testing.assert_array_equal(columns.numbers("value"), [2, np.nan, 4])

    with pytest.raises(ValueError, match="hold numbers, got 'nan' in row 2"):
        columns.counts("time")
    with pytest.raises(ValueError, match="hold 0 and 1, got 'nan' in row 2"):
        columns.flags("flag")
    with pytest.raises(ValueError, match="timestamps, got 'nan' in row 2"):
        columns.times("time")


def test_whole_numbers_are_read_as_others_are(tmp_path):
    numbers = columns_of(tmp_path, "value\n1\n2\n").numbers("value")
    assert numbers.tolist() == [1, 2] and numbers.dtype == np.float64


def test_a_flag_is_0_or_1(tmp_path):
    columns = columns_of(tmp_path, "good,bad\n1,1\n0,2\n")
    assert columns.flags("good").tolist() == [True, False]
    with pytest.raises(ValueError, match="hold 0 and 1, got '2' in row 2"):
        columns.flags("bad")


def test_what_is_no_time_is_named(tmp_path):
    columns = columns_of(tmp_path, "timestamp\n2024-01-01 00:00:00\nsoon\n")
    with pytest.raises(ValueError, match="timestamps, got 'soon' in row 2"):
        columns.times("timestamp")


def test_times_belong_to_the_nearest_point_of_a_grid():
    # Out of order, one twice, one left out; one too early, one too late.
    times = np.array([20, 30, 10, 50, 59, 30, 71])

    grid = Grid.of(times, "x")

    assert grid.start == 10 and grid.step == 10
    assert grid.times.tolist() == [10, 20, 30, 40, 50, 60, 70]
    means = grid.mean(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]))
    np.testing.assert_array_equal(means, [3, 1, 4, np.nan, 4, 5, 7])


def test_of_two_values_of_a_point_one_may_be_missing():
    grid = Grid.of(np.array([1, 2, 2, 3]), "x")
    means = grid.mean(np.array([1.0, np.nan, 5.0, np.nan]))
    np.testing.assert_array_equal(means, [1, 5, np.nan])


def test_one_point_in_time_is_no_series():
    with pytest.raises(ValueError, match="x must have at least two .* got 1;"):
        Grid.of(np.array([7, 7]), "x")
    with pytest.raises(ValueError, match="x must have at least two .* got 0;"):
        Grid.of(np.array([]), "x")
