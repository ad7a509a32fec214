"""
WHICH hour is an hour that comes with a time zone?

That of UTC. Series have times without a zone, and what a file, a frame and a
stream say of one moment must be one time: an offset that is dropped would put
points hours away from those that they follow. Whether a text has a zone is
for pandas to say, which reads it; here are only the notations of which it
reads one in two ways, or not in all of its functions.
"""

import re
from typing import Any

import pandas as pd

# A capital Z is known to all.
UTC_AT_THE_END = re.compile(r"\s*(?!Z)(?i:Z|UTC|GMT)\s*$")
# UTC+2 is two hours east, as people mean it; POSIX means two hours west.
UTC_BEFORE_OFFSET = re.compile(r"(?:UTC|GMT)\s*(?=[+-]\d)", re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"(:\d\d),(?=\d)")
# A zone follows a clock, with a sign or as UTC; other texts need not be read.
MAY_HAVE_ZONE = re.compile(r"[T:\s]\d.*(?:[+-]|Z|UTC|GMT)", re.IGNORECASE)
# An hour: with minutes, after another number, or before AM or PM.
CLOCK = (
    r"(?::\d\d|\dh\d\d|\d(?:T|\s+)\d{1,6}|\d(?=\s*[AP]\.?M))"
    r"(?:[.,]\d+)?\s*(?:[AP]\.?M\b\.?\s*)?"
)
# What may follow it and is no name of a zone; months and days by how they
# begin.
WORD = (
    r"(?:(?:Z|UTC|GMT|[AP]M?|[HMS])(?![A-Z])"
    "|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC"
    "|MON|TUE|WED|THU|FRI|SAT|SUN)"
)
NAME = re.compile(
    rf"{CLOCK}(?!{WORD})[A-Z][A-Z_/]*(?=\s*$|\s+\d{{4}}\s*$|[+-]\d)",
    re.IGNORECASE,
)
# What to tell whoever writes a zone as a name.
WANTED = "its zone as an offset or as UTC"
ADVICE = "write it as 2024-01-31 17:00+01:00"


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
        found = moment(time) if MAY_HAVE_ZONE.search(time) else pd.NaT
        return time if found.tzinfo is None else in_utc(found)
    if getattr(time, "tzinfo", None) is None:
        return time
    return pd.Timestamp(time).tz_convert(None)


def moment(text: str) -> Any:
    """
    The time of a text, with its zone if it has one; NaT for what is none.

    Examples
    --------
    >>> moment("2024-06-11 02:00 UTC+2")
    Timestamp('2024-06-11 02:00:00+0200', tz='UTC+02:00')
    >>> moment("2024-06-11 02:00"), moment("soon"), moment("02:00 EST")
    (Timestamp('2024-06-11 02:00:00'), NaT, NaT)
    """
    if names_zone(text):
        return pd.NaT
    try:
        return pd.Timestamp(in_one_notation(text))
    except (ValueError, OverflowError):
        return pd.NaT


def in_one_notation(text: str) -> str:
    """
    A time as all functions of pandas read it, and in the same way.

    Examples
    --------
    >>> in_one_notation("2024-06-11 00:00:00,5 utc")
    '2024-06-11 00:00:00.5 Z'
    >>> in_one_notation("2024-06-11 02:00 GMT+2")
    '2024-06-11 02:00 +2'
    """
    text = UTC_BEFORE_OFFSET.sub("", DECIMAL_COMMA.sub(r"\1.", text))
    return UTC_AT_THE_END.sub(" Z", text)


def names_zone(time: Any) -> bool:
    """
    Whether a text has a zone that is a name, of which no one can be sure.

    CST is in China, in Cuba and in Chicago; pandas drops it, or takes it for
    the zone of the computer.

    Examples
    --------
    >>> names_zone("2024-06-11 02:00 CST"), names_zone("2024-06-11 2:00 PM")
    (True, False)
    """
    return isinstance(time, str) and NAME.search(time) is not None


def check_zone(time: Any, what: str) -> None:
    """Refuse a text whose zone is a name."""
    if names_zone(time):
        raise ValueError(f"{what} must have {WANTED}, got {time!r}; {ADVICE}.")
