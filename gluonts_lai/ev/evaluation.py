"""
Many series, all metrics, one table.
"""

from typing import Iterable, Mapping, NamedTuple, Sequence

import numpy as np
import pandas as pd

from gluonts_lai.seeds import derived

from .adjusted import adjusted_f1, best_adjusted_f1
from .control import random_control
from .delay import mean_delay
from .pointwise import auc_pr, best_f1, f1, precision, recall
from .ranges import vus_pr
from .segmentwise import (
    best_composite_f1,
    composite_f1,
    segment_f1,
    segment_precision,
    segment_recall,
)
from .series import Metric, mean_of_known

SCORE_METRICS: Mapping[str, Metric] = {
    "best_f1": best_f1,
    "best_adjusted_f1": best_adjusted_f1,
    "best_composite_f1": best_composite_f1,
    "auc_pr": auc_pr,
    "vus_pr": vus_pr,
}
FLAG_METRICS: Mapping[str, Metric] = {
    "precision": precision,
    "recall": recall,
    "f1": f1,
    "adjusted_f1": adjusted_f1,
    "segment_precision": segment_precision,
    "segment_recall": segment_recall,
    "segment_f1": segment_f1,
    "composite_f1": composite_f1,
    "mean_delay": mean_delay,
}


class Row(NamedTuple):
    """One metric, over all series in which it is defined."""

    metric: str
    mean: float
    median: float
    num_series: int  # in which it is defined
    random: float  # mean of the control


def evaluate_detections(
    labels: Iterable[np.ndarray],
    scores: Iterable[np.ndarray],
    flags: Iterable[np.ndarray] | None = None,
    *,
    score_metrics: Mapping[str, Metric] = SCORE_METRICS,
    flag_metrics: Mapping[str, Metric] = FLAG_METRICS,
    num_draws: int = 10,
    seed: int = 0,
) -> pd.DataFrame:
    """
    A row for each metric: ``mean`` and ``median`` over the series in which it
    is defined, ``num_series``, their number, and ``random``, the mean of
    :func:`random_control`.

    Of the detections that ``LAIPredictor.detect`` yields, take ``score``, and
    ``probability > 0.5`` for flags.

    Parameters
    ----------
    labels
        For each series, 1 where a point is anomalous and 0 elsewhere.
    scores
        For each series, the higher, the more anomalous.
    flags
        For each series, 1 where a point is flagged and 0 elsewhere. Without
        them, there are no rows of flags.
    score_metrics, flag_metrics
        Functions of labels and scores, and of labels and flags, by the names
        of their rows; for other settings, use :func:`functools.partial`.
    num_draws, seed
        Random orders for the control of each series.

    Examples
    --------
    >>> labels = [[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    >>> scores = [[1, 4, 2, 3], [1, 2, 3, 4], [4, 3, 2, 1]]
    >>> table = evaluate_detections(labels, scores)
    >>> table.loc[["best_f1", "auc_pr"], "mean"].round(2).to_dict()
    {'best_f1': 0.9, 'auc_pr': 0.92}
    >>> print(table.num_series["auc_pr"])  # nothing is labelled in the third
    2
    """
    labels = list(labels)
    rows = evaluate(
        score_metrics, labels, list(scores), "scores", num_draws, seed
    )
    if flags is not None:
        rows += evaluate(
            flag_metrics, labels, list(flags), "flags", num_draws, seed
        )
    return pd.DataFrame(rows, columns=Row._fields).set_index("metric")


def evaluate(
    metrics: Mapping[str, Metric],
    labels: Sequence[np.ndarray],
    others: Sequence[np.ndarray],
    kind: str,
    num_draws: int,
    seed: int,
) -> list[Row]:
    """The rows of metrics that take scores, or of those that take flags."""
    if len(labels) != len(others):
        raise ValueError(
            f"labels and {kind} must be of the same series, got those of "
            f"{len(labels)} and of {len(others)}; pass one array a series."
        )
    rows = []
    for name, metric in metrics.items():
        values, controls = [], []
        for i, pair in enumerate(zip(labels, others)):
            try:
                values.append(metric(*pair))
            except ValueError as error:
                raise ValueError(f"In series {i}: {error}") from error
            controls.append(
                random_control(metric, *pair, num_draws, derived(seed, i))
            )
        rows.append(summary(name, values, mean_of_known(controls)))
    return rows


def summary(name: str, values: Sequence[float], random: float) -> Row:
    known = [x for x in values if not np.isnan(x)]
    median = float(np.median(known)) if known else float("nan")
    return Row(name, mean_of_known(known), median, len(known), random)
