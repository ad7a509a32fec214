"""
Which stretch of time does a picture of a forecast show?

Series come as GluonTS entries, from pandas or as arrays, and begin and end
where they like. Here they are laid side by side: each becomes an array
``(dim, time)`` of one window, NaN where it has nothing to say.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gluonts_lai.arrays import real_array
from gluonts_lai.panel.entries import target_of


class Window(NamedTuple):
    """A number of periods, from some first one on."""

    start: pd.Period
    num_periods: int

    def view(self, start: pd.Period, values: np.ndarray) -> np.ndarray:
        """What lies in the window of values that begin at ``start``."""
        view = np.full((len(values), self.num_periods), np.nan)
        begin = steps(self.start, start)
        end = begin + values.shape[-1]
        inside = slice(max(begin, 0), max(min(end, self.num_periods), 0))
        if inside.start < inside.stop:
            view[:, inside] = values[
                :, inside.start - begin : inside.stop - begin
            ]
        return view


class Stretch(NamedTuple):
    """A series: when it begins, and its values ``(dim, time)``."""

    start: pd.Period
    values: np.ndarray

    @classmethod
    def of(cls, series: Any, start: pd.Period) -> "Stretch":
        """
        An entry, a pandas object, or an array that begins at ``start``.

        Times become periods of the same frequency as ``start``.
        """
        if isinstance(series, (pd.Series, pd.DataFrame)):
            return cls.of_pandas(series, start)
        if isinstance(series, dict):
            values = np.atleast_2d(target_of(series, 0))
            check_frequency(series["start"], start)
            return cls(series["start"], values)
        return cls(start, np.atleast_2d(real_array(series, "a series")))

    @classmethod
    def of_pandas(cls, series: Any, start: pd.Period) -> "Stretch":
        index = series.index
        if isinstance(index, pd.DatetimeIndex):
            index = index.tz_localize(None).to_period(start.freq)
        if not isinstance(index, pd.PeriodIndex):
            raise ValueError(
                "a pandas series must be indexed by times or periods, got "
                f"{type(index).__name__}; give an entry with a start instead."
            )
        frame = pd.DataFrame(series).set_axis(index)
        if not index.is_unique:
            raise ValueError(
                "each period of a series must come once, got "
                f"{index[index.duplicated()][0]} again; drop one of the two."
            )
        if not len(index):
            return cls(start, np.empty((frame.shape[1], 0)))
        check_frequency(index.min(), start)
        whole = pd.period_range(index.min(), index.max(), freq=start.freq)
        return cls(whole[0], frame.reindex(whole).to_numpy(float).T)

    @property
    def end(self) -> pd.Period:
        """The period after the last."""
        return self.start + self.values.shape[-1]


def check_frequency(start: pd.Period, other: pd.Period) -> None:
    if start.freq != other.freq:
        raise ValueError(
            "a series and its forecast must have the same frequency, got "
            f"{start.freqstr} and {other.freqstr}; draw the forecast beside "
            "the series that it was made from."
        )


def steps(begin: pd.Period, end: pd.Period) -> int:
    """How many periods from one to another."""
    return (end.ordinal - begin.ordinal) // begin.freq.n
