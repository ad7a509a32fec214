"""
What is left of a long series looks like all of it.
"""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from gluonts_lai.plot.thinning import MOST_POINTS, least, telling


@pytest.mark.parametrize("num_points", [0, 1, MOST_POINTS])
def test_a_short_series_is_kept_whole(num_points):
    kept = telling(np.zeros(num_points), flagged=np.zeros(num_points, bool))

    assert_array_equal(kept, np.arange(num_points))


@pytest.mark.parametrize("num_points", [MOST_POINTS + 1, 12_345, 100_000])
def test_each_stretch_keeps_its_extremes_and_each_flagged_point_stays(
    num_points,
):
    rng = np.random.default_rng(num_points)
    values = rng.standard_t(2, size=num_points)
    flagged = rng.uniform(size=num_points) < 0.01

    kept = telling(values, flagged=flagged)

    assert (np.diff(kept) > 0).all()
    assert np.isin(np.flatnonzero(flagged), kept).all()
    assert len(kept) <= MOST_POINTS + flagged.sum()
    width = -(-2 * num_points // MOST_POINTS)
    for begin in range(0, num_points, width):
        stretch = values[begin : begin + width]
        ours = values[kept[(begin <= kept) & (kept < begin + width)]]
        assert (ours.min(), ours.max()) == (stretch.min(), stretch.max())


def test_missing_points_are_never_the_least_of_others():
    values = np.array([np.nan, 3.0, 2.0, np.nan, np.nan, np.nan, 7.0])

    assert_array_equal(least(values, 3), [2, 3, 6])
