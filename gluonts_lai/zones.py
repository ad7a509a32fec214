"""
WHICH hour is an hour that comes with a time zone?

That of UTC. Series have times without a zone, and what a file, a frame and a
stream say of one moment must be one time: an offset that is dropped would put
points hours away from those that they follow.
"""

import re
from typing import Any

import pandas as pd

# How a text ends that says its zone: Z, UTC, or an offset after a clock.
ZONE = (
    r"(?:[zZ]|UTC|GMT"
    r"|(?:[T:]\d+|\s\d{6})(?:\.\d+)?\s*[+-]\d\d(?::?\d\d)?)\s*$"
)


def in_utc(time: Any) -> Any:
    """
    A time without a zone: in UTC if it had one, else as it came.

    Parameters
    ----------
    time
        A text, a Timestamp, a datetime, or anything that has no zone.

    Examples
    --------
    >>> in_utc("2024-06-11T02:00+02:00")
    Timestamp('2024-06-11 00:00:00')
    >>> in_utc(pd.Timestamp("2024-06-11 02:00", tz="America/New_York"))
    Timestamp('2024-06-11 06:00:00')
    >>> in_utc("2024-06-11 02:00")
    '2024-06-11 02:00'
    """
    if isinstance(time, str):
        return in_utc(pd.Timestamp(time)) if re.search(ZONE, time) else time
    if getattr(time, "tzinfo", None) is None:
        return time
    return pd.Timestamp(time).tz_convert(None)
