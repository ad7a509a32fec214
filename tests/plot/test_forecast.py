"""
A picture of a forecast shows what came before, what was said, what came.
"""

import numpy as np
import pandas as pd
import pytest
from gluonts.model.forecast import QuantileForecast, SampleForecast
from numpy.testing import assert_array_equal

pytest.importorskip("matplotlib")

from gluonts_lai.plot import plot_forecast  # noqa: E402
from gluonts_lai.plot.figure import LONGEST_TITLE, MOST_PANELS  # noqa: E402
from gluonts_lai.plot.thinning import MOST_POINTS  # noqa: E402

from .reading import (  # noqa: E402
    HOUR,
    LONG,
    band,
    drawn,
    grey_at,
    greys,
    labels,
    line,
    times,
)

LENGTH = 12


def forecast_after(num_points, *dims, item_id="sensor", length=LENGTH):
    rng = np.random.default_rng(1)
    samples = rng.normal(size=(101, length, *dims))
    return SampleForecast(samples, HOUR + num_points, item_id=item_id)


def entry_of(detection):
    return {"start": detection.start, "target": detection.value}


def known(axes, label):
    """Times and values of a line, where it has any."""
    x, y = line(axes, label).get_data()
    return x[np.isfinite(y)], y[np.isfinite(y)]


def panel_of(*arguments, **options):
    (panel,) = plot_forecast(*arguments, **options).axes
    return panel


def test_past_forecast_and_truth_are_each_at_their_time():
    series = drawn(100).value
    entry = {"start": HOUR, "target": series[:88]}
    forecast = forecast_after(88)

    panel = panel_of(entry, forecast, truth=series[88:])

    assert labels(panel) == ["observed", "90 %", "50 %", "median", "truth"]
    x, y = known(panel, "observed")
    assert_array_equal(x, times(HOUR, range(28, 88)))
    assert_array_equal(y, series[28:88])
    x, y = known(panel, "median")
    assert_array_equal(x, times(HOUR, range(88, 100)))
    assert_array_equal(y, forecast.quantile(0.5))
    x, y = known(panel, "truth")
    assert_array_equal(x, times(HOUR, range(88, 100)))
    assert_array_equal(y, series[88:])


def test_bands_are_the_quantiles_of_the_forecast_the_wide_one_below():
    forecast = forecast_after(50)

    panel = panel_of(entry_of(drawn(50)), forecast)

    wide, narrow = set(band(panel)[:, 1]), set(band(panel, 1)[:, 1])
    assert wide == {*forecast.quantile(0.05), *forecast.quantile(0.95)}
    assert narrow == {*forecast.quantile(0.25), *forecast.quantile(0.75)}


def test_what_a_series_holds_after_the_beginning_is_the_truth():
    detection = drawn(100)

    panel = panel_of(entry_of(detection), forecast_after(88))

    assert_array_equal(known(panel, "observed")[1], detection.value[28:88])
    assert_array_equal(known(panel, "truth")[1], detection.value[88:])


def test_a_truth_may_be_shorter_or_longer_than_the_forecast():
    entry = entry_of(drawn(50))
    for num_points in (3, 40):
        truth = np.arange(float(num_points))

        panel = panel_of(entry, forecast_after(50), truth=truth)

        assert_array_equal(known(panel, "truth")[1], truth[:LENGTH])


@pytest.mark.parametrize("num_past", [0, 1, 30, 500])
def test_so_much_of_the_past_is_drawn(num_past):
    detection = drawn(100)

    panel = panel_of(
        entry_of(detection), forecast_after(100), num_past=num_past
    )

    if num_past:
        y = known(panel, "observed")[1]
        assert_array_equal(y, detection.value[-num_past:])
    else:
        assert "observed" not in labels(panel)


def test_flagged_points_have_rings_and_what_was_taken_instead_crosses():
    detection = drawn(100, num_flagged=20)
    flagged = np.flatnonzero(detection.probability > 0.5)
    flagged = flagged[flagged >= 40]

    panel = panel_of(
        entry_of(detection), forecast_after(100), detection=detection
    )

    rings = line(panel, f"{flagged.size} flagged")
    crosses = line(panel, "taken instead")
    for marks, values in (
        (rings, detection.value),
        (crosses, detection.cleaned),
    ):
        assert_array_equal(marks.get_xdata(), times(HOUR, flagged))
        assert_array_equal(marks.get_ydata(), values[flagged])
    assert rings.get_marker() != crosses.get_marker()


def test_a_flagged_truth_is_marked_but_nothing_was_taken_instead():
    detection = drawn(100)
    detection.probability[95] = 0.9

    panel = panel_of(
        entry_of(detection), forecast_after(88), detection=detection
    )

    assert_array_equal(
        line(panel, "1 flagged").get_ydata(), detection.value[[95]]
    )
    assert "taken instead" not in labels(panel)


def test_a_point_is_flagged_above_the_threshold():
    detection = drawn(60, num_flagged=5)

    panel = panel_of(
        entry_of(detection),
        forecast_after(60),
        detection=detection,
        threshold=0.95,
    )

    assert labels(panel)[1] == "0 flagged"


def test_no_flagged_point_of_a_long_past_is_lost():
    detection = drawn(LONG, num_flagged=700)

    panel = panel_of(
        entry_of(detection),
        forecast_after(LONG),
        detection=detection,
        num_past=LONG,
    )

    flagged = np.flatnonzero(detection.probability > 0.5)
    rings = line(panel, "700 flagged")
    assert_array_equal(rings.get_xdata(), times(HOUR, flagged))
    observed = line(panel, "observed").get_xdata()
    assert np.isin(rings.get_xdata(), observed).all()
    assert len(observed) <= MOST_POINTS + 700
    assert len(panel.lines) == 5  # observed, rings, crosses, median, beginning


