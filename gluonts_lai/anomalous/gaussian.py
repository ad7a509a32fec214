"""
Anomalies around one value.
"""

from dataclasses import dataclass, replace
from typing import Optional

import numpy as np

from gluonts_lai.arrays import real_array
from gluonts_lai.value import Value

from .floor import CauchyFloor
from .model import AnomalousModel, Sample, fitted

# The series as a whole counts as this many anomalous points: a few sampled
# ones must not draw p⁻ together onto themselves.
NUM_PSEUDO = 2.0


@dataclass(frozen=True)
class Gaussian(Value, AnomalousModel):
    """
    Anomalies scatter around one value, the same in the whole series.

    Parameters
    ----------
    mean
        Their mean, where it is known; None to fit it.
    sd
        Their standard deviation, where it is known; None to fit it.
    fixed
        Whether to describe the series as a whole (its mean, and three times
        its standard deviation) rather than the anomalous points in it.
    floor
        The heavy tail; found by :meth:`fit`.

    Examples
    --------
    >>> values, weights = np.array([1.0, 2.0, 3.0, 50.0]), [0, 0, 0, 1]
    >>> Gaussian().fit(values).mean
    14.0
    >>> Gaussian().fit(values, weights).mean
    26.0
    """

    mean: Optional[float] = None
    sd: Optional[float] = None
    fixed: bool = False
    floor: Optional[CauchyFloor] = None

    def __post_init__(self) -> None:
        if self.mean is not None and not np.isfinite(self.mean):
            raise ValueError(f"mean must be finite, got {self.mean!r}.")
        if self.sd is not None and not 0.0 < self.sd < np.inf:
            raise ValueError(
                f"sd must be positive and finite, got {self.sd!r}."
            )

    def fit(
        self, values: np.ndarray, weights: Optional[np.ndarray] = None
    ) -> "Gaussian":
        """The model of one series; ``weights`` tell its anomalous points."""
        sample = Sample.of(values, weights)
        mean, sd = sample.broad
        if sample.weights is not None and not self.fixed:
            mean, sd = concentrate(sample.values, sample.weights, mean, sd)
        return replace(
            self,
            mean=mean if self.mean is None else self.mean,
            sd=sd if self.sd is None else self.sd,
            floor=CauchyFloor(sample.middle, sample.range),
        )

    def log_prob(self, values: np.ndarray) -> np.ndarray:
        """Log density of each value; NaN where there is none."""
        mean, sd = fitted(self, "mean", "sd")
        values = real_array(values, "values")
        floor = self.floor or CauchyFloor(mean, sd)
        return floor.mix(log_gaussian(values, mean, sd), values)


def concentrate(
    values: np.ndarray, weights: np.ndarray, mean: float, sd: float
) -> tuple[float, float]:
    """Mean and standard deviation of pseudo-points and weighted values."""
    total = NUM_PSEUDO + weights.sum()
    from_mean = (values - mean) / sd
    shift = weights @ from_mean / total
    variance = NUM_PSEUDO * (1 + shift**2) + weights @ (from_mean - shift) ** 2
    return float(mean + sd * shift), float(sd * np.sqrt(variance / total))


def log_gaussian(values: np.ndarray, mean: float, sd: float) -> np.ndarray:
    """Log density of a Gaussian, in double precision; -inf if far away."""
    with np.errstate(over="ignore", invalid="ignore"):
        distance = (values.astype(float) - mean) / sd
        return -0.5 * distance**2 - np.log(sd) - 0.5 * np.log(2 * np.pi)
