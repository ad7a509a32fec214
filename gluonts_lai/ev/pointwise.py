"""
Point by point: each point is a case of its own.
"""

import numpy as np

from .series import as_flagged, as_judged, mean_of_known
from .sweep import Sweep


def precision(labels: np.ndarray, flags: np.ndarray) -> float:
    """
    Share of the flagged points that are anomalous.

    Parameters
    ----------
    labels
        1 where a point is anomalous, 0 elsewhere; one series.
    flags
        1 where a point is flagged, 0 elsewhere. NaN results where nothing is
        flagged.

    Examples
    --------
    >>> precision([0, 1, 1, 1], [1, 1, 0, 0])
    0.5
    """
    labels, flags = as_flagged(labels, flags)
    return mean_of_known(labels[flags])


def recall(labels: np.ndarray, flags: np.ndarray) -> float:
    """
    Share of the anomalous points that are flagged.

    Parameters are those of :func:`precision`; NaN results where nothing is
    labelled.

    Examples
    --------
    >>> recall([0, 1, 1, 1], [1, 1, 1, 0])
    0.6666666666666666
    """
    labels, flags = as_flagged(labels, flags)
    return mean_of_known(flags[labels])


def f1(labels: np.ndarray, flags: np.ndarray) -> float:
    """
    Harmonic mean of precision and recall of the points that are flagged.

    Parameters
    ----------
    labels
        1 where a point is anomalous, 0 elsewhere; one series.
    flags
        1 where a point is flagged, 0 elsewhere. If nothing is labelled, the
        result is 1 where nothing is flagged, else 0.

    Examples
    --------
    >>> f1([0, 1, 1, 0], [0, 1, 0, 0])  # precision 1, recall 1/2
    0.6666666666666666
    """
    labels, flags = as_flagged(labels, flags)
    num_marked = int(labels.sum() + flags.sum())
    if num_marked == 0:
        return 1.0
    return float(2 * (labels & flags).sum() / num_marked)


def best_f1(labels: np.ndarray, scores: np.ndarray) -> float:
    """
    The highest :func:`f1` that any threshold on the scores gives.

    Parameters
    ----------
    labels
        1 where a point is anomalous, 0 elsewhere; one series.
    scores
        The higher, the more anomalous. NaN results where nothing is labelled.

    Examples
    --------
    >>> best_f1([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.5])  # at 0.4
    0.8
    """
    labels, scores = as_judged(labels, scores)
    if not labels.any():
        return float("nan")
    sweep = Sweep.of(scores)
    num_marked = sweep.num_flagged + labels.sum()
    return float((2 * sweep.hits(labels) / num_marked).max())


def auc_pr(labels: np.ndarray, scores: np.ndarray) -> float:
    """
    Area under the curve of precision over recall: average precision.

    A sum of steps, with no line drawn between thresholds. Parameters are
    those of :func:`best_f1`.

    Examples
    --------
    >>> auc_pr([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.5])  # 1/2 · 1 + 1/2 · 2/3
    0.8333333333333333
    """
    labels, scores = as_judged(labels, scores)
    if not labels.any():
        return float("nan")
    sweep = Sweep.of(scores)
    num_hits = sweep.hits(labels)
    steps = np.diff(num_hits, prepend=0) / labels.sum()
    return float(steps @ (num_hits / sweep.num_flagged))
