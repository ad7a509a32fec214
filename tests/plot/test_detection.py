"""
A picture shows every flagged point, at its time, however long the series is.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

pytest.importorskip("matplotlib")

from matplotlib.dates import date2num, num2date  # noqa: E402

from gluonts_lai.plot import plot_detection  # noqa: E402
from gluonts_lai.plot.figure import MOST_PANELS  # noqa: E402
from gluonts_lai.plot.thinning import MOST_POINTS  # noqa: E402

from .reading import (  # noqa: E402
    HOUR,
    LONG,
    band,
    bars,
    drawn,
    grey_at,
    greys,
    labels,
    line,
    times,
)


@pytest.mark.parametrize("num_points", [2, 300, MOST_POINTS])
def test_few_points_are_drawn_as_they_are(num_points):
    detection = drawn(num_points, num_flagged=1)

    panel, strip = plot_detection(detection).axes

    assert_array_equal(line(panel, "observed").get_ydata(), detection.value)
    assert_array_equal(line(panel, "expected").get_ydata(), detection.expected)
    assert_array_equal(bars(strip)[0], detection.probability)
    heights = set(band(panel)[:, 1])
    assert heights == {*detection.lower, *detection.upper}


def test_each_flagged_point_has_its_mark():
    detection = drawn(300, num_flagged=20)
    flagged = np.flatnonzero(detection.probability > 0.5)

    panel, _ = plot_detection(detection).axes

    marks = line(panel, "20 flagged")
    assert_array_equal(marks.get_xdata(), times(HOUR, flagged))
    assert_array_equal(marks.get_ydata(), detection.value[flagged])


def test_marks_differ_from_the_series_in_shape():
    panel, _ = plot_detection(drawn(30, num_flagged=2)).axes

    shapes = [
        line(panel, label).get_marker() for label in ("flagged", "observed")
    ]
    assert len(set(shapes)) == 2


def test_in_grey_a_flagged_point_is_white_within_a_dark_ring():
    detection = drawn(40)
    detection.value[:] = np.sin(np.arange(40))
    detection.probability[20] = 0.9

    figure = plot_detection(detection)
    picture, panel = greys(figure), figure.axes[0]
    dots = [
        grey_at(picture, panel, *point)
        for point in zip(times(HOUR, range(40)), detection.value)
    ]

    assert dots[20] > 240
    assert max(dots[:20] + dots[21:]) < 120  # the line, black and thin
    column, row = panel.transData.transform(
        [date2num(times(HOUR, [20])[0]), detection.value[20]]
    ).astype(int)
    around = picture[len(picture) - row - 8 : len(picture) - row + 8, column]
    assert around.min() < 100


def test_a_point_is_flagged_above_the_threshold():
    detection = drawn(5)._replace(
        probability=np.array([0.1, 0.7, 0.8, 0.800001, 0.9])
    )

    panel, strip = plot_detection(detection, threshold=0.8).axes

    marks = line(panel, "2 flagged")
    assert_array_equal(marks.get_ydata(), detection.value[3:])
    assert set(strip.lines[0].get_ydata()) == {0.8}
    assert [text.get_text() for text in strip.texts] == ["0.8"]


def test_no_flagged_point_of_a_long_series_is_lost():
    detection = drawn(LONG, num_flagged=500)
    flagged = np.flatnonzero(detection.probability > 0.5)

    panel, strip = plot_detection(detection).axes

    marks = line(panel, "500 flagged")
    assert_array_equal(marks.get_xdata(), times(HOUR, flagged))
    assert_array_equal(marks.get_ydata(), detection.value[flagged])
    assert np.isin(
        marks.get_xdata(), line(panel, "observed").get_xdata()
    ).all()
    assert (bars(strip)[0] > 0.5).sum() == 500


def test_a_long_series_all_flagged_is_drawn_whole():
    detection = drawn(LONG, num_flagged=LONG)
    detection.probability[:] = np.linspace(0.51, 0.99, LONG)

    figure = plot_detection(detection)

    assert len(figure.axes[0].lines[-1].get_xdata()) == LONG
    # Marks are small enough to leave white paper between and around them.
    assert (greys(figure) > 250).mean() > 0.3


def test_crowded_marks_shrink():
    sizes = [
        plot_detection(drawn(3_000, num_flagged=n)).axes[0].lines[-1]
        for n in (1, 100, 400, 3_000)
    ]

    one, some, more, most = (marks.get_markersize() for marks in sizes)
    assert one == some > more > most > 2


def test_a_long_series_has_no_more_parts_than_a_short_one():
    counts = [
        len(axes.get_children())
        for num_points in (50, LONG)
        for axes in plot_detection(drawn(num_points, num_flagged=9)).axes
    ]

    assert counts[:2] == counts[2:]


@pytest.mark.parametrize("num_points", [MOST_POINTS + 1, 7_919, LONG])
def test_the_extremes_of_a_long_series_are_kept(num_points):
    detection = drawn(num_points)
    extremes = {}
    for i, name in enumerate(detection._fields[2:7]):
        array = getattr(detection, name)
        # Each at times of its own; the last bin may not be full.
        at = [17 * (i + 1), num_points - 1 - i]
        array[at] = extremes[name] = array.max() + 0.1, array.min() - 0.1

    panel, strip = plot_detection(detection).axes

    shown = {
        "value": line(panel, "observed").get_ydata(),
        "expected": line(panel, "expected").get_ydata(),
        "probability": bars(strip)[0],
        "lower": band(panel)[:, 1],
        "upper": band(panel)[:, 1],
    }
    for name, heights in shown.items():
        assert set(extremes[name]) <= set(heights), name


def test_a_long_series_is_drawn_with_few_points():
    panel, strip = plot_detection(drawn(LONG)).axes

    assert len(line(panel, "observed").get_xdata()) <= MOST_POINTS
    assert len(line(panel, "expected").get_xdata()) <= MOST_POINTS
    assert len(bars(strip)[0]) <= MOST_POINTS
    # Lower and upper may be extreme at different times; a polygon goes
    # there and back, and has three corners more.
    assert len(band(panel)) <= 4 * MOST_POINTS + 3


def test_what_is_kept_of_a_long_series_stays_at_its_time():
    detection = drawn(LONG)

    panel, _ = plot_detection(detection).axes

    x, y = line(panel, "observed").get_data()
    hours = (x - times(HOUR, [0])) / np.timedelta64(1, "h")
    assert (np.diff(hours) > 0).all()
    assert_array_equal(y, detection.value[hours.astype(int)])


def test_a_long_gap_breaks_the_line_of_a_long_series():
    detection = drawn(LONG)
    detection.value[40_000:50_000] = np.nan

    panel, _ = plot_detection(detection).axes

    x, y = line(panel, "observed").get_data()
    begin, end = times(HOUR, [40_000, 50_000])
    inside = (begin <= x) & (x < end)
    assert inside.any()
    assert np.isnan(y[inside]).all()


@pytest.mark.parametrize(
    "start",
    [
        pd.Period("2024-02-28 23:55", "5min"),
        pd.Period("2024-02-28", "D"),
        pd.Period("2024-02-28", "W-WED"),
        pd.Period("2024-02", "M"),
        pd.Period("2024Q1", "Q-DEC"),
        pd.Period("2024-02-28 22:00:00.250", "ms"),
    ],
    ids=lambda start: start.freqstr,
)
def test_time_on_the_axis_is_real(start):
    panel, strip = plot_detection(drawn(40, start=start)).axes

    x = line(panel, "observed").get_xdata()
    assert_array_equal(x, times(start, range(40)))
    left, right = strip.get_xlim()
    assert left < date2num(x[0]) and date2num(x[-1]) < right
    # All but the ends of the axis is series.
    assert date2num(x[-1]) - date2num(x[0]) > 0.9 * (right - left)


def test_ticks_are_dates():
    figure = plot_detection(drawn(58, start=pd.Period("2020-01", "M")))

    figure.draw_without_rendering()

    strip = figure.axes[-1]
    year = {
        text.get_text(): num2date(x).year
        for x, text in zip(strip.get_xticks(), strip.get_xticklabels())
        if text.get_text().isdigit()
    }
    assert {"2021", "2022", "2023", "2024"} <= set(year)
    assert all(int(text) == year[text] for text in year)


def test_series_go_on_after_2262():
    start = pd.Period("2024-01-01", "D")  # nanoseconds end 87 000 days later

    panel, _ = plot_detection(drawn(LONG, start=start)).axes

    last = line(panel, "observed").get_xdata()[-1]
    assert num2date(date2num(last)).year == 2297


def test_a_bar_stands_around_its_point():
    _, strip = plot_detection(drawn(3)).axes

    half = np.timedelta64(30, "m")
    middles = np.array(times(HOUR, range(3)))
    expected = [middles[0] - half, *(middles + half)]
    assert_array_equal(bars(strip)[1], date2num(expected))


def test_one_point_can_be_seen():
    figure = plot_detection(drawn(1, num_flagged=1))

    panel, strip = figure.axes
    assert line(panel, "1 flagged").get_xdata().size == 1
    for label in ("observed", "expected"):
        assert list(line(panel, label).get_markevery()) == [0]
    # Two hours wide, as nobody can tell from a point how wide it should be.
    assert np.ptp(strip.get_xlim()) == pytest.approx(2 / 24)
    figure.draw_without_rendering()


def test_a_point_between_missing_ones_has_a_dot():
    detection = drawn(9)
    detection.value[[2, 4, 5]] = np.nan

    panel, _ = plot_detection(detection).axes

    assert list(line(panel, "observed").get_markevery()) == [3]


def test_a_missing_flagged_point_is_counted_and_in_the_strip():
    detection = drawn(50, num_flagged=3)
    lost = np.flatnonzero(detection.probability > 0.5)[1]
    detection.value[lost] = np.nan

    panel, strip = plot_detection(detection).axes

    assert len(line(panel, "3 flagged (1 missing)").get_xdata()) == 2
    assert bars(strip)[0][lost] == 0.9


def test_each_dimension_has_a_panel_and_a_strip():
    detection = drawn(3, 60, num_flagged=4)

    figure = plot_detection(detection)

    assert len(figure.axes) == 6
    for dim in range(3):
        panel, strip = figure.axes[2 * dim : 2 * dim + 2]
        assert panel.get_title(loc="left") == f"sensor, dimension {dim}"
        y = line(panel, "observed").get_ydata()
        assert_array_equal(y, detection.value[dim])
        assert_array_equal(bars(strip)[0], detection.probability[dim])
        assert labels(panel)[-1] == "4 flagged"


def test_of_many_dimensions_those_with_most_flagged_points_are_drawn():
    detection = drawn(40, 30)
    chosen = list(range(3, 3 + 3 * MOST_PANELS, 3))
    detection.probability[chosen, :2] = 0.9

    panels = plot_detection(detection).axes[::2]

    assert [panel.get_title(loc="left") for panel in panels] == [
        f"sensor, dimension {dim}" for dim in chosen
    ]


def test_what_is_not_known_has_no_name_in_the_legend():
    nothing = np.full(40, np.nan)
    detection = drawn(40)._replace(lower=nothing, upper=nothing)

    panel, _ = plot_detection(detection).axes
    assert labels(panel) == ["expected", "observed", "0 flagged"]

    panel, _ = plot_detection(detection._replace(expected=nothing)).axes
    assert labels(panel) == ["observed", "0 flagged"]


@pytest.mark.parametrize("value", [0.0, -7.5, 1e9])
def test_a_constant_series_is_away_from_the_edges(value):
    same = np.full(40, value)
    detection = drawn(40)._replace(
        value=same, expected=same, lower=same, upper=same
    )

    panel, _ = plot_detection(detection).axes

    low, high = panel.get_ylim()
    assert low + 0.3 * (high - low) < value < high - 0.3 * (high - low)


@pytest.mark.parametrize(
    "item_id, title",
    [
        ("sensor", "sensor"),
        (None, ""),
        (7, "7"),
        ("from $5 to $6", r"from \$5 to \$6"),
        ("x" * 41, "x" * 39 + "…"),
        ("hall\n7\t", "hall 7"),
    ],
)
def test_the_title_is_the_name_of_the_series(item_id, title):
    panel, _ = plot_detection(drawn(9, item_id=item_id)).axes

    assert panel.get_title(loc="left") == title


def test_a_series_without_points_has_an_empty_picture():
    figure = plot_detection(drawn(0))

    assert [text.get_text() for text in figure.axes[0].texts] == ["no points"]
    assert line(figure.axes[0], "observed").get_xdata().size == 0
    figure.draw_without_rendering()


def test_a_series_without_values_says_so():
    nothing = np.full(40, np.nan)
    detection = drawn(40, num_flagged=2)._replace(
        value=nothing, expected=nothing, lower=nothing, upper=nothing
    )

    panel, strip = plot_detection(detection).axes

    assert [text.get_text() for text in panel.texts] == [
        "every value is missing"
    ]
    assert labels(panel)[-1] == "2 flagged (2 missing)"
    assert (bars(strip)[0] > 0.5).sum() == 2


@pytest.mark.parametrize("threshold", [0.0, 1.0, 50, -0.1, float("nan")])
def test_a_threshold_that_nothing_can_cross_is_refused(threshold):
    with pytest.raises(
        ValueError,
        match=f"threshold must lie strictly between 0 and 1, got {threshold}",
    ):
        plot_detection(drawn(9), threshold)
