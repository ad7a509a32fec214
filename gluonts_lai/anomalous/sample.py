"""
What a series shows of its anomalies: values, and how anomalous each is.
"""

from typing import NamedTuple, Optional

import numpy as np

from gluonts_lai.arrays import real_array

# Squares of numbers up to this, and of their inverses, are finite.
LARGEST = 1e150


class Sample(NamedTuple):
    """The finite values of a series, where they lie and how far they reach."""

    values: np.ndarray
    weights: Optional[np.ndarray]
    low: float
    high: float

    @classmethod
    def of(
        cls, values: np.ndarray, weights: Optional[np.ndarray] = None
    ) -> "Sample":
        values = real_array(values, "values")
        if values.ndim != 1:
            raise ValueError(
                "values must be one series, got an array of shape "
                f"{values.shape}; fit each series on its own."
            )
        finite = np.isfinite(values)
        if not finite.any():
            raise ValueError(
                "values must hold at least one finite number, got "
                f"{values.size} without any; leave the series out."
            )
        if weights is not None:
            weights = as_weights(weights, values.shape)[finite]
        values = values[finite].astype(float)
        low, high = float(values.min()), float(values.max())
        if max(-low, high) > LARGEST:
            raise ValueError(
                f"values must lie within ±{LARGEST:g}, got {low:g} to "
                f"{high:g}; rescale the series."
            )
        return cls(values, weights, low, high)

    @property
    def middle(self) -> float:
        """Half way between the smallest and the largest value."""
        return self.low + (self.high - self.low) / 2

    @property
    def range(self) -> float:
        """
        How far the values reach.

        A constant series has no range: its size stands in for it.
        """
        sizes = (self.high - self.low, abs(self.high), 1.0)
        return next(size for size in sizes if size > 1 / LARGEST)

    @property
    def span(self) -> float:
        """How far the middle 80 % of the values reach: no outlier counts."""
        low, high = np.quantile(self.values, [0.1, 0.9])
        return float(high - low)

    @property
    def broad(self) -> tuple[float, float]:
        """
        Mean and standard deviation of the broadest Gaussian in use.

        Wide on purpose: a narrow p⁻ would steal ordinary points from the
        forecaster.
        """
        around = (self.values - self.middle) / self.range
        sd = 3.0 * float(around.std()) or 1.0
        return self.middle + self.range * float(around.mean()), self.range * sd


def as_weights(weights: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Weights of values of this shape, in double precision."""
    weights = real_array(weights, "weights").astype(float)
    if weights.shape != shape:
        raise ValueError(
            "there must be one weight for each value, got weights of shape "
            f"{weights.shape} for values of shape {shape}."
        )
    if not ((weights >= 0) & np.isfinite(weights)).all():
        raise ValueError(
            "weights must be finite and not negative, got "
            f"{weights.min()} to {weights.max()}; give 0 to missing points."
        )
    return weights
