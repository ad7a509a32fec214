"""
How likely is a value, where a forecast gave only samples or quantiles?

Anomalies are decided in the tails, where there are no samples. So a forecast
becomes a density that knows how to go on beyond them:

    samples          a Student-t with their moments
    many quantiles   constant between them, exponential beyond them
    few quantiles    nearly a Gaussian, through them
    a single value   a Student-t, as wide as the forecast is usually wrong

Densities hold a batch: one for each window and lead time. Missing numbers,
NaN or infinite, are left out, and where nothing remains the log density is
NaN: missing evidence. All is computed in double precision.
"""

from typing import NamedTuple, Protocol, Union

import numpy as np
from scipy.special import gammaln, stdtrit

from gluonts_lai.arrays import real_array

# What forecasters compute in tells no two numbers apart that are closer.
RESOLUTION = float(np.finfo(np.float32).eps)
TINY = 1e-150  # a scale at zero; its square is not zero

# Excess kurtosis of a Student-t is 6 / (df - 4). Samples cannot show that df
# is below 4, where it is infinite, or so large that it hardly matters.
FEWEST_DF, MOST_DF = 4.5, 100.0

# From fewer levels, constant densities are too coarse.
NUM_LEVELS = 4


class Density(Protocol):
    """Density of every point of every window: (window, lead) or (…, dim)."""

    @property
    def mean(self) -> np.ndarray: ...

    def log_prob(self, values: np.ndarray) -> np.ndarray: ...

    def quantile(self, level: float) -> np.ndarray: ...


class StudentT(NamedTuple):
    """
    A bell with heavy tails: from samples, or around a single value.

    Parameters
    ----------
    df
        Degrees of freedom: the fewer, the heavier the tails.
    loc
        Its middle.
    scale
        Its width, above 0; see :meth:`of` where that may fail. NaN where
        nothing tells it but the residuals, of points among samples.

    Examples
    --------
    >>> samples = np.array([[-1, 0, 0, 0, 0, 0, 0, 1]])
    >>> StudentT.from_samples(samples, axis=1).df
    array([10.])
    """

    df: Union[float, np.ndarray]
    loc: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(
        cls, df: Union[float, np.ndarray], loc: np.ndarray, scale: np.ndarray
    ) -> "StudentT":
        """The same, but no narrower than single precision can tell."""
        return cls(df, loc, no_narrower(scale, loc))

    @classmethod
    def from_samples(cls, samples: np.ndarray, axis: int) -> "StudentT":
        """The one with the mean, variance and kurtosis along ``axis``."""
        samples = real_array(samples, "samples").astype(float)
        known = np.isfinite(samples)
        np.copyto(samples, 0.0, where=~known)
        with np.errstate(divide="ignore", invalid="ignore"):  # none known
            share = 1.0 / known.sum(axis, keepdims=True, dtype=float)
            # In units of the largest sample, powers do not overflow.
            unit = abs(samples).max(axis, keepdims=True, initial=0.0)
            samples /= np.where(unit > 0, unit, 1.0)
            mean = samples.sum(axis, keepdims=True) * share
            samples -= mean
            np.copyto(samples, 0.0, where=~known)

            sd = np.sqrt(np.square(samples).sum(axis, keepdims=True) * share)
            samples /= np.where(sd > 0, sd, 1.0)
            fourth = np.square(np.square(samples)).sum(axis, keepdims=True)
            kurtosis = fourth * share - 3.0
        least, most = 6.0 / (MOST_DF - 4.0), 6.0 / (FEWEST_DF - 4.0)
        df = 4.0 + 6.0 / np.clip(kurtosis, least, most)
        scale = unit * sd * np.sqrt((df - 2.0) / df)
        return cls.of(*(np.squeeze(x, axis) for x in (df, unit * mean, scale)))

    def log_prob(self, values: np.ndarray) -> np.ndarray:
        """Log density of each value; NaN where there is none."""
        df, half = self.df, finite_or_nan(values) / 2 - np.divide(self.loc, 2)
        with np.errstate(divide="ignore", invalid="ignore"):  # log 0, NaN
            # A logarithm, as the square of a distance could overflow.
            log_square = 2 * (np.log(abs(half)) - np.log(self.scale / 2))
            log_decay = np.logaddexp(0.0, log_square - np.log(df))
        return self.log_height - (df + 1) / 2 * log_decay

    @property
    def log_height(self) -> np.ndarray:
        """Log density at the middle."""
        df = np.asarray(self.df)
        return (
            gammaln((df + 1) / 2)
            - gammaln(df / 2)
            - np.log(np.pi * df) / 2
            - np.log(self.scale)
        )

    @property
    def mean(self) -> np.ndarray:
        return self.loc

    def quantile(self, level: float) -> np.ndarray:
        """The value that a share ``level`` of the density lies below."""
        check_levels(level)
        return self.loc + self.scale * stdtrit(self.df, level)


