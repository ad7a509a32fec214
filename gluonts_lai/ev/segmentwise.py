"""
Segment by segment: each anomaly is a case of its own, however long it lasts.

A true segment is a stretch of labelled points, an alarm a stretch of flagged
ones, both as long as possible. One that has a point in common with the other
kind is found, or right:

    recall       share of the true segments in which a point is flagged
    precision    share of the alarms in which a point is labelled

One alarm without end finds all segments and is right: the lowest threshold
would always be the best, with an F1 of 1, so none is looked for. The composite
F1 (Garg et al. 2021) has a best one, as its precision is that of points.
"""

from typing import Any

import numpy as np

from .pointwise import precision
from .series import Metric, Segments, as_flagged, as_judged, mean_of_known
from .sweep import Sweep


def segment_precision(labels: np.ndarray, flags: np.ndarray) -> float:
    """
    Share of the alarms in which a point is labelled.

    Parameters
    ----------
    labels
        1 where a point is anomalous, 0 elsewhere; one series.
    flags
        1 where a point is flagged, 0 elsewhere; a stretch of them is an
        alarm. NaN results where nothing is flagged.

    Examples
    --------
    >>> segment_precision([0, 1, 1, 1, 0, 0], [1, 1, 0, 1, 0, 1])
    0.6666666666666666
    """
    labels, flags = as_flagged(labels, flags)
    return mean_of_known(Segments.of(flags).highest(labels))


def segment_recall(labels: np.ndarray, flags: np.ndarray) -> float:
    """
    Share of the true segments in which a point is flagged.

    Parameters are those of :func:`segment_precision`; NaN results where
    nothing is labelled.

    Examples
    --------
    >>> segment_recall([1, 1, 1, 0, 0, 1], [0, 0, 1, 1, 0, 0])
    0.5
    """
    labels, flags = as_flagged(labels, flags)
    return mean_of_known(Segments.of(labels).highest(flags))


def segment_f1(labels: np.ndarray, flags: np.ndarray) -> float:
    """
    Harmonic mean of :func:`segment_precision` and :func:`segment_recall`.

    Parameters are theirs. If nothing is labelled, the result is 1 where
    nothing is flagged, else 0.

    Examples
    --------
    >>> segment_f1([1, 1, 1, 0, 0, 1], [0, 0, 1, 1, 0, 0])  # 1 and 1/2
    0.6666666666666666
    """
    return f1_of(segment_precision, labels, flags)


def composite_f1(labels: np.ndarray, flags: np.ndarray) -> float:
    """
    Harmonic mean of the precision of points and the recall of segments.

    Parameters are those of :func:`segment_precision`. If nothing is labelled,
    the result is 1 where nothing is flagged, else 0.

    Examples
    --------
    >>> composite_f1([1, 1, 1, 0, 0, 1], [0, 0, 1, 1, 0, 0])  # 1/2 and 1/2
    0.5
    """
    return f1_of(precision, labels, flags)


def best_composite_f1(labels: np.ndarray, scores: np.ndarray) -> float:
    """
    The highest :func:`composite_f1` that any threshold on the scores gives.

    Parameters
    ----------
    labels
        1 where a point is anomalous, 0 elsewhere; one series.
    scores
        The higher, the more anomalous. NaN results where nothing is labelled.

    Examples
    --------
    >>> best_composite_f1([1, 1, 0, 0, 1], [0.9, 0.1, 0.5, 0.2, 0.6])  # at 0.6
    1.0
    """
    labels, scores = as_judged(labels, scores)
    if not labels.any():
        return float("nan")
    sweep = Sweep.of(scores)
    peaks = Segments.of(labels).highest(scores)
    p = sweep.hits(labels) / sweep.num_flagged
    r = sweep.num_reaching(peaks) / len(peaks)
    found = r > 0  # elsewhere F1 is 0
    return float(harmonic_mean(p[found], r[found]).max())


def f1_of(
    precision_of: Metric, labels: np.ndarray, flags: np.ndarray
) -> float:
    """F1 of the recall of segments and a precision of either kind."""
    labels, flags = as_flagged(labels, flags)
    if not (labels & flags).any():
        return float(not (labels | flags).any())
    p, r = precision_of(labels, flags), segment_recall(labels, flags)
    return harmonic_mean(p, r)


def harmonic_mean(a: Any, b: Any) -> Any:
    return 2 * a * b / (a + b)
