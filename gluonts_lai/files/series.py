"""
The series of a table, whatever its layout.
"""

from typing import Any, Optional

import numpy as np
import pandas as pd

from .frequency import guess_offset
from .layout import Layout
from .opening import without_compression
from .points import Points
from .precision import in_one_precision
from .readings import Readings
from .sheet import Sheet, listed, option_of
from .times import read_times


def entries_of(
    sheet: Sheet,
    layout: Layout,
    offset: Optional[Any],
    duplicates: Optional[str],
) -> list[dict]:
    """The series of a table, in the order in which they come in it."""
    columns = {name: sheet.numbers(name) for name in layout.values}
    points = points_of(sheet, layout, offset, duplicates)
    names = points.readings.names
    sheet.notes.extend(points.notes())
    labels = None
    if layout.label is not None:
        # Of readings that share a point, one may be anomalous.
        how = None if duplicates is None else "max"
        labels = points.fill(sheet.labels(layout.label), how)
    entries = []
    for name, column in columns.items():
        for i, target in enumerate(points.fill(column, duplicates)):
            item_id = called(names[i], name, layout)
            start = points.starts[i]
            entry = {"item_id": item_id, "start": start, "target": target}
            if labels is not None:
                entry["label"] = labels[i]
            entries.append(entry)
    entries = in_one_precision(with_values(sheet, layout, entries))
    return [trimmed(e) for e in entries] if layout.kind == "wide" else entries


def points_of(
    sheet: Sheet,
    layout: Layout,
    offset: Optional[Any],
    duplicates: Optional[str],
) -> Points:
    """The points of all series, whether they have values or not."""
    names, series = series_of(sheet, layout)
    times = read_times(sheet, layout.timestamp)
    readings = Readings.of(sheet, names, series, times)
    if offset is None:
        offset = guess_offset(readings)
    return Points.of(readings, offset, duplicates)


def with_values(
    sheet: Sheet, layout: Layout, entries: list[dict]
) -> list[dict]:
    """The series that are not empty."""
    full = [e for e in entries if not np.isnan(e["target"]).all()]
    if not full:
        raise ValueError(
            f"{sheet.path} must hold values, got none in column "
            f"{listed(layout.values)}; name another with "
            f"{option_of('value')}."
        )
    if len(full) < len(entries):
        ids = {e["item_id"] for e in full}
        empty = [e["item_id"] for e in entries if e["item_id"] not in ids]
        sheet.notes.append(
            f"{len(empty):,} series without any value are left out: "
            f"{listed(empty)}."
        )
    return full


def series_of(sheet: Sheet, layout: Layout) -> tuple[list[str], np.ndarray]:
    """The names of the series, and which each row belongs to."""
    if layout.item_id is None:
        name = without_compression(sheet.path).stem
        return [name], np.zeros(len(sheet.frame), int)
    column = sheet.frame[layout.item_id]
    empty = column.isna().to_numpy()
    sheet.refuse(empty, layout.item_id, "the name of a series in each row")
    series, names = pd.factorize(column)
    return [str(name) for name in names], series


def called(name: str, column: str, layout: Layout) -> str:
    if len(layout.values) == 1:
        return name
    return column if layout.item_id is None else f"{name}/{column}"


def trimmed(entry: dict) -> dict:
    """A series from its first value to its last."""
    observed = np.flatnonzero(~np.isnan(entry["target"]))
    begin, end = int(observed[0]), int(observed[-1]) + 1
    fields = [field for field in ("target", "label") if field in entry]
    cut = {field: entry[field][begin:end] for field in fields}
    return {**entry, **cut, "start": entry["start"] + begin}
