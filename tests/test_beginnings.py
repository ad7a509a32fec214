"""
Where a first context begins: whole rows, and one value after the other.
"""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from gluonts_lai.beginnings import beginning, first_context, go_on, num_after

NAN = np.nan


def stretches(seed, num_stretches=12):
    """A row of few different values, often the same for a while."""
    rng = np.random.default_rng(seed)
    values = rng.choice([NAN, 0.0, 1.0, 2.0], num_stretches)
    return np.repeat(values, rng.integers(1, 9, num_stretches))


@pytest.mark.parametrize("length", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("seed", range(20))
def test_value_by_value_it_is_the_same_as_of_whole_rows(seed, length):
    row = stretches(seed)
    first, num_before = [], None
    for t, value in enumerate(row, 1):
        if num_before is None and go_on(first, value, length):
            num_before = t

        assert_array_equal(beginning(row[:t], length), first)
        after = 0 if num_before is None else t - num_before
        assert num_after(row[:t], length) == after


@pytest.mark.parametrize(
    "row, expected",
    [
        ([1, 2, 3, 4, 5], [1, 2, 3]),
        ([NAN, NAN, NAN, NAN, 1, 2, 3, 4], [1, 2, 3]),
        ([1, NAN, NAN, 4, 5], [1, NAN, NAN, 4]),
        ([1, NAN, NAN, NAN, NAN, 4, 5], [1, NAN, NAN, 4]),
        ([1, NAN, NAN, 1, NAN, 4, 5, 6], [4, 5, 6]),
        ([1, 1, 2, 3, 4], [1, 1, 2]),
        ([1, 1, 1, 2, 3, 4, 5], [2, 3, 4]),
        ([1, 1, 1, 1, NAN, 1, 2, 2, 2, 1, 2], [1, 2]),
        ([1, 1, 1, 1, 2], [2]),
        ([1, 1, 1, 1], [1, 1, 1]),
        ([NAN, NAN], []),
        ([], []),
    ],
    ids=str,
)
def test_it_begins_with_a_value_that_another_follows(row, expected):
    assert_array_equal(beginning(np.array(row, dtype=float), 3), expected)


def test_each_row_begins_by_itself():
    nothing = np.full(6, NAN)
    late = np.array([NAN, NAN, 1.0, 2.0, 3.0, 4.0])
    early = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    entry = np.stack([nothing, late, early])

    expected = [[NAN, NAN, NAN], [1, 2, 3], [1, 2, 3]]
    assert_array_equal(first_context(entry, 3), expected)
    assert_array_equal(num_after(entry, 3), [0, 1, 3])
