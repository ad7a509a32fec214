"""
A window is centred and scaled by its own context, and brought back.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai.nominal.scaling import (
    LEAST_WIDTH,
    Scale,
    series_scale,
    window_scale,
)

# What a few sums lose to rounding.
ROUNDING = 1e-12


def test_what_is_applied_can_be_undone():
    rng = np.random.default_rng(0)
    scale = Scale(rng.normal(size=(4, 1)), rng.random((4, 1)) + 0.1)
    values = rng.normal(size=(4, 9))

    scaled = scale.apply(values)

    assert_allclose(scaled, (values - scale[0]) / scale[1], rtol=ROUNDING)
    assert_allclose(scale.undo(scaled), values, rtol=ROUNDING, atol=ROUNDING)


@pytest.mark.parametrize("shape", [(7,), (5, 8), (5, 2, 7), (0, 7)])
def test_a_window_has_its_median_and_mean_absolute_deviation(shape):
    contexts = np.random.default_rng(1).normal(3, 5, shape)
    before = contexts.copy()

    scale = window_scale(contexts)

    centre = np.median(contexts, -1, keepdims=True)
    width = abs(contexts - centre).mean(-1, keepdims=True)
    assert_allclose(scale.centre, centre, rtol=ROUNDING)
    assert_allclose(scale.width, width, rtol=ROUNDING)
    assert_array_equal(contexts, before)


def test_a_flat_window_keeps_a_share_of_the_usual_width():
    flat = np.full((1, 9), 4.0)
    flat[0, 0] += 1e-3

    assert_array_equal(window_scale(flat), [[[4.0]], [[LEAST_WIDTH]]])


def test_the_usual_width_is_the_median_over_windows_side_by_side():
    rng = np.random.default_rng(2)
    # The first three points are left over; one window is flat.
    parts = [rng.normal(0, sd, 5) for sd in (1, 2, 3)]
    row = np.concatenate([[50.0, 60.0, 70.0], np.full(5, 9.0), *parts])

    scale = series_scale(row, context_length=5)

    widths = [abs(part - np.median(part)).mean() for part in parts]
    assert_allclose(scale.centre, [np.median(row)], rtol=ROUNDING)
    assert_allclose(scale.width, [np.median(widths)], rtol=ROUNDING)


def test_missing_values_have_no_scale():
    rng = np.random.default_rng(3)
    row = rng.normal(size=20)
    with_gaps = np.insert(row, [0, 4, 4, 20], np.nan)

    for one, other in zip(series_scale(with_gaps, 5), series_scale(row, 5)):
        assert_array_equal(one, other)


def test_each_dimension_has_its_own_scale():
    values = np.random.default_rng(4).normal(size=(3, 20)) * [[1], [9], [99]]

    together = series_scale(values, 5)

    assert together.centre.shape == together.width.shape == (3, 1)
    for i, row in enumerate(values):
        for one, other in zip(together, series_scale(row, 5)):
            assert_array_equal(one[i], other)


@pytest.mark.parametrize(
    "row, expected",
    [
        ([], (0, 1)),
        ([np.nan, np.nan], (0, 1)),
        ([-4.0, -4.0], (-4, 4)),  # as wide as it is far from zero
        ([0.0, 0.0, 0.0], (0, 1)),
        ([1.0, 3.0], (2, 1)),  # shorter than a context
    ],
)
def test_a_series_always_has_a_width(row, expected):
    scale = series_scale(np.array(row), context_length=5)

    assert_array_equal(np.ravel(scale), expected)
