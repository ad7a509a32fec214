"""
Forecasts of every kind, as densities.
"""

from typing import Any, Iterable

import numpy as np
from gluonts.model.forecast import (
    Forecast,
    Quantile,
    QuantileForecast,
    SampleForecast,
)
from gluonts.model.predictor import Predictor

from .densities import Density, StudentT, from_quantiles, no_narrower
from .scoring import Points
from .trees import density_of_trees, is_of_trees

# Levels at which a forecast of unknown kind is asked for its quantiles.
LEVELS = np.array([0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95])


def made_by(
    predictor: Predictor, entries: Iterable[dict], **kwargs: Any
) -> list[Forecast]:
    """The forecasts of a predictor, or one sentence on why it has none."""
    try:
        return list(predictor.predict(entries, **kwargs))
    except AssertionError as error:  # GluonTS's way to refuse data
        raise ValueError(
            "each series must be one that the forecaster can go on from, got "
            f"{str(error) or 'another'!r:.100}; give more of its points, and "
            "its features up to the end of the forecast."
        ) from error


def density_of(forecasts: list[Forecast]) -> Density:
    """The density of forecasts of one kind, of equally many points each."""
    first = forecasts[0]
    if isinstance(first, SampleForecast):
        return density_of_samples(np.stack([f.samples for f in forecasts]))
    if isinstance(first, QuantileForecast):
        levels, rows = quantile_rows(first)
        arrays = [forecast.forecast_array[rows] for forecast in forecasts]
        return density_of_quantiles(levels, np.stack(arrays, axis=1))
    if is_of_trees(first):
        return density_of_trees(forecasts)
    quantiles = [[f.quantile(level) for f in forecasts] for level in LEVELS]
    return density_of_quantiles(LEVELS, np.array(quantiles))


def density_of_samples(samples: np.ndarray) -> Density:
    """
    Samples on axis 1; none that differ are a point forecast.

    That is asked of each point: where a series idles, there is none that
    differs from a forecaster whose other samples do.
    """
    density = StudentT.from_samples(samples, axis=1)
    # Spread by less than single precision can tell, they are as good as one.
    least = no_narrower(np.array(0.0), density.loc)
    differ = density.scale > least
    if not differ.any():
        return Points(density.loc)
    return density._replace(scale=np.where(differ, density.scale, np.nan))


def density_of_quantiles(levels: np.ndarray, knots: np.ndarray) -> Density:
    """Quantiles on axis 0; a single one is a point forecast."""
    if len(levels) == 1:
        return Points(knots[0].astype(float))
    return from_quantiles(levels, knots)


def quantile_rows(forecast: QuantileForecast) -> tuple[np.ndarray, list[int]]:
    """Levels of the quantiles of a forecast, and their rows; no mean."""
    rows = [i for i, k in enumerate(forecast.forecast_keys) if k != "mean"]
    keys = [forecast.forecast_keys[i] for i in rows]
    if not keys:
        return np.array([0.5]), [0]
    return np.array([Quantile.parse(key).value for key in keys]), rows
