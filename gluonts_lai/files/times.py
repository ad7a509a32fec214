"""
WHEN was each reading taken?

Timestamps are texts, times, or numbers: Unix time, or dates such as 20240131.
Those that have a time zone are converted to UTC.
"""

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd

from gluonts_lai.limits import is_brief
from gluonts_lai.zones import (
    ADVICE,
    WANTED,
    in_one_notation,
    moment,
    names_zone,
)

from .notation import Notations, notations_of
from .sheet import Sheet, as_numbers, is_text

RANGE = "times between 1678 and 2261"
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}  # nanoseconds
# Unix time that is plausible: from 1973 to 2099.
PLAUSIBLE = (1e17, 4.1e18)
# The month comes next, as in 2024-01-31: no one writes the day there.
YEAR_FIRST = re.compile(r"\s*\d{4}[-/. ]")
DIGITS = {8: "%Y%m%d", 6: "%Y%m", 4: "%Y"}


def read_times(sheet: Sheet, name: str) -> np.ndarray:
    """The timestamps of a column, in UTC or without a time zone."""
    column = sheet.column(name, "timestamp")
    sheet.refuse(column.isna().to_numpy(), name, "a time in each row")
    if is_text(column):
        return from_texts(sheet, name, column)
    if pd.api.types.is_numeric_dtype(column):
        return from_numbers(sheet, name, column)
    if isinstance(column.dtype, pd.PeriodDtype):
        column = column.dt.to_timestamp()
    elif column.dtype == object:
        column = column.map(begin_of)
    times = pd.to_datetime(column, errors="coerce", utc=True)
    if getattr(column.dtype, "tz", None) is not None:
        say_utc(sheet, name)
    return without_zone(sheet, name, times)


def begin_of(time: Any) -> Any:
    """When a period begins; a time as it is."""
    return time.to_timestamp() if isinstance(time, pd.Period) else time


def from_numbers(sheet: Sheet, name: str, column: pd.Series) -> np.ndarray:
    numbers = as_numbers(column)
    for unit, length in UNITS.items():
        low, high = (bound / length for bound in PLAUSIBLE)
        if low <= np.median(numbers) <= high:
            wanted = f"Unix time in {unit}, from 1973 to 2099"
            sheet.refuse((numbers < low) | (numbers > high), name, wanted)
            sheet.notes.append(
                f"column {name!r} is read as Unix time in {unit}, in UTC."
            )
            return unix_times(column, length)
    whole = np.rint(numbers)
    for digits, form in DIGITS.items():
        has_digits = (whole >= 10 ** (digits - 1)) & (whole < 10**digits)
        if (has_digits & (whole == numbers)).all():
            texts = pd.Series(whole.astype("int64").astype(str))
            times = pd.to_datetime(texts, format=form, errors="coerce")
            sheet.refuse(times.isna().to_numpy(), name, f"dates as {form}")
            return times.to_numpy("datetime64[ns]")
    raise ValueError(
        f"column {name!r} of {sheet.path} must hold times, got numbers from "
        f"{numbers.min():g} to {numbers.max():g}; write them as 2024-01-31 "
        "17:00, or as Unix time."
    )


def unix_times(column: pd.Series, length: int) -> np.ndarray:
    if pd.api.types.is_integer_dtype(column):
        count = column.to_numpy(dtype="int64") * length
    else:
        # Beyond microseconds, digits are those of the computer.
        exact = np.rint(as_numbers(column) * (length / 1e3))
        count = exact.astype("int64") * 1_000
    return count.view("datetime64[ns]")


def from_texts(sheet: Sheet, name: str, texts: pd.Series) -> np.ndarray:
    sheet.refuse(~texts.map(is_brief).to_numpy(bool), name, RANGE)
    if not notations_of(texts.iloc[:1]).are(has_zone).any():
        times = parsed(texts, format="ISO8601")
        if times.dtype == "datetime64[ns]" and not times.isna().any():
            return times.to_numpy()
    notations = notations_of(texts)
    look_at_zones(sheet, name, notations)
    if notations.are(lambda text: in_one_notation(text) != text).any():
        texts = texts.map(in_one_notation)
    times = parsed(texts, format="ISO8601", utc=True)
    if times.isna().any():
        is_year_first = notations.are(YEAR_FIRST.match)
        times = day_or_month_first(sheet, name, texts, times, is_year_first)
    return without_zone(sheet, name, times)


def look_at_zones(sheet: Sheet, name: str, notations: Notations) -> None:
    """Refuse zones that are names, or not in all rows; note all others."""
    wanted = f"a time with {WANTED}"
    sheet.refuse(notations.are(names_zone), name, wanted, ADVICE)
    if notations.are(has_zone).any():
        wanted = "a time zone in all rows, or in none"
        sheet.refuse(notations.are(has_none), name, wanted)
        say_utc(sheet, name)


def has_zone(text: str) -> bool:
    return moment(text).tzinfo is not None


def has_none(text: str) -> bool:
    """Whether a text is a time, and one without a zone."""
    return moment(text) is not pd.NaT and not has_zone(text)


def day_or_month_first(
    sheet: Sheet,
    name: str,
    texts: pd.Series,
    times: pd.Series,
    is_year_first: np.ndarray,
) -> pd.Series:
    """Times that are not written as 2024-01-31."""
    month = parsed(texts, dayfirst=False, utc=True)
    day = month
    if not is_year_first.all():
        day = parsed(texts, dayfirst=True, utc=True).mask(is_year_first, month)
    fewest = min((times, month, day), key=lambda read: read.isna().sum())
    sheet.refuse(fewest.isna().to_numpy(), name, RANGE)
    if month.equals(day):
        return day
    month_steps, day_steps = num_steps(month), num_steps(day)
    if month_steps == day_steps:
        raise ValueError(
            f"column {name!r} of {sheet.path} must hold dates that can be "
            f"read in one way, got {sheet.frame[name].iloc[0]!r} in "
            f"{sheet.place(0)}, where day or month may come first; write them "
            "as 2024-01-31."
        )
    first = "day" if day_steps < month_steps else "month"
    sheet.notes.append(f"dates in column {name!r} are read {first} first.")
    return day if first == "day" else month


def num_steps(times: pd.Series) -> float:
    """How many different steps: few, if dates are read as they were meant."""
    if times.isna().any():
        return np.inf
    return len(np.unique(np.diff(np.unique(times.to_numpy("datetime64[ns]")))))


def parsed(texts: pd.Series, **how: Any) -> pd.Series:
    """Times; NaT for what is none."""
    with warnings.catch_warnings():
        # Of time zones and formats that differ: both are looked at.
        warnings.simplefilter("ignore")
        return pd.to_datetime(texts, errors="coerce", **how)


def without_zone(sheet: Sheet, name: str, times: pd.Series) -> np.ndarray:
    inside = times.between(
        pd.Timestamp.min.tz_localize("UTC"),
        pd.Timestamp.max.tz_localize("UTC"),
    )
    sheet.refuse(~inside.to_numpy(bool), name, RANGE)
    return times.dt.tz_convert(None).to_numpy("datetime64[ns]")


def say_utc(sheet: Sheet, name: str) -> None:
    sheet.notes.append(
        f"times in column {name!r} have a time zone and are converted to "
        "UTC; remove the zone from the file to keep local times."
    )
