"""
HOW MUCH may a file from outside ask for?

Each limit is far above what honest files need. Who needs more says so in the
environment: ``GLUONTS_LAI_MAX_COLUMNS=50000`` admits tables that wide.
"""

import os
from typing import Any

PREFIX = "GLUONTS_LAI_MAX_"
LIMITS = {
    # Of a JSON file, or of a line that is one: some 100,000 known series.
    "JSON_BYTES": 200_000_000,
    # Lists within lists. What we and GluonTS write has less than 20.
    "JSON_DEPTH": 64,
    # Of one line of a CSV file.
    "LINE_BYTES": 10_000_000,
    # Of a table.
    "COLUMNS": 10_000,
    # What a compressed file may hold, whatever its size …
    "UNPACKED_BYTES": 100_000_000,
    # … and how many times its own size, where that is more.
    "UNPACKED_RATIO": 200,
}
# Characters of a time, a frequency or a column's usual name. Whoever looks
# through longer ones takes the square of their length: hours for a megabyte.
LONGEST_TEXT = 200


def is_brief(value: Any) -> bool:
    """
    Whether pandas may be asked which time, or frequency, a value is.

    Examples
    --------
    >>> is_brief("2024-01-31 17:00"), is_brief("1" * 1_000_000)
    (True, False)
    """
    return not isinstance(value, (str, bytes)) or len(value) <= LONGEST_TEXT


def most(what: str) -> int:
    """
    The limit of something, as the environment has it or by default.

    Parameters
    ----------
    what
        A name of ``LIMITS``.

    Examples
    --------
    >>> most("JSON_DEPTH")
    64
    >>> getfixture("monkeypatch").setenv("GLUONTS_LAI_MAX_JSON_DEPTH", "100")
    >>> most("JSON_DEPTH")
    100
    """
    given = os.environ.get(PREFIX + what, "").strip()
    if not given:
        return LIMITS[what]
    if not given.isascii() or not given.isdigit() or len(given) > 18:
        raise ValueError(
            f"{PREFIX}{what} must be a whole number, got {given!r:.60}; "
            "correct it in the environment, or leave it out."
        )
    return int(given)


def raised_by(what: str) -> str:
    """How to raise a limit, as a message has it."""
    return f"raise {PREFIX}{what} in the environment"


def most_unpacked(num_bytes: int) -> int:
    """What a compressed file of this size may hold."""
    return max(most("UNPACKED_BYTES"), most("UNPACKED_RATIO") * num_bytes)
