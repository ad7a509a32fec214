"""
Lines as they arrive: one point each, as CSV or JSON.

    3.2                                 a value
    2024-01-31 17:00,3.2                its time, and the value
    pump,2024-01-31 17:00,3.2           the series, its time, and the value
    {"item_id": "pump", "timestamp": "2024-01-31 17:00", "value": 3.2}

A first line with names says what the cells of a line are. A value that is
empty, nan or null is missing.
"""

import csv
from typing import Any, NamedTuple, Optional

from gluonts_lai.documents import parse_json
from gluonts_lai.files.layout import ITEM_IDS, TIMESTAMPS, VALUES, plain

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
            fields.get("timestamp") or None,
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
    if "value" not in given:
        raise ValueError(
            "an object must have a value, got "
            f"{', '.join(map(repr, given)) or 'nothing'}; write null where "
            "it is missing."
        )
    timestamp, item_id = given.get("timestamp"), given.get("item_id")
    return Point(
        given["value"],
        timestamp,
        None if item_id is None else str(item_id),
    )
