"""
WHAT is each column of a table?

Long: a line for each reading, with a column that says which series it belongs
to, or without one where there is a single series. Wide: a line for each time,
and a column for each series. Columns are known by their usual names, whether
in upper or lower case.
"""

import re
from typing import NamedTuple, Optional, Sequence, Union

import pandas as pd

from gluonts_lai.limits import is_brief
from gluonts_lai.zones import in_one_notation

from .sheet import Sheet, as_numbers, is_text, listed, option_of

# The first of these of which there is one.
TIMESTAMPS = [
    set("timestamp timestamps datetime ds ts".split()),
    set("time times date dates".split()),
    set("day week month quarter year period utc epoch unixtime".split()),
]
ITEM_IDS = set(
    "itemid item uniqueid seriesid series id sensor sensorid name device "
    "deviceid machine machineid tag tagname metric key".split()
)
VALUES = set("value values y target x reading readings measurement".split())
LABELS = set(
    "label labels isanomaly anomaly anomalies anomalous isoutlier "
    "outlier".split()
)
ROWS = {"index", "unnamed:0", "row"}
DATE = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"

Names = Union[None, str, Sequence[str]]


class Layout(NamedTuple):
    """The part that each column plays."""

    kind: str  # "long" or "wide"
    timestamp: str
    values: tuple[str, ...]
    item_id: Optional[str]
    label: Optional[str]
    left_out: tuple[str, ...]


def find_layout(
    sheet: Sheet,
    item_id: Optional[str] = None,
    timestamp: Optional[str] = None,
    value: Names = None,
    label: Optional[str] = None,
) -> Layout:
    """The part of each column: as it was named, else as it seems."""
    values = [value] if isinstance(value, str) else list(value or [])
    check_named(sheet, item_id, timestamp, values, label)
    taken = {item_id, timestamp, label, *values}
    free = [name for name in sheet.names if name not in taken]
    timestamp = timestamp or find_timestamp(sheet, free)
    labels = [name for name in free if plain(name) in LABELS]
    free = without(free, [timestamp, *labels])
    item_id = item_id or find_item_id(sheet, free, bool(values))
    free = without(free, [item_id])
    values = values or find_values(sheet, free, item_id is not None)
    is_long = item_id is not None or len(values) == 1
    if label is None and is_long and labels:
        # In a wide table, nobody knows which of the series is meant.
        label = only(sheet, labels, "labels", "label")
    parts = [timestamp, *values, item_id, label]
    return Layout(
        "long" if is_long else "wide",
        timestamp,
        tuple(values),
        item_id,
        label,
        tuple(without(sheet.names, parts)),
    )


def check_named(
    sheet: Sheet,
    item_id: Optional[str],
    timestamp: Optional[str],
    values: list[str],
    label: Optional[str],
) -> None:
    """Columns that the user names are there."""
    named = [("item_id", item_id), ("timestamp", timestamp), ("label", label)]
    for option, name in named + [("value", name) for name in values]:
        if name is not None:
            sheet.column(name, option)


def find_timestamp(sheet: Sheet, free: list[str]) -> str:
    for usual in TIMESTAMPS:
        found = [name for name in free if plain(name) in usual]
        if found:
            return only(sheet, found, "timestamps", "timestamp")
    if any(re.match(DATE, name) for name in free):
        raise ValueError(
            f"{sheet.path} must name its columns in line 1, got "
            f"{listed(sheet.names)}; add a line such as timestamp,value."
        )
    found = [name for name in free if seems_time(sheet.frame[name])]
    return only(sheet, found, "timestamps", "timestamp")


def find_item_id(
    sheet: Sheet, free: list[str], has_values: bool
) -> Optional[str]:
    found = [
        name
        for name in free
        # A number for each line tells lines apart, not series.
        if plain(name) in ITEM_IDS and not counts_lines(sheet.frame[name])
    ]
    if not found or (len(free) == 1 and not has_values):
        return None  # or there would be no value
    return only(sheet, found, "names of series", "item_id")


def find_values(sheet: Sheet, free: list[str], is_long: bool) -> list[str]:
    usual = [name for name in free if plain(name) in VALUES]
    if len(usual) == 1:
        return usual
    others = ROWS.union(*TIMESTAMPS)
    found = [
        name
        for name in free
        if plain(name) not in others
        and not (plain(name) in ITEM_IDS and len(free) > 1)
        and has_numbers(sheet.frame[name])
    ]
    if not found and len(free) == 1:
        return free  # of which will be said what is wrong with it
    if is_long or not found:
        return [only(sheet, found, "values", "value")]
    return found


def only(sheet: Sheet, found: list[str], what: str, option: str) -> str:
    """The one column that may be meant."""
    if len(found) == 1:
        return found[0]
    got = f"{listed(found)}" if found else f"none among {listed(sheet.names)}"
    which = "the right one" if found else "it"
    raise ValueError(
        f"{sheet.path} must have one column of {what}, got {got}; name "
        f"{which} with {option_of(option)}."
    )


def without(names: list[str], others: Sequence[Optional[str]]) -> list[str]:
    left_out = set(others)
    return [name for name in names if name not in left_out]


def plain(name: str) -> str:
    """A name without its case, blanks and units: "Value (kW)" is value."""
    if not is_brief(name):  # none that is usual
        return name
    return re.sub(r"[\s_-]|\(.*\)|\[.*\]", "", name).lower()


def seems_time(column: pd.Series) -> bool:
    """Whether there are times in a column, or texts of which one is read."""
    if not is_text(column):
        return pd.api.types.is_datetime64_any_dtype(column)
    text = str(column.dropna().iloc[0])
    if not is_brief(text):
        return False
    has_date = re.search(r"\d[-/.:]\d+[-/.:T ]?\d", text) is not None
    if not has_date:
        return False
    time = pd.to_datetime(in_one_notation(text), errors="coerce")
    return not pd.isna(time)


def has_numbers(column: pd.Series) -> bool:
    """Whether some cells are numbers, or all are empty."""
    if not is_text(column):
        return not pd.api.types.is_datetime64_any_dtype(column)
    texts = pd.Series(column.dropna().unique()).str.replace(",", ".")
    return bool((as_numbers(texts) == as_numbers(texts)).any())


def counts_lines(column: pd.Series) -> bool:
    """Whether a column numbers the lines: 0, 1, 2 and so on."""
    if len(column) < 2 or column.nunique() < len(column):
        return False
    numbers = as_numbers(column.astype(object))
    return bool((numbers[1:] == numbers[:-1] + 1).all())