class Piecewise(NamedTuple):
    """
    Constant between quantiles, with an exponential tail at either end.

    Each tail goes on as the last two quantiles show: a share ``q0`` lies
    below the lowest, and falls by ``q1 / q0`` from the second to it.

    Parameters
    ----------
    levels
        Levels of the quantiles, rising; at least two.
    knots
        The quantiles, rising too: levels first, then the axes of the batch.
        See :meth:`of` where that may fail.

    Examples
    --------
    >>> density = Piecewise.of([0.2, 0.4, 0.6, 0.8], np.array([0, 1, 3, 4]))
    >>> float(density.mean)
    2.0
    >>> np.exp(density.log_prob([0.5, 2.0])).round(6)
    array([0.2, 0.1])
    """

    levels: np.ndarray
    knots: np.ndarray

    @classmethod
    def of(cls, levels: np.ndarray, knots: np.ndarray) -> "Piecewise":
        """The same of any quantiles: put in order, and equal ones apart."""
        levels, knots = in_order(levels, knots)
        spread, size = knots[-1] - knots[0], abs(knots).max(axis=0)
        gap = RESOLUTION * no_narrower(spread, size)
        for i in range(1, len(levels)):
            knots[i] = np.maximum(knots[i], knots[i - 1] + gap)
        return cls(levels, knots)

    @property
    def tails(self) -> tuple[np.ndarray, np.ndarray]:
        """How far one goes for the tail to fall by e: below, and above."""
        q, v = self.levels, self.knots
        return (
            (v[1] - v[0]) / np.log(q[1] / q[0]),
            (v[-1] - v[-2]) / np.log((1 - q[-2]) / (1 - q[-1])),
        )

    def log_prob(self, values: np.ndarray) -> np.ndarray:
        """
        Log density of each value; NaN where there is none.

        A value at a knot belongs to what is above it.
        """
        values = finite_or_nan(values)
        q, v = self.levels, self.knots
        below, above = self.tails
        with np.errstate(over="ignore"):  # where even the logarithm is -inf
            lowest = np.log(q[0] / below) + (values - v[0]) / below
            highest = np.log((1 - q[-1]) / above) - (values - v[-1]) / above
        log_density = lowest
        for i in range(len(q) - 1):
            log_between = np.log((q[i + 1] - q[i]) / (v[i + 1] - v[i]))
            log_density = np.where(values >= v[i], log_between, log_density)
        return np.where(values >= v[-1], highest, log_density)

    @property
    def mean(self) -> np.ndarray:
        """The median, which no tail can draw away."""
        return self.quantile(0.5)

    def quantile(self, level: float) -> np.ndarray:
        """The value that a share ``level`` of the density lies below."""
        check_levels(level)
        q, v = self.levels, self.knots
        below, above = self.tails
        if level < q[0]:
            return v[0] + below * np.log(level / q[0])
        if level >= q[-1]:
            return v[-1] - above * np.log((1 - level) / (1 - q[-1]))
        i = np.searchsorted(q, level, side="right") - 1
        share = (level - q[i]) / (q[i + 1] - q[i])
        return v[i] + share * (v[i + 1] - v[i])


