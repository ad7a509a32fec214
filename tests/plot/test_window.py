"""
Series of all kinds find their place in a window of time.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from gluonts_lai.plot.window import Stretch, Window, steps

START = pd.Period("2024-03-01 00:10", "5min")
VALUES = np.arange(6.0)
PERIODS = pd.period_range(START, periods=6)


@pytest.mark.parametrize(
    "begin, expected",
    [
        (0, [0, 1, 2, 3]),
        (2, [2, 3, 4, 5]),
        (4, [4, 5, np.nan, np.nan]),
        (-3, [np.nan, np.nan, np.nan, 0]),
        (6, [np.nan] * 4),
        (-4, [np.nan] * 4),
    ],
)
def test_a_window_shows_what_lies_in_it(begin, expected):
    window = Window(START + begin, 4)

    assert_array_equal(window.view(START, VALUES[None]), [expected])


def test_steps_are_periods_not_minutes():
    assert steps(START, START + 7) == 7
    assert steps(START, START - 7) == -7


@pytest.mark.parametrize(
    "series",
    [
        {"start": START, "target": VALUES},
        {"start": START, "target": VALUES[None]},
        pd.Series(VALUES, PERIODS),
        pd.DataFrame({"load": VALUES}, PERIODS),
        pd.Series(VALUES, PERIODS.to_timestamp()),
        pd.Series(VALUES, PERIODS.to_timestamp().tz_localize("UTC")),
        pd.Series(VALUES, PERIODS)[::-1],
        VALUES,
        list(VALUES),
    ],
    ids=lambda series: type(series).__name__,
)
def test_all_say_the_same(series):
    start, values = Stretch.of(series, START)

    assert start == START
    assert_array_equal(values, [VALUES])


def test_periods_that_are_left_out_are_missing():
    _, values = Stretch.of(pd.Series(VALUES, PERIODS).drop(PERIODS[2]), START)

    assert_array_equal(values, [[0, 1, np.nan, 3, 4, 5]])


@pytest.mark.parametrize(
    "series, message",
    [
        (pd.Series(VALUES), "indexed by times or periods, got RangeIndex"),
        (
            pd.Series(VALUES[:2], PERIODS[[1, 1]]),
            "must come once, got 2024-03-01 00:15 again",
        ),
        (
            {"start": pd.Period("2024", "D"), "target": VALUES},
            "the same frequency, got D and 5min",
        ),
        ({"target": VALUES}, "each entry must have a start"),
        (["a"], "a series must be an array of real numbers"),
    ],
    ids=["index", "twice", "frequency", "start", "text"],
)
def test_a_series_that_cannot_be_placed_is_refused(series, message):
    with pytest.raises(ValueError, match=message):
        Stretch.of(series, START)
