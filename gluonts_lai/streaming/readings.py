"""
What is known of a point when it has come.
"""

from typing import Any, NamedTuple

import numpy as np

from gluonts_lai.filtering.tracks import Judged


class Reading(NamedTuple):
    """
    What is known of a point when it has come.

    Numbers, or arrays with one for each dimension.

    Examples
    --------
    >>> import pandas as pd
    >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
    >>> from gluonts_lai import LAIPredictor
    >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
    >>> values[100:103] = 20.0
    >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
    >>> naive = SeasonalNaivePredictor(1, season_length=4)
    >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
    >>> reading = predictor.stream(entry).update(30.0)
    >>> reading.is_anomaly, reading.expected, reading.replaced_by
    (True, 3.0, 3.0)
    """

    probability: Any  # P(z = 1 | all points so far)
    log_density: Any  # log p⁺; NaN where there is none
    expected: Any  # by the forecaster; NaN where it has no context
    lower: Any  # 95 % of nominal points lie between these two,
    upper: Any  # if the forecaster is right
    is_anomaly: Any  # whether the probability is above the threshold
    replaced_by: Any  # what later points see in its place; NaN if itself


def readings_of(
    judged: Judged, shape: tuple, threshold: float
) -> list[Reading]:
    """What was found of a point of each of some series."""
    bells, verdicts = judged.bells, judged.verdicts
    expected, spread = bells.expected, verdicts.spread
    columns = [
        verdicts.probability,
        verdicts.log_normal,
        expected,
        expected - bells.below * spread,
        expected + bells.above * spread,
        verdicts.probability > threshold,
        np.where(verdicts.replaced, verdicts.targets, np.nan),
    ]
    if not shape:
        return list(map(Reading, *(c[:, 0].tolist() for c in columns)))
    return list(map(Reading, *(c.reshape(-1, *shape) for c in columns)))
