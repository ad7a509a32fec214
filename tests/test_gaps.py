"""
Gaps are found, and filled with something ordinary.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai.gaps import Gaps, bounded, fill

from . import naive


def flags(rng, p_enter=0.2, p_stay=0.6, shape=(30, 25)):
    """Runs, some of them at both ends, and rows of nothing else."""
    z = rng.random(shape) < p_enter
    for t in range(1, shape[1]):
        z[:, t] |= z[:, t - 1] & (rng.random(shape[0]) < p_stay)
    z[0], z[1] = False, True
    return z


def test_gaps_are_runs_of_flags():
    inside = flags(np.random.default_rng(0))

    gaps = Gaps.of(inside)

    expected = [
        (i, run[0], run[-1] + 1)
        for i, row in enumerate(inside)
        for run in naive.runs(row)
    ]
    assert inside[:, 0].any() and inside[:, -1].any()
    assert_array_equal(np.transpose(gaps), expected)


def test_the_points_of_gaps_are_the_flags():
    inside = flags(np.random.default_rng(1))
    gaps = Gaps.of(inside)

    gap, row, time = gaps.points()

    again = np.zeros_like(inside, dtype=int)
    again[row, time] += 1
    assert_array_equal(again, inside)
    assert len(row) == inside.sum()
    assert_array_equal(row, gaps.row[gap])
    assert ((gaps.begin[gap] <= time) & (time < gaps.end[gap])).all()


def test_long_gaps_are_longer_than_a_length():
    gaps = Gaps.of(flags(np.random.default_rng(2)))

    lengths = gaps.end - gaps.begin
    for length in (0, 1, 3, 100, np.inf):
        longer = gaps.longer_than(length)
        assert_array_equal(
            longer.end - longer.begin, lengths[lengths > length]
        )


@pytest.mark.parametrize("bridge", [True, False])
@pytest.mark.parametrize("share_expected", [None, 0.0, 0.6, 1.0])
@pytest.mark.parametrize("share_missing", [0.0, 0.15])
def test_gaps_are_filled_as_one_would_by_hand(
    bridge, share_expected, share_missing
):
    rng = np.random.default_rng(3)
    anomalous = flags(rng)
    values = rng.normal(size=anomalous.shape)
    values[rng.random(values.shape) < share_missing] = np.nan
    expected = None
    if share_expected is not None:
        expected = rng.normal(size=anomalous.shape)
        known = rng.random(anomalous.shape) < share_expected
        expected[~known] = np.nan

    filled = fill(values, anomalous, expected, bridge)

    by_hand = naive.fill(values, anomalous, expected, bridge)
    assert_allclose(filled, by_hand, rtol=1e-12, atol=1e-12)
    assert np.isfinite(filled).all()


def test_nothing_else_is_touched():
    rng = np.random.default_rng(4)
    anomalous = flags(rng)
    values = rng.normal(size=anomalous.shape).astype(np.float32)
    expected = rng.normal(size=anomalous.shape)
    before = values.copy(), anomalous.copy(), expected.copy()

    filled = fill(values, anomalous, expected)

    assert_array_equal(filled[~anomalous], values[~anomalous])
    assert filled.dtype == values.dtype
    for one, other in zip(before, (values, anomalous, expected)):
        assert_array_equal(one, other)


def test_a_bridge_ends_where_the_data_go_on():
    values = np.array([[0.0, 9.0, 9.0, 9.0, 8.0]])
    flat = np.zeros((1, 5))

    filled = fill(values, np.array([[0, 1, 1, 1, 0]]), flat)

    # From an expectation of 0 to 8, four steps later.
    assert_allclose(filled, [[0, 2, 4, 6, 8]])


@pytest.mark.parametrize("max_run", [1, 3.0, 5, np.inf])
def test_no_run_is_longer_than_its_bound(max_run):
    path = flags(np.random.default_rng(5)).astype(np.uint8)
    before = path.copy()

    bound = bounded(path, max_run)

    expected = np.zeros_like(path)
    for i, row in enumerate(path):
        for run in naive.runs(row):
            for n, t in enumerate(run):
                expected[i, t] = n < max_run
    assert_array_equal(bound, expected)
    assert_array_equal(path, before)
