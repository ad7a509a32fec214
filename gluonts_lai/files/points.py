"""
WHICH point of a regular series is each reading?

The one whose period the reading's time lies in. Points without a reading are
missing.
"""

from typing import Any, NamedTuple, Optional

import numpy as np
import pandas as pd

from gluonts_lai.choices import check_choice

from .readings import Readings
from .sheet import counted, option_of

# A gap longer than this, and than all that was observed, is a mistake.
MOST_MISSING = 100_000
# So are more points than this, if most of them are missing.
MOST_POINTS = 10_000_000
# What may be taken of several readings of one point.
DUPLICATES = ("mean", "first", "last")


class Points(NamedTuple):
    """The points of all series, one series after the other."""

    readings: Readings
    of_readings: np.ndarray  # which of them each reading is
    lengths: np.ndarray  # of each series
    starts: list  # period of the first point of each
    duplicates: Optional[str]  # what to take where readings share a point

    @classmethod
    def of(
        cls, readings: Readings, offset: Any, duplicates: Optional[str]
    ) -> "Points":
        counts = periods(readings, offset)
        begins, nth = readings.begins(), readings.nth()
        first = counts[begins]
        if offset.n > 1:
            # Periods begin with the readings if these come evenly, else with
            # the clock.
            uneven = nth[(counts - first[nth]) % offset.n != 0]
            first[uneven] -= first[uneven] % offset.n
        points = (counts - first[nth]) // offset.n
        check(readings, points, duplicates)
        lengths = points[np.r_[begins[1:], len(points)] - 1] + 1
        check_size(readings, lengths)
        shifts = np.cumsum(lengths) - lengths
        starts = [pd.Period(ordinal=int(i), freq=offset) for i in first]
        return cls(readings, points + shifts[nth], lengths, starts, duplicates)

    def fill(self, column: np.ndarray, how: Optional[str]) -> list[np.ndarray]:
        """The cells of a column at the points of each series, else NaN."""
        values, points = column[self.readings.rows], self.of_readings
        if how is not None:
            groups = pd.Series(values).groupby(points)
            merged = getattr(groups, how)()
            values, points = merged.to_numpy(), merged.index.to_numpy()
        cells = np.full(self.lengths.sum(), np.nan, column.dtype)
        cells[points] = values
        return np.split(cells, np.cumsum(self.lengths)[:-1])

    def notes(self) -> list[str]:
        """What a user should know of them."""
        steps, notes = np.diff(self.of_readings), []
        if (steps == 0).any():
            notes.append(
                f"{counted((steps == 0).sum(), 'reading')} came for a point "
                f"that has one; the {self.duplicates} is taken."
            )
        gaps = np.flatnonzero(steps > 1)
        if len(gaps):
            i = gaps[np.argmax(steps[gaps])]
            notes.append(
                f"{counted((steps[gaps] - 1).sum(), 'point')} missing, in "
                f"{counted(len(gaps), 'gap')}; the longest, of "
                f"{steps[i] - 1:,}, follows {self.readings.said(i)} "
                f"({self.readings.name(i)!r})."
            )
        return notes + self.inside()

    def inside(self) -> list[str]:
        """Times that are not those by which their periods are called."""
        for i, start in zip(self.readings.begins(), self.starts):
            time = pd.Timestamp(self.readings.times[i])
            if start.start_time != time:
                return [
                    "each time is taken as that of its period: "
                    f"{time} as {start}."
                ]
        return []


def check_duplicates(how: Optional[str]) -> None:
    """One that is known, or None, by which several are refused."""
    if how is not None:
        check_choice("duplicates", how, DUPLICATES)


def periods(readings: Readings, offset: Any) -> np.ndarray:
    """The number of the period that each time lies in."""
    return pd.DatetimeIndex(readings.times).to_period(offset).asi8.copy()


def check(
    readings: Readings, points: np.ndarray, duplicates: Optional[str]
) -> None:
    """One reading a point, unless said otherwise; no absurd gap."""
    steps, same = np.diff(points), readings.same()
    twice = same & (steps == 0)
    if duplicates is None and twice.any():
        i = int(np.argmax(twice))
        raise ValueError(
            f"series {readings.name(i)!r} of {readings.sheet.path} must have "
            f"one reading a point, got {readings.said(i)} and "
            f"{readings.said(i + 1)}; remove one, choose mean, first or last "
            f"with {option_of('duplicates')}, or name the column that tells "
            f"series apart with {option_of('item_id')}."
        )
    num_readings = np.bincount(readings.series, minlength=len(readings.names))
    most = np.maximum(MOST_MISSING, num_readings)[readings.series[1:]]
    absurd = same & (steps > most)
    if absurd.any():
        i = int(np.argmax(absurd))
        raise ValueError(
            f"readings of series {readings.name(i)!r} of "
            f"{readings.sheet.path} must follow one another, got "
            f"{readings.said(i)} and {readings.said(i + 1)}, {steps[i]:,} "
            "points later; correct the time that is wrong, or give a longer "
            f"{option_of('freq')}."
        )


def check_size(readings: Readings, lengths: np.ndarray) -> None:
    """Points are not so many more than readings that few have one."""
    num_points, num_readings = int(lengths.sum()), len(readings.rows)
    if num_points > max(MOST_POINTS, 100 * num_readings):
        raise ValueError(
            f"series of {readings.sheet.path} must have readings at most "
            f"points, got {num_readings:,} for {num_points:,} points; give a "
            f"longer {option_of('freq')}."
        )
