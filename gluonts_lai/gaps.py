"""
Gaps in series, and what to put there.

Points that a path calls anomalous, and missing ones, form gaps. Each is filled
with the forecaster's expectation, bent to meet the data again at the first
nominal point after it, or with the last nominal value, which also stands in
where there is no expectation.
"""

from typing import NamedTuple, Optional

import numpy as np


class Gaps(NamedTuple):
    """Runs of points in rows, each from ``begin`` up to before ``end``."""

    row: np.ndarray
    begin: np.ndarray
    end: np.ndarray

    @classmethod
    def of(cls, inside: np.ndarray) -> "Gaps":
        """The runs of a ``(rows, time)`` array of flags."""
        edge = np.diff(inside.astype(np.int8), axis=1, prepend=0, append=0)
        row, begin = np.nonzero(edge == 1)
        _, end = np.nonzero(edge == -1)
        return cls(row, begin, end)

    def longer_than(self, length: float) -> "Gaps":
        long = self.end - self.begin > length
        return Gaps(*(column[long] for column in self))

    def points(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of every point: its gap, its row and its time."""
        lengths = self.end - self.begin
        gap = np.repeat(np.arange(len(lengths)), lengths)
        first = np.cumsum(lengths) - lengths
        time = np.arange(gap.size) - first[gap] + self.begin[gap]
        return gap, self.row[gap], time


def fill(
    values: np.ndarray,
    anomalous: np.ndarray,
    expected: Optional[np.ndarray] = None,
    bridge: bool = True,
) -> np.ndarray:
    """
    A copy of ``values`` with its gaps filled, ``(rows, time)`` all.

    Parameters
    ----------
    values
        Observed values; NaN is missing.
    anomalous
        Which points to replace; missing ones are anyway.
    expected
        The forecaster's expectations, NaN where it has none; None to repeat
        the last nominal value.
    bridge
        Whether to bend expectations to the data after a gap: in hindsight.
    """
    filled = values.copy()
    gaps = Gaps.of((anomalous != 0) | np.isnan(values))
    gap, row, time = gaps.points()
    if not gap.size:
        return filled
    before, after = neighbours(values, gaps)
    fallback = np.where(np.isnan(before), after, before)
    fallback = np.nan_to_num(fallback)[gap]
    if expected is None:
        filled[row, time] = fallback
        return filled
    guess = expected[row, time].astype(float)
    if bridge:
        guess += bend(expected, gaps, after)[gap] * (
            (time - gaps.begin[gap] + 1)
            / (gaps.end[gap] - gaps.begin[gap] + 1)
        )
    filled[row, time] = np.where(np.isnan(guess), fallback, guess)
    return filled


def neighbours(
    values: np.ndarray, gaps: Gaps
) -> tuple[np.ndarray, np.ndarray]:
    """The values before and after each gap; NaN where the series ends."""
    last = values.shape[1] - 1
    before = values[gaps.row, np.maximum(gaps.begin - 1, 0)].astype(float)
    after = values[gaps.row, np.minimum(gaps.end, last)].astype(float)
    before[gaps.begin == 0] = np.nan
    after[gaps.end > last] = np.nan
    return before, after


def bend(expected: np.ndarray, gaps: Gaps, after: np.ndarray) -> np.ndarray:
    """The residual at the first nominal point after each gap, if any."""
    last = expected.shape[1] - 1
    residual = after - expected[gaps.row, np.minimum(gaps.end, last)]
    return np.nan_to_num(residual)


def bounded(anomalous: np.ndarray, max_run: float) -> np.ndarray:
    """
    The same path with no more than ``max_run`` anomalous points in a row.

    What lasts longer is how the series is now: a context that holds nothing
    but expectations could never find out.
    """
    gaps = Gaps.of(anomalous).longer_than(max_run)
    if not gaps.row.size:
        return anomalous
    _, row, time = gaps._replace(begin=gaps.begin + int(max_run)).points()
    path = anomalous.copy()
    path[row, time] = 0
    return path
