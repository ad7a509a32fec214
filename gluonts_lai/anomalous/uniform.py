"""
Anomalies anywhere in the domain of the series.
"""

from dataclasses import dataclass, replace
from typing import Optional, Union

import numpy as np

from gluonts_lai.arrays import real_array
from gluonts_lai.value import Value, is_number

from .floor import CauchyFloor
from .model import AnomalousModel, not_fitted
from .sample import LARGEST, Sample

Number = Union[float, np.ndarray]

# A little more than the range, so that a new maximum is possible.
DEFAULT_WIDTH = 1.1


@dataclass(frozen=True)
class Uniform(Value, AnomalousModel):
    """
    Anything that the series can show is as likely as anything else: the
    paper's p⁻.

    Parameters
    ----------
    width
        Width of the density as a multiple of the range of the series; None
        for 1.1.
    low
        Smallest possible value, where it is known.
    high
        Largest possible value, where it is known.
    domain
        Smallest and largest possible value, found by :meth:`fit`.
    spans
        Least width, in spans of the middle 80 % of the values; it counts
        where the range is narrow, as it is on clean data. Where a forecaster
        is wrapped, it is 5 if neither it nor ``width`` was given.

    Examples
    --------
    >>> model = Uniform(width=1.0).fit(np.array([0.0, 4.0, np.nan, 10.0]))
    >>> model.domain
    (0.0, 10.0)
    >>> np.exp(model.log_prob(np.array([5.0, np.nan]))).round(2)
    array([0.1, nan])
    """

    width: Optional[float] = None
    low: Optional[float] = None
    high: Optional[float] = None
    domain: Optional[tuple[float, float]] = None
    spans: float = 0.0

    def __post_init__(self) -> None:
        width = 1.0 if self.width is None else self.width
        if not is_number(width) or not 1.0 <= width <= 1e6:
            raise ValueError(
                "width must be a multiple of the range between 1 and 1e6, got "
                f"{self.width!r}; a narrower p⁻ would miss known values."
            )
        if not is_number(self.spans) or not 0.0 <= self.spans <= 1e6:
            raise ValueError(
                f"spans must be a number from 0 to 1e6, got {self.spans!r}; "
                "it is a multiple of what most values span."
            )
        low = -LARGEST if self.low is None else self.low
        high = LARGEST if self.high is None else self.high
        numbers = is_number(low) and is_number(high)
        if not numbers or not -LARGEST <= low < high <= LARGEST:
            raise ValueError(
                f"low must lie below high, and both within ±{LARGEST:g}, got "
                f"low={self.low!r} and high={self.high!r}."
            )

    def fit(
        self, values: np.ndarray, weights: Optional[np.ndarray] = None
    ) -> "Uniform":
        """The model over the domain of one series, whatever the weights."""
        sample = Sample.of(values, weights)
        width = (self.width or DEFAULT_WIDTH) * sample.range
        reach = max(width, self.spans * sample.span) / 2
        # Rounding must not leave out the extremes themselves.
        low = min(sample.low, sample.middle - reach)
        high = max(sample.high, sample.middle + reach)
        low = low if self.low is None else self.low
        high = high if self.high is None else self.high
        if not low < high:
            raise ValueError(
                f"values must reach beyond the bounds of {self}, got "
                f"{sample.low:g} to {sample.high:g}; correct the bound."
            )
        return replace(self, domain=(low, high))

    def log_prob(self, values: np.ndarray) -> np.ndarray:
        """Log density of each value; NaN where there is none."""
        low, high = self.domain or (self.low, self.high)
        if low is None or high is None:
            raise not_fitted(self)
        return log_uniform(real_array(values, "values"), low, high)


def log_uniform(values: np.ndarray, low: Number, high: Number) -> np.ndarray:
    """Log density over a domain, or over one for each value."""
    inside = (values >= low) & (values <= high)
    floor = CauchyFloor(low + (high - low) / 2, high - low)
    return floor.mix(np.where(inside, -np.log(high - low), -np.inf), values)
