"""
HOW OFTEN do readings come?

Their commonest step says it, over all series. Months, quarters, years and
working days have steps of several lengths, and are told by the calendar.
"""

import warnings
from typing import Any, Callable, Optional

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset

from .readings import Readings
from .sheet import counted, option_of

DAY = np.timedelta64(1, "D")
DAYS = "MON TUE WED THU FRI SAT SUN".split()
MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split()
ROUND = "s 5s 10s 15s 30s min 2min 5min 10min 15min 30min h 6h 12h D".split()


def guess_offset(readings: Readings) -> Any:
    """The frequency of all series, as an offset of pandas."""
    steps, ends = readings.steps()
    if not len(steps):
        raise ValueError(
            f"{readings.sheet.path} must have two times in a series for its "
            "frequency to be guessed, got one; give "
            f"{option_of('freq')} such as 'h', or more readings."
        )
    common = commonest(steps)
    if common >= 28 * DAY and is_monthly(readings):
        return guess_months(readings)
    check_one_frequency(readings, steps, ends, spoken)
    if common == DAY and is_working(readings):
        return as_offset("B")
    check_even(readings, common)
    if common == 7 * DAY:
        # Weeks that begin on that day: their start is the timestamp.
        day = pd.Timestamp(readings.times[0]).dayofweek
        return as_offset(f"W-{DAYS[day - 1]}")
    return as_offset(as_freq(common))


def commonest(steps: np.ndarray) -> Any:
    values, counts = np.unique(steps, return_counts=True)
    return values[counts.argmax()]


def is_monthly(readings: Readings) -> bool:
    """Whether all times are on one day of a month, or on its last."""
    times = pd.DatetimeIndex(readings.times)
    return bool((times.day == times.day[0]).all() or at_end(readings))


def at_end(readings: Readings) -> bool:
    return bool(pd.DatetimeIndex(readings.times).is_month_end.all())


def guess_months(readings: Readings) -> Any:
    """Months, or several of them."""
    months = readings.times.astype("datetime64[M]").astype(int)
    steps = np.diff(months)
    ends = np.flatnonzero(readings.same() & (steps > 0))
    common = int(commonest(steps[ends]))
    check_one_frequency(readings, steps[ends], ends + 1, months_spoken)
    # The last month of a year or quarter of which a time is begin or end.
    last = (months[0] - (not at_end(readings))) % 12
    if common % 12 == 0:
        return multiple(f"Y-{MONTHS[last]}", common // 12)
    if common % 3 == 0:
        end = "DEC" if last % 3 == 2 else MONTHS[last % 3]
        return multiple(f"Q-{end}", common // 3)
    return multiple("M", common)


def months_spoken(step: int) -> str:
    return counted(step, "month")


def is_working(readings: Readings) -> bool:
    """Whether there is a time on each day of a week but on weekends."""
    days = pd.DatetimeIndex(readings.times).dayofweek
    return set(days) == set(range(5)) and len(days) > 5


def check_one_frequency(
    readings: Readings, steps: np.ndarray, ends: np.ndarray, say: Callable
) -> None:
    """Each series has the commonest step somewhere, or too few to tell."""
    common, series = commonest(steps), readings.series[ends]
    most = len(readings.names)
    num_steps = np.bincount(series, minlength=most)
    num_common = np.bincount(series[steps == common], minlength=most)
    others = np.flatnonzero((num_steps > 1) & (num_common == 0))
    if len(others):
        usual, other = int(np.argmax(num_common)), others[0]
        raise ValueError(
            f"all series of {readings.sheet.path} must have one frequency, "
            f"got steps of {say(common)} in {readings.names[usual]!r} and of "
            f"{say(commonest(steps[series == other]))} in "
            f"{readings.names[other]!r}; put them into files of their own, or "
            f"give {option_of('freq')}."
        )


def check_even(readings: Readings, step: Any) -> None:
    """Times are whole steps after the first of their series."""
    first = readings.times[readings.begins()][readings.nth()]
    uneven = (readings.times - first) % step != np.timedelta64(0)
    if uneven.any():
        i = int(np.argmax(uneven))
        raise ValueError(
            f"times of series {readings.name(i)!r} of {readings.sheet.path} "
            f"must be whole steps of {spoken(step)} apart, got "
            f"{readings.said(i)} after {readings.said(i - 1)}; give "
            f"{option_of('freq')} such as {nearest(step)!r} to put each "
            "reading into the period in which it lies."
        )


def nearest(step: Any) -> str:
    """A round frequency."""
    length = pd.Timedelta(step).total_seconds()

    def ratio(freq: str) -> float:
        seconds = pd.Timedelta(to_offset(freq)).total_seconds()
        return abs(np.log(seconds / length))

    return min(ROUND, key=ratio)


def spoken(step: Any) -> str:
    """A step, in as few units as can be: 15min, 1h."""
    freq = as_freq(step)
    return freq if freq[0].isdigit() else f"1{freq}"


def as_freq(step: Any) -> str:
    return to_offset(pd.Timedelta(step)).freqstr


def multiple(freq: str, times: int) -> Any:
    return as_offset(f"{times}{freq}" if times > 1 else freq)


def as_offset(freq: str) -> Any:
    """A frequency in any of pandas' spellings, as periods have it."""
    offset: Optional[Any] = None
    with warnings.catch_warnings():
        # Of spellings that are old, "H" or "T", and of working days.
        warnings.simplefilter("ignore")
        try:
            offset = pd.Period("2000-01-03", freq=freq).freq
        except (TypeError, ValueError):
            try:
                # "MS", "ME", "QS": times at one end of a period.
                times = pd.DatetimeIndex(["2000-01-03"])
                offset = times.to_period(to_offset(freq)).freq
            except (AttributeError, TypeError, ValueError):
                pass
    if offset is None:
        raise ValueError(
            f"freq must be a frequency of pandas, got {freq!r}; give "
            f"{option_of('freq')} such as 'h', '15min', 'D' or 'M'."
        )
    return offset
