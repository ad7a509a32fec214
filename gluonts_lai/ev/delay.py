"""
How long does it take until an anomaly is noticed?
"""

import numpy as np

from .series import Segments, as_flagged, mean_of_known


def mean_delay(labels: np.ndarray, flags: np.ndarray) -> float:
    """
    Points from the beginning of a true segment to its first flagged one.

    The mean is over the segments that are found at all: see
    :func:`segment_recall` for their share. The lower, the better.

    Parameters
    ----------
    labels
        1 where a point is anomalous, 0 elsewhere; one series.
    flags
        1 where a point is flagged, 0 elsewhere. NaN results where no segment
        is found.

    Examples
    --------
    >>> mean_delay([0, 1, 1, 1, 0, 1, 1], [1, 0, 0, 1, 0, 1, 0])  # 2 and 0
    1.0
    """
    labels, flags = as_flagged(labels, flags)
    segments = Segments.of(labels)
    times = np.where(flags, np.arange(len(flags)), np.inf)
    delays = segments.lowest(times) - segments.starts
    return mean_of_known(delays[np.isfinite(delays)])
