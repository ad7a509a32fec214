"""
What a forecaster said of points that have come, ready to be widened.

While a series is filtered, densities are taken for wider than the forecaster
says: after points that it did not see, or where it proved too sure of itself.
By how much is known only then, and the forecaster is not to be asked again. So
what it said of each point is kept as a bell around its expectation, and made
``s`` times wider when it is known by how much:

    log p⁺(x) = log_height − log s
                − (df + 1) / 2 · log(1 + (distance / s)² / df)

That is exact for a Student-t and a Gaussian. Of any other density the bell
has the height and, at the point that came, the value: exact where it is not
widened.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from .densities import Density, StudentT

# Degrees of freedom at which a Student-t cannot be told from a Gaussian.
GAUSSIAN_DF = 1e8
# How other densities fall where they are widened: neither fast nor slowly.
OTHER_DF = 10.0
# No density falls by more than this; its bell could not hold it.
MOST_FALL = 2_000.0
# The band around an expectation that most points lie in.
LOW, HIGH = 0.025, 0.975
# How far the band of a Gaussian reaches, from one end to the other, in sds.
GAUSSIAN_BAND = 3.919928
# Squares of deviations are cut here: beyond it, the point may be to blame.
MOST_SQUARE = 9.0


class Bells(NamedTuple):
    """What was said of each point: arrays of one shape, or tables."""

    expected: Any
    below: Any  # from the expectation down to the end of the band
    above: Any  # and up
    deviation: Any  # usual, see :func:`usual_deviation`
    log_height: Any  # log density at the top
    df: Any  # how heavy the tails are
    distance: Any  # from the top to the point, in widths

    @classmethod
    def of(cls, density: Density, observed: np.ndarray) -> "Bells":
        """What a density says of the points that came."""
        if isinstance(density, StudentT):
            return cls.of_student(density, observed)
        mean = density.mean
        with np.errstate(invalid="ignore"):  # missing points are NaN
            log_density = density.log_prob(observed)
            # A point may be likelier than what was expected.
            log_height = np.fmax(density.log_prob(mean), log_density)
            fall = np.minimum(log_height - log_density, MOST_FALL)
            rise = np.expm1(2 * fall / (OTHER_DF + 1))
        low, high = density.quantile(LOW), density.quantile(HIGH)
        return cls(
            mean,
            mean - low,
            high - mean,
            (high - low) / GAUSSIAN_BAND,
            log_height,
            np.full(mean.shape, OTHER_DF),
            np.sqrt(OTHER_DF * rise),
        )

    @classmethod
    def of_student(cls, density: StudentT, observed: np.ndarray) -> "Bells":
        df, loc, scale = np.broadcast_arrays(*density)
        inverse, half_band, deviation = students()
        half = scale * np.interp(1 / df, inverse, half_band)
        return cls(
            loc,
            half,
            half,
            scale * np.interp(1 / df, inverse, deviation),
            StudentT(df, loc, scale).log_height,
            df,
            np.abs(observed - loc) / scale,
        )

    @property
    def is_pointwise(self) -> np.ndarray:
        """Where there is an expectation without a density."""
        return np.isnan(self.log_height) & ~np.isnan(self.expected)

    def in_units(self, centre: np.ndarray, width: np.ndarray) -> "Bells":
        """The same of series that were centred and scaled."""
        return self._replace(
            expected=centre + width * self.expected,
            below=width * self.below,
            above=width * self.above,
            deviation=width * self.deviation,
            log_height=self.log_height - np.log(width),
        )


def lighter(bells: Bells, tail: float) -> Bells:
    """
    The same with ``tail`` times the degrees of freedom, where they are those
    of Student-ts.
    """
    df = np.where(bells.df == OTHER_DF, OTHER_DF, tail * bells.df)
    inverse, half_band, deviation = students()
    band, usual = (
        np.interp(1 / df, inverse, table)
        / np.interp(1 / bells.df, inverse, table)
        for table in (half_band, deviation)
    )
    return bells._replace(
        below=band * bells.below,
        above=band * bells.above,
        deviation=usual * bells.deviation,
        log_height=bells.log_height + log_top(df) - log_top(bells.df),
        df=df,
    )


def log_top(df: np.ndarray) -> np.ndarray:
    """Log density at the middle of a Student-t of scale 1."""
    return StudentT(df, np.array(0.0), np.array(1.0)).log_height


class Students(NamedTuple):
    """What is known of Student-ts of scale 1, by 1 / df."""

    inverse_df: np.ndarray
    half_band: np.ndarray  # from the middle to the end of the band
    deviation: np.ndarray  # usual deviation


@cache
def students() -> Students:
    """A few of them; between two, a straight line."""
    inverse = np.linspace(1 / GAUSSIAN_DF, 1.0, 129)
    few = inverse[::8]
    deviation = [usual_deviation(df) for df in 1 / few]
    return Students(
        inverse,
        stdtrit(1 / inverse, HIGH),
        np.interp(inverse, few, deviation),
    )


def usual_deviation(df: float) -> float:
    """
    The unit in which squares of deviations are 1 on average, once those
    above :data:`MOST_SQUARE` are cut.
    """
    from scipy.optimize import brentq

    levels = (np.arange(1_000) + 0.5) / 1_000
    squares = np.square(stdtrit(df, levels))

    def excess(unit: float) -> float:
        return np.minimum(squares / unit**2, MOST_SQUARE).mean() - 1

    return brentq(excess, 0.1, 10.0)
