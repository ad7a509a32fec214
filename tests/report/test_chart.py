"""
A chart shows what there is to see, and is small however long the series is.
"""

import base64

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("plotly")

from gluonts_lai.report.chart import chart_of  # noqa: E402
from gluonts_lai.report.series import series_of  # noqa: E402
from gluonts_lai.report.views import (  # noqa: E402
    MARGIN,
    MOST_DETAIL,
    MOST_POINTS,
    drawn_points,
    segments_of,
)

from .made import HOUR, detection, spread_out, with_all  # noqa: E402

LONG = 50_000


def series(*args, **kwargs):
    (made,) = series_of(detection(*args, **kwargs), 0, 0.5)
    return made


def array(spec):
    """Numbers, as Plotly writes them."""
    if isinstance(spec, dict):
        return np.frombuffer(base64.b64decode(spec["bdata"]), spec["dtype"])
    return np.array(spec, float)


def trace(chart, name):
    (found,) = [t for t in chart.figure["data"] if t.get("name") == name]
    return found


def times(chart):
    """As the page computes them."""
    x = chart.figure["x"]
    return x["first"] + x["unit"] * np.cumsum(x["steps"])


def milliseconds(start, indices):
    """When periods begin, one by one."""
    return [
        (start + int(i))
        .start_time.to_datetime64()
        .astype("M8[us]")
        .astype(int)
        / 1_000
        for i in indices
    ]


def test_a_chart_has_what_was_observed_and_expected():
    made = series(300, [(50, 53)])

    chart = chart_of(made, 0.5)

    single = 1e-6  # half of a float32's last digit, and a little
    for name, expected in [
        ("observed", made.value),
        ("expected", made.expected),
        ("95 % band", made.upper),
        ("probability", made.probability),
    ]:
        assert_allclose(array(trace(chart, name)["y"]), expected, rtol=single)
    assert_allclose(times(chart), milliseconds(HOUR, range(300)))
    marks = trace(chart, "flagged")
    assert_allclose(array(marks["x"]), milliseconds(HOUR, range(50, 53)))
    assert_allclose(array(marks["y"]), made.value[50:53], rtol=single)


@pytest.mark.parametrize("freq", ["min", "5min", "D", "W", "M", "Q", "ms"])
def test_times_are_those_of_the_calendar(freq):
    start = pd.Period("2023-11-27", freq)

    chart = chart_of(series(40, start=start), 0.5)

    assert_allclose(times(chart), milliseconds(start, range(40)), rtol=0)


def test_a_series_without_a_start_is_numbered():
    made = series(40, [(7, 9)], start=None)

    chart = chart_of(made, 0.5)

    assert chart.figure["layout"]["xaxis"]["type"] == "linear"
    assert_array_equal(times(chart), np.arange(40))
    (segment,) = segments_of(made, 0)
    assert (segment.begin, segment.end) == ("7", "8")


def test_a_long_series_keeps_every_flagged_point_and_what_is_around_it():
    segments = spread_out(LONG, 30)

    kept = drawn_points(series(LONG, segments))

    assert kept.size <= MOST_POINTS
    for begin, end in segments:
        around = range(max(begin - MARGIN, 0), min(end + MARGIN, LONG))
        assert np.isin(around, kept).all()


def test_a_long_series_keeps_its_extremes():
    made = series(LONG)
    made.value[[12_345, 23_456]] = -900.0, 900.0
    made.upper[34_567], made.lower[45_678] = 500.0, -500.0
    made.probability[4_567] = 0.49

    kept = drawn_points(made)

    assert kept.size <= MOST_POINTS
    assert np.isin([12_345, 23_456, 34_567, 45_678, 4_567], kept).all()


@pytest.mark.parametrize("num_segments", [100, 300, 900])
def test_where_much_was_found_no_flagged_point_is_lost(num_segments):
    made = series(LONG, spread_out(LONG, num_segments))
    assert made.flagged.sum() < MOST_DETAIL < made.flagged.sum() * 2 * MARGIN

    kept = drawn_points(made)

    assert kept.size <= MOST_POINTS
    assert np.isin(np.flatnonzero(made.flagged), kept).all()


def test_a_chart_of_nothing_but_flagged_points_is_small():
    chart = chart_of(series(LONG, [(0, LONG)]), 0.5)

    assert chart.num_drawn <= MOST_POINTS
    assert 1_000 < chart.num_marked < LONG


def test_a_gap_is_not_bridged():
    made = series(LONG)
    made.value[20_000:30_000] = np.nan

    chart = chart_of(made, 0.5)

    inside = np.isin(
        times(chart), milliseconds(HOUR, range(20_200, 29_800, 1))
    )
    assert inside.any()
    assert np.isnan(array(trace(chart, "observed")["y"])[inside]).all()


@pytest.mark.parametrize("level", [0.0, 1e9, -1e15])
def test_digits_are_not_lost_far_from_zero(level):
    made = series(200)
    made = made._replace(value=level + np.arange(200) % 7)

    observed = trace(chart_of(made, 0.5), "observed")

    assert_array_equal(array(observed["y"]), made.value)
    num_digits = int(observed["hovertemplate"].split(".")[1].split("~")[0])
    texts = {f"{x:.{num_digits}g}" for x in made.value}
    assert len(texts) == 7


@pytest.mark.parametrize("length", [0, 1, 2])
def test_a_few_points_or_none_can_be_drawn(length):
    chart = chart_of(series(length), 0.5)

    assert chart.num_drawn == length
    low, high = chart.figure["layout"]["xaxis"]["range"]
    assert low < high


def test_a_single_point_has_a_dot():
    chart = chart_of(series(1), 0.5)

    for name in ("observed", "expected"):
        assert trace(chart, name)["mode"] == "lines+markers"


def test_where_there_is_no_band_none_is_named():
    made = with_all(detection(40), lower=np.nan, upper=np.nan)
    (made,) = series_of(made, 0, 0.5)

    chart = chart_of(made, 0.5)

    names = [t.get("name") for t in chart.figure["data"]]
    assert names == ["probability", "expected", "observed", "flagged"]


def test_a_segment_is_shown_with_what_is_around_it():
    made = series(500, [(100, 104), (300, 400)])
    made.value[450] = 1e6  # elsewhere, and no reason to flatten the rest

    short, long = segments_of(made, chart=3)

    assert (short.begin, short.end) == (str(HOUR + 100), str(HOUR + 103))
    assert (short.length, long.length) == (4, 100)
    assert short.chart == 3
    assert short.peak == made.probability[100:104].max()
    assert short.strongest == made.score[100:104].max()
    x, y = short.view
    assert_allclose(x, milliseconds(HOUR, [100 - MARGIN, 104 + MARGIN]))
    around = made.value[100 - MARGIN : 104 + MARGIN]
    assert y[0] < around.min() and around.max() < y[1] < 100
    assert_allclose(long.view[0], milliseconds(HOUR, [200, 500]))


def test_a_segment_of_missing_values_has_no_height():
    made = with_all(
        detection(60, [(20, 30)]),
        value=np.nan,
        expected=np.nan,
        lower=np.nan,
        upper=np.nan,
    )
    (made,) = series_of(made, 0, 0.5)

    (segment,) = segments_of(made, 0)

    assert segment.view[1] is None
