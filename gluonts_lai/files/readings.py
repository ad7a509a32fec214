"""
Readings of several series, in the order of time.

What is said of them names the series and the lines of the file.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from .sheet import Sheet

NO_TIME = np.timedelta64(0)


class Readings(NamedTuple):
    """Series after series, each in order."""

    sheet: Sheet
    names: list[str]  # of the series
    series: np.ndarray  # which of them each reading belongs to
    times: np.ndarray
    rows: np.ndarray  # of the sheet, where each stands

    @classmethod
    def of(
        cls,
        sheet: Sheet,
        names: list[str],
        series: np.ndarray,
        times: np.ndarray,
    ) -> "Readings":
        rows = np.lexsort((times, series))
        return cls(sheet, names, series[rows], times[rows], rows)

    def same(self) -> np.ndarray:
        """Whether each reading but the first follows one of its series."""
        return np.diff(self.series) == 0

    def steps(self) -> tuple[np.ndarray, np.ndarray]:
        """Steps within series, and which reading ends each; none is zero."""
        steps = np.diff(self.times)
        ends = np.flatnonzero(self.same() & (steps > NO_TIME))
        return steps[ends], ends + 1

    def begins(self) -> np.ndarray:
        """The first reading of each series."""
        return np.flatnonzero(np.r_[True, ~self.same()])

    def nth(self) -> np.ndarray:
        """How many series each reading comes after."""
        return np.cumsum(np.r_[0, ~self.same()])

    def name(self, reading: int) -> str:
        return self.names[self.series[reading]]

    def place(self, reading: int) -> str:
        return self.sheet.place(self.rows[reading])

    def said(self, reading: int) -> str:
        """When a reading was taken, and where it stands."""
        time = pd.Timestamp(self.times[reading])
        return f"{time} in {self.place(reading)}"
