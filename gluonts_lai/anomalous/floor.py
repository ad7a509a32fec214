"""
The heavy tail under every p⁻.

Mixed with 1 % of a Cauchy as wide as the series, a density is nowhere zero,
and a point a million standard deviations away is anomalous whatever explains
the other points.
"""

from typing import Any, NamedTuple

import numpy as np

from gluonts_lai.arrays import real_array

SHARE = 0.01


class CauchyFloor(NamedTuple):
    """
    A Cauchy density, to be mixed under another.

    Examples
    --------
    A density that is zero outside of 0 to 2 is so no more:

    >>> values = np.array([1.0, 3.0, np.nan])
    >>> log_density = np.log([0.5, 1e-300, 0.5])
    >>> floor = CauchyFloor(middle=1.0, scale=2.0)
    >>> np.exp(floor.mix(log_density, values)).round(4)
    array([0.4966, 0.0008,    nan])
    """

    middle: Any  # a number, or one for each value
    scale: Any

    def mix(self, log_density: np.ndarray, values: np.ndarray) -> np.ndarray:
        """
        The log of 99 % of a density and 1 % of the floor.

        Finite at every finite value, NaN where the value is missing or
        infinite, in the precision of ``values``.
        """
        values = real_array(values, "values")
        with np.errstate(all="ignore"):  # NaN in, NaN out
            mixed = np.logaddexp(
                np.log1p(-SHARE) + log_density,
                np.log(SHARE) + self.log_prob(values),
            )
        known = np.isfinite(values)
        return np.where(known, mixed, np.nan).astype(values.dtype, copy=False)

    def log_prob(self, values: np.ndarray) -> np.ndarray:
        """
        Log density of the Cauchy alone, in double precision.

        Examples
        --------
        >>> floor = CauchyFloor(middle=0.0, scale=1.0)
        >>> (np.exp(floor.log_prob([0.0, 1.0])) * np.pi).round(3)
        array([1. , 0.5])
        """
        values = real_array(values, "values")
        # Halves: the distance itself could overflow.
        half = values.astype(float) / 2 - self.middle / 2
        log_distance = np.log(2.0) + np.log(np.hypot(half, self.scale / 2))
        return np.log(self.scale / np.pi) - 2 * log_distance
