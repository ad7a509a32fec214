"""
What other libraries say of a series: rivals in finding anomalies.

Each detector learns from the first part of one series and scores every point
of the whole of it: the higher, the more anomalous. None is told a label.

    darts              a linear regression on the last 25 points, one step
                       ahead (Darts' ForecastingAnomalyModel); the score is
                       the absolute error (its NormScorer)
    knn                distance to the fifth nearest window of the training
                       part (PyOD)
    iforest            isolation forest of 100 trees, grown on the windows of
                       the training part (PyOD)
    matrix profile     distance to the nearest window of the training part,
                       both z-normalised (stumpy, an AB-join)
    spectral residual  saliency in the spectrum of the whole series (PyOD;
                       Ren et al. 2019). It learns nothing, and it alone looks
                       ahead, which is to its advantage
    random             a control: any score at all

Windows have 25 points, and the score of a window is that of its last point.
PyOD sees them as they are, which is how it makes windows itself. Options are
those that each library has by default.

Missing points are interpolated between their neighbours before a rival sees
them. Points with no window before them have the lowest score of the series.

stumpy compiles for about a minute when a process first calls it.
"""

from functools import partial
from typing import Any, Callable

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

WINDOW = 25


def filled(values: np.ndarray) -> np.ndarray:
    """A series without gaps: straight lines across, ends repeated."""
    values = np.asarray(values, dtype=float)
    seen = np.isfinite(values)
    if not seen.any():
        return np.zeros(len(values))
    time = np.arange(len(values))
    return np.interp(time, time[seen], values[seen])


def at_the_end(scores: np.ndarray, length: int) -> np.ndarray:
    """Scores of the last points; all others have the lowest of them."""
    scores = np.asarray(scores, dtype=float)
    scored = np.isfinite(scores)
    lowest = scores[scored].min() if scored.any() else 0.0
    points = np.full(length, lowest)
    points[length - len(scores) :] = np.where(scored, scores, lowest)
    return points


def darts(train: np.ndarray, whole: np.ndarray) -> np.ndarray:
    from darts import TimeSeries
    from darts.ad import ForecastingAnomalyModel, NormScorer
    from darts.models import LinearRegressionModel

    regression = LinearRegressionModel(lags=WINDOW)
    regression.fit(TimeSeries.from_values(filled(train)))
    errors = ForecastingAnomalyModel(regression, NormScorer()).score(
        TimeSeries.from_values(filled(whole)), forecast_horizon=1
    )
    return at_the_end(errors.values()[:, 0], len(whole))


def by_windows(
    model: Any, train: np.ndarray, whole: np.ndarray, normalised: bool
) -> np.ndarray:
    """The scores of a detector of PyOD, which knows no time."""
    windows = sliding_window_view(filled(whole), WINDOW)
    if normalised:
        spread = windows.std(axis=1, keepdims=True)
        windows = windows - windows.mean(axis=1, keepdims=True)
        windows = windows / np.where(spread > 0, spread, 1)
    num_known = len(train) - WINDOW + 1
    # PyOD keeps the scores of what it learned from: no window of the training
    # part is its own neighbour.
    known = model.fit(windows[:num_known]).decision_scores_
    new = model.decision_function(windows[num_known:])
    return at_the_end(np.concatenate([known, new]), len(whole))


def knn(
    train: np.ndarray, whole: np.ndarray, normalised: bool = False
) -> np.ndarray:
    from pyod.models.knn import KNN

    return by_windows(KNN(), train, whole, normalised)


def iforest(
    train: np.ndarray, whole: np.ndarray, normalised: bool = False
) -> np.ndarray:
    from pyod.models.iforest import IForest

    return by_windows(IForest(random_state=0), train, whole, normalised)


def matrix_profile(train: np.ndarray, whole: np.ndarray) -> np.ndarray:
    import stumpy

    profile = stumpy.stump(
        filled(whole), WINDOW, filled(train), ignore_trivial=False
    )
    return at_the_end(profile[:, 0], len(whole))


def spectral_residual(train: np.ndarray, whole: np.ndarray) -> np.ndarray:
    from pyod.models.ts_spectral_residual import SpectralResidual

    scores = SpectralResidual().fit(filled(whole)).decision_scores_
    return at_the_end(scores, len(whole))


def random(train: np.ndarray, whole: np.ndarray, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random(len(whole))


DETECTORS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "darts": darts,
    "knn": knn,
    "knn, z-normalised": partial(knn, normalised=True),
    "iforest": iforest,
    "iforest, z-normalised": partial(iforest, normalised=True),
    "matrix profile": matrix_profile,
    "spectral residual": spectral_residual,
    "random": random,
}
