"""
The Hampel filter: what most people clean a series with.

A point that lies further from the median of its window than ``num_sigmas``
standard deviations is replaced by that median. The standard deviation is that
of the window, too: 1.4826 times the median of the absolute deviations (MAD),
as for Gaussian points.

    causal    the window is the point and the ``window - 1`` before it: what
              can be done to a context, whose future is not known yet
    centred   as many points on both sides: the usual filter, for data that
              are trained on

Windows are cut short where the series ends. Missing values are not counted and
stay missing. A window with a MAD of 0 (half of its points are the same) knows
no standard deviation and replaces nothing.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SIGMAS_A_MAD = 1.4826
POINTS_AT_ONCE = 4_000_000  # of all windows together: 32 MB


def median_and_mad(windows):
    """Of each row, by the points that are there; NaN where there are none."""
    # Missing points sort to the end, so the middle is that of the others.
    ordered = np.sort(windows, axis=-1)
    num_there = (~np.isnan(windows)).sum(axis=-1, keepdims=True)
    median = middle(ordered, num_there)
    deviation = np.sort(np.abs(windows - median), axis=-1)
    return median[:, 0], middle(deviation, num_there)[:, 0]


def middle(ordered, num_there):
    """Mean of the two points (often the same one) in the middle of a row."""
    low = np.take_along_axis(ordered, np.maximum(num_there - 1, 0) // 2, -1)
    high = np.take_along_axis(
        ordered, np.minimum(num_there // 2, ordered.shape[-1] - 1), -1
    )
    return (low + high) / 2


def hampel(
    values: np.ndarray,
    window: int = 25,
    num_sigmas: float = 3.0,
    centred: bool = False,
) -> np.ndarray:
    """
    A series with its outliers replaced by the median around them.

    Parameters
    ----------
    values
        One series; NaN where nothing was observed.
    window
        Number of points that a median is taken of.
    num_sigmas
        How far from the median a point may lie.
    centred
        Whether a window reaches to both sides of its point.

    Examples
    --------
    The 90 is far from the median 3 of its window, whose MAD is 1:

    >>> values = np.array([1.0, 2.0, 3.0, 4.0, 90.0, 4.0, 3.0, np.nan, 1.0])
    >>> hampel(values, window=5)
    array([ 1.,  2.,  3.,  4.,  3.,  4.,  3., nan,  1.])

    Looking ahead too, its window is 3, 4, 90, 4, 3, with a median of 4:

    >>> hampel(values, window=5, centred=True)
    array([ 1.,  2.,  3.,  4.,  4.,  4.,  3., nan,  1.])

    Half of these are the same, and nobody knows what is far:

    >>> hampel(np.array([5.0, 5.0, 5.0, 5.0, 90.0]), window=5)
    array([ 5.,  5.,  5.,  5., 90.])
    """
    if window < 1:
        raise ValueError(f"window must be at least 1, got {window}.")
    values = np.asarray(values, dtype=float)
    ahead = (window - 1) // 2 if centred else 0
    padded = np.pad(
        values, (window - 1 - ahead, ahead), constant_values=np.nan
    )
    windows = sliding_window_view(padded, window)
    cleaned = values.copy()
    step = max(POINTS_AT_ONCE // window, 1)
    for begin in range(0, len(values), step):
        part = slice(begin, begin + step)
        median, mad = median_and_mad(windows[part])
        distance = np.abs(values[part] - median)
        far = (mad > 0) & (distance > num_sigmas * SIGMAS_A_MAD * mad)
        cleaned[part] = np.where(far, median, values[part])
    return cleaned
