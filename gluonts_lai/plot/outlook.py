"""
What does a forecast say of each point to come?

GluonTS has forecasts of many kinds: samples, a few quantiles, distributions,
single values. A picture asks all of them for the same: where the middle is,
and between which values 50 % and 90 % of the probability lie. What a forecast
does not know is left out rather than guessed.

Arrays have shape ``(dim, time)``.
"""

from typing import Any, Callable, NamedTuple, Optional

import numpy as np

SHARES = (0.9, 0.5)  # the wide band first, to lie under the other
NUM_SAMPLES = 1_000  # of a distribution without a quantile function

Quantiles = Callable[[float], np.ndarray]


class Band(NamedTuple):
    """Values between which a share of the probability lies."""

    share: float
    lower: np.ndarray
    upper: np.ndarray


class Outlook(NamedTuple):
    """A forecast, as it is drawn."""

    middle: np.ndarray
    name: str  # of the middle
    bands: list[Band]

    def map(self, change: Callable[[np.ndarray], np.ndarray]) -> "Outlook":
        """The same with each of its arrays changed."""
        bands = [
            Band(band.share, change(band.lower), change(band.upper))
            for band in self.bands
        ]
        return Outlook(change(self.middle), self.name, bands)


def outlook_of(forecast: Any) -> Outlook:
    """
    The middle of a forecast, and its bands.

    >>> import numpy as np, pandas as pd
    >>> from gluonts.model.forecast import QuantileForecast
    >>> forecast = QuantileForecast(
    ...     np.array([[1.0, 1.0], [2.0, 3.0], [5.0, 7.0]]),
    ...     start_date=pd.Period("2024-01-01", "D"),
    ...     forecast_keys=["0.1", "0.5", "0.9"],
    ... )
    >>> outlook = outlook_of(forecast)
    >>> outlook.name, [band.share for band in outlook.bands]
    ('median', [0.8, 0.5])
    >>> outlook.bands[0].upper
    array([[5., 7.]])
    """
    if hasattr(forecast, "forecast_keys"):
        return outlook_of_few(forecast)
    quantile = quantiles_of(forecast)
    if quantile is None:
        return Outlook(rows_of(forecast.mean), "forecast", [])
    bands = [band_of(quantile, share) for share in SHARES]
    bands = [band for band in bands if not np.array_equal(*band[1:])]
    name = "median" if bands else "forecast"
    return Outlook(quantile(0.5), name, bands)


def outlook_of_few(forecast: Any) -> Outlook:
    """
    The same from a few quantiles.

    Beyond the outermost of them GluonTS would guess: bands end there instead.
    """
    arrays = dict(
        zip(forecast.forecast_keys, map(rows_of, forecast.forecast_array))
    )
    mean = arrays.pop("mean", None)
    levels = np.array(sorted(map(float, arrays)))
    table = np.array([arrays[key] for key in sorted(arrays, key=float)])
    if not levels.size:
        assert mean is not None, "a forecast of nothing"
        return Outlook(mean, "mean", [])

    def quantile(level: float) -> np.ndarray:
        return between(levels, table, level)

    tail = float(max(levels[0], 1 - levels[-1]))
    widest = round(1 - 2 * tail, 9)
    shares = {min(share, widest) for share in SHARES} if widest > 0 else ()
    bands = [band_of(quantile, s) for s in sorted(shares, reverse=True)]
    if levels[0] <= 0.5 <= levels[-1]:
        return Outlook(quantile(0.5), "median", bands)
    if mean is not None:
        return Outlook(mean, "mean", bands)
    nearest = int(np.abs(levels - 0.5).argmin())
    return Outlook(table[nearest], f"quantile {levels[nearest]:g}", bands)


def between(levels: np.ndarray, table: np.ndarray, level: float) -> np.ndarray:
    """A quantile between two that are known."""
    right = int(np.searchsorted(levels, level))
    if levels[right] == level:
        return table[right]
    weight = (level - levels[right - 1]) / (levels[right] - levels[right - 1])
    return table[right - 1] + weight * (table[right] - table[right - 1])


def band_of(quantile: Quantiles, share: float) -> Band:
    tail = round((1 - share) / 2, 9)
    return Band(share, quantile(tail), quantile(round(1 - tail, 9)))


def quantiles_of(forecast: Any) -> Optional[Quantiles]:
    """The quantile function of a forecast; None for one that has none."""
    try:
        forecast.quantile(0.5)
    except NotImplementedError:
        if not hasattr(forecast, "distribution"):
            return None
        samples = samples_of(forecast)
        return lambda level: rows_of(np.quantile(samples, level, axis=0))
    return lambda level: rows_of(forecast.quantile(level))


def samples_of(forecast: Any) -> np.ndarray:
    """Draws from a distribution; the caller's chance goes on untouched."""
    from gluonts_lai.backends import backend_of, seeded

    with seeded(0):
        if getattr(backend_of(forecast), "__name__", "") == "gluonts_lai.mx":
            # Its to_sample_forecast wants an array, and gets MXNet's own.
            return forecast.distribution.sample(NUM_SAMPLES).asnumpy()
        return forecast.to_sample_forecast(NUM_SAMPLES).samples


def rows_of(values: Any) -> np.ndarray:
    """``(time,)`` or ``(time, dim)`` as ``(dim, time)``."""
    return np.atleast_2d(np.asarray(values, dtype=float).T)
