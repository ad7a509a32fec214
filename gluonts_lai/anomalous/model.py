"""
What every p⁻ has to answer.
"""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Optional

import numpy as np

from gluonts_lai.arrays import real_array

# Squares of numbers up to this, and of their inverses, are finite.
LARGEST = 1e150


class AnomalousModel(ABC):
    """
    The density of anomalous points, one for each series.

    A model with open parameters is a recipe: :meth:`fit` fills them in from a
    series and returns a new model; the recipe itself never changes. Parameters
    that were given stay as they are.

    To write one of your own, subclass this and answer both questions; where
    the density can be zero, mix in a :class:`CauchyFloor`. To have it
    serialised with a model, make it a frozen dataclass and a
    :class:`gluonts_lai.value.Value`.
    """

    @abstractmethod
    def fit(
        self, values: np.ndarray, weights: Optional[np.ndarray] = None
    ) -> "AnomalousModel":
        """
        The model of the anomalies of one series.

        Parameters
        ----------
        values
            The whole series; NaN marks missing points.
        weights
            How anomalous each point is, from 0 to 1. None where nothing is
            known yet: the model then describes the series as a whole.
        """

    @abstractmethod
    def log_prob(self, values: np.ndarray) -> np.ndarray:
        """Log density of each value; NaN where there is none."""


class Sample(NamedTuple):
    """The finite values of a series, where they lie and how far they reach."""

    values: np.ndarray
    weights: Optional[np.ndarray]
    middle: float
    range: float

    @classmethod
    def of(
        cls, values: np.ndarray, weights: Optional[np.ndarray] = None
    ) -> "Sample":
        values = real_array(values, "values")
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
        # A constant series has no range: its size stands in for it.
        sizes = (high - low, abs(high), 1.0)
        reach = next(size for size in sizes if size > 1 / LARGEST)
        return cls(values, weights, low + (high - low) / 2, reach)

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


def fitted(model: AnomalousModel, *names: str) -> list[Any]:
    """Parameters of a model, which must have been given or fitted."""
    parameters = [getattr(model, name) for name in names]
    if None in parameters:
        kind = type(model).__name__
        raise ValueError(
            f"{kind} must be fitted before it has a density, got open "
            f"parameters {' and '.join(names)}; use the model that "
            f"{kind}(…).fit(values) returns."
        )
    return parameters
