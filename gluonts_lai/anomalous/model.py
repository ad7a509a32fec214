"""
What every p⁻ has to answer.
"""

from abc import ABC, abstractmethod
from typing import Optional

import numpy as np


class AnomalousModel(ABC):
    """
    The density of anomalous points, one for each series.

    A model is a recipe: :meth:`fit` fills in from a series what was left open
    and returns a new model, which keeps the recipe and can be fitted anew;
    nothing is changed in place. What was given stays as it was given.

    To write one of your own, subclass this and answer both questions; where
    the density can be zero, mix in a :class:`CauchyFloor`. To have it
    serialised with a model, make it a frozen dataclass and a
    :class:`gluonts_lai.value.Value`.

    Examples
    --------
    Anomalies that are never negative, and rarer the larger they are:

    >>> from gluonts_lai.anomalous import CauchyFloor
    >>> class Positive(AnomalousModel):
    ...     def __init__(self, mean=1.0):
    ...         self.mean = mean
    ...
    ...     def fit(self, values, weights=None):
    ...         return Positive(float(np.nanmax(values)))
    ...
    ...     def log_prob(self, values):
    ...         log_density = -values / self.mean - np.log(self.mean)
    ...         log_density = np.where(values < 0, -np.inf, log_density)
    ...         return CauchyFloor(0.0, self.mean).mix(log_density, values)
    >>> model = Positive().fit(np.array([1.0, 2.0, np.nan, 5.0]))
    >>> np.exp(model.log_prob(np.array([-5.0, 0.0, 5.0, np.nan]))).round(3)
    array([0.   , 0.199, 0.073,   nan])
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


def not_fitted(model: AnomalousModel) -> ValueError:
    """What to raise where a density is asked of a recipe."""
    return ValueError(
        f"{model} must be fitted before it has a density; use the model that "
        "its fit(values) returns."
    )
