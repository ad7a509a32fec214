"""
Lines as they arrive: one point each, as CSV or JSON.

    3.2                                 a value
    2024-01-31 17:00,3.2                its time, and the value
    pump,2024-01-31 17:00,3.2           the series, its time, and the value
    {"item_id": "pump", "timestamp": "2024-01-31 17:00", "value": 3.2}

A first line with names says what the cells of a line are; fields of objects
may have the same names. A value that is empty, nan or null is missing. Times
may be Unix time or have a zone, as in files, and are told in UTC; dates in
which day or month may come first are refused: of a single line nobody can
tell.
"""

import csv
import re
from typing import Any, NamedTuple, Optional

import pandas as pd

from gluonts_lai.documents import parse_json
from gluonts_lai.files.layout import ITEM_IDS, TIMESTAMPS, VALUES, plain
from gluonts_lai.files.times import PLAUSIBLE, UNITS
from gluonts_lai.limits import is_brief
from gluonts_lai.zones import in_utc

BY_NUMBER = {
    1: ("value",),
    2: ("timestamp", "value"),
    3: ("item_id", "timestamp", "value"),
}
USUAL = {
    "item_id": ITEM_IDS,
    "timestamp": set().union(*TIMESTAMPS),
    "value": VALUES,
}
MISSING = ("", "nan", "null", "na", "none")
DAY_AND_MONTH = r"\s*(\d{1,2})[-/.](\d{1,2})[-/.]\d"


class Point(NamedTuple):
    """What a line says."""

    value: Any  # a number, or a list of them; None where it is missing
    timestamp: Optional[str] = None
    item_id: Optional[str] = None


class Lines:
    """
    Reads lines, and remembers what the first one says of the others.

    Parameters
    ----------
    form
        "csv" or "json"; None to see it in each line.
    """

    def __init__(self, form: Optional[str] = None) -> None:
        self.form = form
        self.names: Optional[tuple] = None
        self.is_first = True

    def read(self, line: str) -> Optional[Point]:
        """The point of a line; None where there is none."""
        line = line.strip().lstrip("\ufeff")
        if not line:
            return None
        is_first, self.is_first = self.is_first, False
        if self.form == "json" or (self.form is None and line[0] in "{["):
            return from_json(line)
        cells = [cell.strip() for cell in cells_of(line)]
        names = header(cells) if is_first else None
        if names is not None:
            self.names = names
            return None
        return self.from_cells(cells)

    def from_cells(self, cells: list[str]) -> Point:
        names = self.names or BY_NUMBER.get(len(cells))
        if names is None or len(names) != len(cells):
            wanted = "1, 2 or 3" if names is None else str(len(names))
            raise ValueError(
                f"a line must have {wanted} cells, got {len(cells)}; write "
                "item_id,timestamp,value or the last of these."
            )
        fields = dict(zip(names, cells))
        return Point(
            as_number(fields["value"]),
            as_time(fields.get("timestamp") or None),
            fields.get("item_id") or None,
        )


def cells_of(line: str) -> list[str]:
    try:
        return next(csv.reader([line]))
    except csv.Error as error:
        raise ValueError(
            f"a line must be CSV, got {line[:60]!r:.60} ({error}); write "
            "item_id,timestamp,value or the last of these."
        ) from error


def header(cells: list[str]) -> Optional[tuple]:
    """What the cells of all lines are, if these are names."""
    names = [
        next((k for k, usual in USUAL.items() if plain(cell) in usual), cell)
        for cell in cells
    ]
    others = [i for i, name in enumerate(names) if name not in USUAL]
    if "timestamp" in names and "value" not in names and len(others) == 1:
        names[others[0]] = "value"  # by whatever name
    return tuple(names) if "value" in names else None


def as_number(text: str) -> Optional[float]:
    if text.lower() in MISSING:
        return None
    try:
        return float(text)
    except ValueError:
        raise ValueError(
            f"a value must be a number, got {text!r:.60}; leave it empty "
            "where it is missing."
        ) from None


def as_time(given: Any) -> Any:
    """A time that can be read in one way, in UTC where that can be told."""
    try:
        number = float(given)
    except (OverflowError, TypeError, ValueError):
        number = 0.0
    for unit, length in UNITS.items():
        if PLAUSIBLE[0] / length <= number <= PLAUSIBLE[1] / length:
            return str(pd.Timestamp(number, unit=unit))
    found = re.match(DAY_AND_MONTH, given) if isinstance(given, str) else None
    if found:
        day, month = map(int, found.groups())
        if day != month and max(day, month) <= 12:
            raise ValueError(
                "a time must be one that can be read in one way, got "
                f"{given!r:.60}, where day or month may come first; write it "
                "as 2024-01-31 17:00."
            )
    return without_zone(given)


def without_zone(given: Any) -> Any:
    try:
        time = in_utc(given) if is_brief(given) else given
    except ValueError:  # no time at all: the stream says so
        return given
    return given if time is given else str(time)


def from_json(line: str) -> Point:
    try:
        given = parse_json(line)
    except ValueError as error:
        why = getattr(error, "msg", error)
        raise ValueError(
            f"a line must be JSON, got {line[:60]!r:.60} ({why}); write one "
            "number or one object a line."
        ) from None
    if not isinstance(given, dict):
        return Point(given)
    names = header([*given])
    if names is None:
        raise ValueError(
            "an object must have a value, got "
            f"{', '.join(map(repr, given)) or 'nothing'}; write null where "
            "it is missing."
        )
    exact = {name: given[name] for name in USUAL if name in given}
    fields = {**dict(zip(names, given.values())), **exact}
    item_id = fields.get("item_id")
    return Point(
        fields["value"],
        as_time(fields.get("timestamp")),
        None if item_id is None else str(item_id),
    )