def from_quantiles(
    levels: np.ndarray, knots: np.ndarray
) -> Union[Piecewise, StudentT]:
    """
    The density of a forecast that consists of quantiles.

    Parameters
    ----------
    levels
        Levels of the quantiles, between 0 and 1, in any order.
    knots
        The quantiles: levels first, then the axes of the batch. They may
        cross, and be equal; a window that lacks one has no density.

    Examples
    --------
    >>> density = from_quantiles([0.1, 0.5, 0.9], np.array([6.0, 10.0, 14.0]))
    >>> float(density.quantile(0.9).round(6))
    14.0
    """
    levels, knots = in_order(levels, knots)
    if len(levels) >= NUM_LEVELS:
        return Piecewise.of(levels, knots)
    at = stdtrit(MOST_DF, levels)
    scale = (knots[-1] - knots[0]) / (at[-1] - at[0])
    middle = knots[0] - scale * at[0]
    if 0.5 in levels:
        middle = knots[levels == 0.5][0]
    return StudentT.of(MOST_DF, middle, scale)


def robust_scale(residuals: np.ndarray, axis: int = -1) -> np.ndarray:
    """
    How wrong a forecast usually is: its error, were it Gaussian.

    From the median of the errors, so that anomalies do not widen it; from
    their mean where more than half of them are 0. It is 0 only if all are,
    and NaN where there is none.

    Examples
    --------
    >>> float(robust_scale(np.array([-1.0, 1.0, 1.0, np.nan, 1e9])))
    1.4826
    """
    errors = np.moveaxis(abs(finite_or_nan(residuals)), axis, -1)
    number = np.isfinite(errors).sum(-1, keepdims=True)
    # Missing ones come last. With one more, there is always a first.
    ranked = np.insert(np.sort(errors), errors.shape[-1], np.nan, axis=-1)
    two = np.concatenate([np.maximum(number - 1, 0) // 2, number // 2], -1)
    median = np.take_along_axis(ranked, two, -1).mean(-1)
    mean = np.nansum(errors / np.maximum(number, 1), -1)
    return np.where(median == 0, mean, 1.4826 * median)


def no_narrower(scale: np.ndarray, loc: np.ndarray) -> np.ndarray:
    """``scale``, or what single precision can tell apart at ``loc``."""
    return np.maximum(scale, RESOLUTION * abs(loc) + TINY)


def finite_or_nan(values: np.ndarray) -> np.ndarray:
    """Values in double precision; infinite ones are missing, too."""
    values = real_array(values, "values").astype(float, copy=False)
    return np.where(np.isfinite(values), values, np.nan)


def check_levels(levels: Union[float, np.ndarray]) -> None:
    if not np.all(np.greater(levels, 0) & np.less(levels, 1)):
        raise ValueError(
            "levels must lie strictly between 0 and 1, got "
            f"{np.array2string(np.asarray(levels), threshold=9)}; write 90 % "
            "as 0.9."
        )


def in_order(
    levels: np.ndarray, knots: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rising levels, and quantiles that do not cross; NaN if one lacks."""
    levels = np.sort(real_array(levels, "levels").astype(float), axis=None)
    knots = finite_or_nan(knots)
    check_levels(levels)
    if len(np.unique(levels)) < max(2, levels.size):
        raise ValueError(
            "levels must be two or more different numbers, got "
            f"{levels.tolist()}; for a single value, use StudentT.of with "
            "the robust_scale of its residuals."
        )
    if knots.shape[:1] != levels.shape:
        raise ValueError(
            "knots must hold one quantile for each level along their first "
            f"axis, got shape {knots.shape} for {levels.size} levels; "
            "transpose them with np.moveaxis."
        )
    # Sorted, each goes to its level again, in whatever order they came.
    lacking = np.isnan(knots).any(axis=0)
    return levels, np.where(lacking, np.nan, np.sort(knots, axis=0))
