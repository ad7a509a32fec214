"""
Which points of a long series to draw.

A picture has about a thousand columns of dots. Of a series far longer than
that, the least and the greatest point of each bin look the same as all of
them; flagged points are drawn besides, each of them.
"""

from typing import Optional

import numpy as np

MOST_POINTS = 4_000  # two for each bin


def telling(
    *arrays: np.ndarray, flagged: Optional[np.ndarray] = None
) -> np.ndarray:
    """
    Indices of the points to draw: all of a short series.

    Of a long one, the least and the greatest of each array in each bin, and
    every flagged point. A bin without values keeps a NaN, so that lines break.
    """
    num_points = len(arrays[0])
    if num_points <= MOST_POINTS:
        return np.arange(num_points)
    width = -(-2 * num_points // MOST_POINTS)
    kept = [least(sign * array, width) for array in arrays for sign in (1, -1)]
    if flagged is not None:
        kept.append(np.flatnonzero(flagged))
    return np.unique(np.concatenate(kept))


def least(array: np.ndarray, width: int) -> np.ndarray:
    """Indices of the least value in each bin of some width."""
    array = np.where(np.isnan(array), np.inf, array)
    begin = np.arange(0, len(array), width)
    padding = begin.size * width - len(array)
    bins = np.pad(array, (0, padding), constant_values=np.inf)
    return begin + bins.reshape(-1, width).argmin(axis=1)