def test_in_grey_the_parts_of_a_forecast_are_steps_of_one_scale():
    quantiles = np.array([0.0, 2.0, 4.0, 6.0, 8.0])[:, None]
    forecast = QuantileForecast(
        np.repeat(quantiles, LENGTH, axis=1),
        HOUR + 50,
        ["0.05", "0.25", "0.5", "0.75", "0.95"],
    )
    figure = plot_forecast(entry_of(drawn(50)), forecast, num_past=10)
    picture, panel = greys(figure), figure.axes[0]
    (middle,) = times(HOUR, [55])

    paper, wide, narrow, median = (
        grey_at(picture, panel, middle, value)
        for value in (8.2, 7.0, 5.0, 4.0)
    )

    # Out of 255: what a copy of a copy still tells apart.
    assert paper - wide > 25
    assert wide - narrow > 25
    assert narrow - median > 60


@pytest.mark.parametrize("letter", "iW個")
@pytest.mark.filterwarnings("ignore:Glyph.*missing:UserWarning")
def test_the_longest_title_leaves_room_for_the_whole_legend(letter):
    detection = drawn(100, num_flagged=50)
    detection.value[:9] = np.nan
    figure = plot_forecast(
        entry_of(detection),
        forecast_after(88, item_id=2 * LONGEST_TITLE * letter),
        detection=detection,
        num_past=88,
    )

    greys(figure)
    (panel,) = figure.axes

    assert len(labels(panel)) == 7
    title = panel._left_title.get_window_extent()
    assert 100 < title.x1 < panel.get_legend().get_window_extent().x0


def test_each_dimension_has_a_panel():
    detection = drawn(3, 60, num_flagged=4)
    forecast = forecast_after(60, 3)

    figure = plot_forecast(
        entry_of(detection), forecast, detection=detection, num_past=60
    )

    assert len(figure.axes) == 3
    for dim, panel in enumerate(figure.axes):
        assert panel.get_title(loc="left") == f"sensor, dimension {dim}"
        y = known(panel, "observed")[1]
        assert_array_equal(y, detection.value[dim])
        y = known(panel, "median")[1]
        assert_array_equal(y, forecast.quantile(0.5)[:, dim])
        assert "4 flagged" in labels(panel)


def test_of_many_dimensions_the_first_are_drawn():
    figure = plot_forecast(entry_of(drawn(40, 30)), forecast_after(30, 40))

    assert len(figure.axes) == MOST_PANELS


def test_a_single_point_before_and_after_can_be_seen():
    detection = drawn(1, num_flagged=1)

    figure = plot_forecast(
        entry_of(detection),
        forecast_after(1, length=1),
        truth=[0.3],
        detection=detection,
    )

    (panel,) = figure.axes
    picture = greys(figure)
    (ahead,) = times(HOUR, [1])
    lower, upper = forecast_after(1, length=1).quantile(0.05), 0.3
    assert grey_at(picture, panel, ahead, (2 * lower[0] + upper) / 3) < 240
    assert grey_at(picture, panel, ahead, 0.3) < 60
    assert len(line(panel, "1 flagged").get_xdata()) == 1


@pytest.mark.parametrize("target", [[], [np.nan] * 30], ids=["none", "nan"])
def test_a_forecast_from_nothing_stands_alone(target):
    entry = {"start": HOUR, "target": np.array(target, dtype=float)}

    figure = plot_forecast(entry, forecast_after(len(target)))

    assert labels(figure.axes[0]) == ["90 %", "50 %", "median"]
    figure.draw_without_rendering()


def test_a_forecast_may_begin_after_a_pause():
    detection = drawn(60)

    panel = panel_of(entry_of(detection), forecast_after(65))

    assert_array_equal(
        known(panel, "observed")[0], times(HOUR, range(60 - 60, 60))
    )
    assert_array_equal(known(panel, "median")[0], times(HOUR, range(65, 77)))


def test_a_series_may_begin_after_its_forecast():
    series = drawn(20)

    panel = panel_of(entry_of(series), forecast_after(-4))

    assert_array_equal(known(panel, "median")[0], times(HOUR, range(-4, 8)))
    assert_array_equal(known(panel, "truth")[1], series.value[:8])


def test_a_frame_of_pandas_will_do():
    frame = pd.DataFrame(
        drawn(2, 60).value.T, pd.period_range(HOUR, periods=60)
    )

    figure = plot_forecast(frame, forecast_after(48, 2))

    for dim, panel in enumerate(figure.axes):
        assert_array_equal(known(panel, "truth")[1], frame[dim][48:])


def test_a_forecast_without_a_name_takes_that_of_its_series():
    entry = {**entry_of(drawn(50)), "item_id": "pump"}

    panel = panel_of(entry, forecast_after(50, item_id=None))

    assert panel.get_title(loc="left") == "pump"


@pytest.mark.parametrize(
    "options, message",
    [
        ({"num_past": -1}, "num_past must be at least 0, got -1"),
        ({"threshold": 2}, "threshold must lie strictly between 0 and 1"),
        (
            {"truth": np.zeros((12, 3))},
            "the truth must have as many dimensions as the forecast, got 12",
        ),
        (
            {"detection": drawn(2, 50)},
            "the detection must have as many dimensions as the forecast",
        ),
    ],
    ids=lambda options: next(iter(options)) if options else "",
)
def test_what_cannot_be_drawn_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        plot_forecast(entry_of(drawn(50)), forecast_after(50), **options)
