"""
What is chance worth?
"""

import numpy as np

from .series import Metric, mean_of_known


def random_control(
    metric: Metric,
    labels: np.ndarray,
    scores: np.ndarray,
    num_draws: int = 10,
    seed: int = 0,
) -> float:
    """
    What a metric says of the same scores in random order, on average.

    Scores keep their ties, and flags their number: the control raises as many
    alarms as the detector, and knows nothing.

    Parameters
    ----------
    metric
        Any function of this module, or one's own: of labels and scores, or
        of labels and flags.
    labels
        1 where a point is anomalous, 0 elsewhere; one series.
    scores
        Those of the detector; or its flags, for a metric of flags. Numbers
        that differ, ``np.arange(len(labels))``, are as good as any scores
        without ties.
    num_draws
        Number of random orders. Those in which the metric is NaN are left
        out; NaN results where it always is.
    seed
        The same seed gives the same orders.

    Examples
    --------
    Point adjustment flatters:

    >>> from gluonts_lai.ev import best_adjusted_f1, best_f1
    >>> labels = np.arange(1_000) // 50 == 7  # one anomaly of 50 points
    >>> for metric in (best_f1, best_adjusted_f1):
    ...     print(f"{random_control(metric, labels, np.arange(1_000)):.1f}")
    0.1
    0.8
    """
    if num_draws < 1:
        raise ValueError(
            f"num_draws must be at least 1, got {num_draws}; a control is the "
            "mean of what was drawn."
        )
    rng = np.random.default_rng(seed)
    draws = [metric(labels, rng.permutation(scores)) for _ in range(num_draws)]
    return mean_of_known(draws)
