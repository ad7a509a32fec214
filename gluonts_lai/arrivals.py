"""
What arrives in a stream: values and times, read and checked.

Whatever is wrong is said in one sentence, before anything is remembered.
"""

from typing import Any, Optional

import numpy as np
import pandas as pd

from gluonts_lai.limits import is_brief
from gluonts_lai.zones import check_zone, in_utc

# More missing points at once are a mistake, not a late restart.
MOST_MISSING = 100_000
# What networks compute with has no more.
LARGEST = float(np.finfo(np.float32).max)
# Where time begins in a stream that was not told when it does.
EPOCH = "1970-01-01"


def as_point(value: Any, shape: tuple) -> np.ndarray:
    """One point: a number, or one for each dimension; NaN is missing."""
    if value is None:
        return np.full(shape, np.nan)
    if isinstance(value, np.ma.MaskedArray):
        value = np.ma.filled(value.astype(float), np.nan)
    try:
        if np.asarray(value).dtype.kind in "cmM":
            raise TypeError("neither a complex number nor a time will do")
        point = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"a value must be a number, or NaN where it is missing, got "
            f"{value!r:.60}; nothing was changed, the stream goes on."
        ) from error
    if point.shape != shape:
        wanted = "a single number" if not shape else f"{shape[0]} numbers"
        raise ValueError(
            f"a value must be {wanted}, got shape {point.shape}; to feed "
            "several values at once, use update_many."
        )
    if is_beyond(point):
        finite = "be finite, or NaN where it is missing"
        if not np.isinf(point).any():
            finite = f"lie within ±{LARGEST:.3g}"
        raise ValueError(
            f"a value must {finite}, got {value!r:.60}; nothing was changed, "
            "the stream goes on."
        )
    return point


def is_beyond(points: np.ndarray) -> bool:
    return bool(np.any(are_beyond(points)))


def are_beyond(points: np.ndarray) -> np.ndarray:
    return np.abs(points) > LARGEST


def as_points(values: Any, shape: tuple) -> np.ndarray:
    """One point for each of several series."""
    numbers = (float, np.float64)
    if not shape and all(type(value) in numbers for value in values):
        points = np.array(values)
        if not is_beyond(points):
            return points
    return np.array([as_point(value, shape) for value in values])


def as_period(timestamp: Any, freq: Optional[str], name: str) -> Any:
    """A time as a period of the frequency of a stream, in UTC."""
    if isinstance(timestamp, pd.Period):
        if freq is not None and timestamp.freq != as_offset(freq):
            raise ValueError(
                f"times of {name} must have frequency {freq!r}, as in "
                f"training, got {timestamp.freqstr!r}; resample the series."
            )
        return timestamp
    if freq is None:
        raise ValueError(
            f"times of {name} must be pandas.Period, as the frequency of the "
            f"training data is not known, got {timestamp!r}."
        )
    if is_brief(timestamp):
        check_zone(timestamp, f"a timestamp of {name}")
    try:
        period = pd.NaT
        if is_brief(timestamp):
            period = pd.Period(in_utc(timestamp), freq=freq)
    except (TypeError, ValueError) as error:
        raise no_time(timestamp, name) from error
    if period is pd.NaT:
        raise no_time(timestamp, name)
    return period


def no_time(timestamp: Any, name: str) -> ValueError:
    return ValueError(
        f"a timestamp of {name} must be a time, got {timestamp!r:.60}; "
        "nothing was changed, the stream goes on."
    )


def as_label(label: Any) -> float:
    """What is known of a point; NaN for nothing."""
    if label is None:
        return np.nan
    try:
        known = float(label)
    except (TypeError, ValueError):
        known = -1.0
    if known < 0 or known > 1:
        raise ValueError(
            "a label must be 1 (anomalous), 0 (nominal), between them or None "
            f"(unknown), got {label!r:.60}; nothing was changed."
        )
    return known


def as_offset(freq: str) -> Any:
    return pd.Period(EPOCH, freq=freq).freq


def num_periods(begin: Any, end: Any) -> int:
    """Periods from one to another, each of which may be many units."""
    return (end - begin).n // end.freq.n


def num_missing(period: Any, following: Any, name: str) -> int:
    """How many points are missing before one that came at a time."""
    ahead = num_periods(following, period)
    if ahead < 0:
        last = following - 1
        what = "twice" if period == last else "late"
        raise ValueError(
            f"points of {name} must come in order, one for each period; "
            f"{period} came {what}, after {last}; nothing was changed: "
            "correct a point by starting again from a saved state."
        )
    if ahead > MOST_MISSING:
        raise ValueError(
            f"points of {name} must go on after {following - 1}, got {period}"
            f", {ahead:,} points later; begin a new stream there."
        )
    return ahead
