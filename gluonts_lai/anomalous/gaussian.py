"""
Anomalies around one value.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, Optional

import numpy as np

from gluonts_lai.arrays import real_array
from gluonts_lai.value import Value, is_number

from .floor import CauchyFloor
from .model import AnomalousModel, not_fitted
from .sample import LARGEST, Sample

# The series as a whole counts as this many anomalous points: a few sampled
# ones must not draw p⁻ together onto themselves.
NUM_PSEUDO = 2.0


class Component(NamedTuple):
    """A Gaussian, and its share of a mixture."""

    share: float
    mean: float
    sd: float

    def log_prob(self, values: np.ndarray) -> np.ndarray:
        """Log of share times density, in double precision."""
        with np.errstate(all="ignore"):  # far away it is -inf
            distance = (values.astype(float) - self.mean) / self.sd
            log_scale = np.log(self.sd) + 0.5 * np.log(2 * np.pi)
            return np.log(self.share) - 0.5 * distance**2 - log_scale


@dataclass(frozen=True)
class Gaussian(Value, AnomalousModel):
    """
    Anomalies scatter around one value, the same in the whole series.

    Parameters
    ----------
    mean
        Their mean, where it is known.
    sd
        Their standard deviation, where it is known.
    fixed
        Whether to describe the series as a whole (its mean, and three times
        its standard deviation) rather than the anomalous points in it.
    body
        Mean and standard deviation, found by :meth:`fit`.
    floor
        The heavy tail, found by :meth:`fit`.

    Examples
    --------
    >>> values, weights = np.array([1.0, 2.0, 3.0, 50.0]), [0, 0, 0, 1]
    >>> Gaussian().fit(values).body.mean
    14.0
    >>> Gaussian().fit(values, weights).body.mean
    26.0
    >>> model = Gaussian(mean=0.0, sd=2.0)
    >>> np.exp(model.log_prob([0.0, 2.0, np.nan])).round(3)
    array([0.199, 0.121,   nan])
    """

    mean: Optional[float] = None
    sd: Optional[float] = None
    fixed: bool = False
    body: Optional[Component] = None
    floor: Optional[CauchyFloor] = None

    def __post_init__(self) -> None:
        mean = 0.0 if self.mean is None else self.mean
        if not is_number(mean) or not abs(mean) <= LARGEST:
            raise ValueError(
                f"mean must be a number within ±{LARGEST:g}, got {mean!r}."
            )
        sd = 1.0 if self.sd is None else self.sd
        if not is_number(sd) or not 1 / LARGEST <= sd <= LARGEST:
            raise ValueError(
                f"sd must be a positive number within {1 / LARGEST:g} and "
                f"{LARGEST:g}, got {sd!r}."
            )

    def fit(
        self, values: np.ndarray, weights: Optional[np.ndarray] = None
    ) -> "Gaussian":
        """The model of one series; ``weights`` tell its anomalous points."""
        sample = Sample.of(values, weights)
        mean, sd = sample.broad
        if sample.weights is not None and not self.fixed:
            mean, sd = concentrate(sample.values, sample.weights, mean, sd)
        if self.mean is not None:  # then they scatter around that
            mean, sd = self.mean, float(np.hypot(sd, mean - self.mean))
        sd = sd if self.sd is None else self.sd
        return replace(
            self,
            body=Component(1.0, mean, sd),
            floor=CauchyFloor(sample.middle, sample.range),
        )

    def log_prob(self, values: np.ndarray) -> np.ndarray:
        """Log density of each value; NaN where there is none."""
        body, floor = self.body, self.floor
        if body is None and self.mean is not None and self.sd is not None:
            body = Component(1.0, self.mean, self.sd)
            floor = CauchyFloor(self.mean, self.sd)
        if body is None or floor is None:
            raise not_fitted(self)
        values = real_array(values, "values")
        return floor.mix(body.log_prob(values), values)


def concentrate(
    values: np.ndarray, weights: np.ndarray, mean: float, sd: float
) -> tuple[float, float]:
    """Mean and standard deviation of pseudo-points and weighted values."""
    total = NUM_PSEUDO + weights.sum()
    from_mean = (values - mean) / sd
    shift = weights @ from_mean / total
    variance = NUM_PSEUDO * (1 + shift**2) + weights @ (from_mean - shift) ** 2
    return float(mean + sd * shift), float(sd * np.sqrt(variance / total))
