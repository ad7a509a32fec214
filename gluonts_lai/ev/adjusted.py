"""
Point adjustment (Donut: Xu et al. 2018): one flagged point finds its segment.

If any point of a true segment is flagged, all of its points count as found.
The longer the segments, the better a random score does: print it beside one.
"""

import numpy as np

from .pointwise import best_f1
from .series import Segments, as_judged


def best_adjusted_f1(labels: np.ndarray, scores: np.ndarray) -> float:
    """
    The highest point-adjusted F1 that any threshold on the scores gives.

    Parameters
    ----------
    labels
        1 where a point is anomalous, 0 elsewhere; one series.
    scores
        The higher, the more anomalous. NaN results where nothing is labelled.

    Examples
    --------
    >>> best_adjusted_f1([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.5])  # at 0.9
    1.0
    """
    labels, scores = as_judged(labels, scores)
    if not labels.any():
        return float("nan")
    segments = Segments.of(labels)
    # A segment is found as soon as its highest point is flagged.
    adjusted = scores.copy()
    lengths = segments.stops - segments.starts
    adjusted[labels] = np.repeat(segments.highest(scores), lengths)
    return best_f1(labels, adjusted)
