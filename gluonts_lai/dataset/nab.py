"""
The Numenta Anomaly Benchmark.

A folder with ``data/<group>/<name>.csv``, of columns ``timestamp`` and
``value``, and ``labels/combined_windows.json``: for each file, the windows in
time that hold an anomaly. The groups whose names begin with ``real`` were
measured, those with ``artificial`` were made, some of them
(``artificialNoAnomaly``) without anomalies.
"""

import json
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Sequence

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset

from .columns import Columns
from .folders import Folder, find_folder
from .grid import Grid

WINDOWS = "labels/combined_windows.json"
ADVICE = "give the folder of NAB, or one that has it in nab"


def read_nab(
    folder: Folder = None, groups: Sequence[str] = ("*",)
) -> list[dict[str, Any]]:
    """
    The series of NAB, as entries of a GluonTS data set.

    Parameters
    ----------
    folder
        The folder of NAB, with its ``data`` and its ``labels``, or one that
        has it in ``nab``. None: the environment variable ``GLUONTS_LAI_DATA``
        names it.
    groups
        Names of groups, ``*`` standing for any letters; all by default.

    Returns
    -------
    list
        Entries with ``item_id`` (``group/name``), ``start``, ``target`` and
        ``label``: 1 in the windows. The frequency of each series is its
        commonest step; values of one point are averaged, points without any
        are NaN, and labelled by their time as all others are.

    Examples
    --------
    What was measured, and what was made with anomalies:

    >>> groups = ["real*", "artificialWithAnomaly"]
    >>> entries = read_nab("data", groups)  # doctest: +SKIP
    >>> len(entries), entries[0]["item_id"]  # doctest: +SKIP
    (36, 'artificialWithAnomaly/art_daily_flatmiddle')
    """
    folder = find_folder(folder, "nab", WINDOWS, ADVICE)
    windows = json.loads((folder / WINDOWS).read_text(encoding="utf-8"))
    entries = []
    for path in find_files(folder, groups):
        name = f"{path.parent.name}/{path.name}"
        if name not in windows:
            raise ValueError(
                f"{folder / WINDOWS} must have windows for each file, got "
                f"none for {name}; add a list of them, or an empty one."
            )
        entries.append(read_series(path, windows[name]))
    return entries


def find_files(folder: Path, groups: Sequence[str]) -> list[Path]:
    """The files of some groups, by name."""
    if isinstance(groups, str):
        groups = [groups]
    files = sorted((folder / "data").glob("*/*.csv"))
    for group in groups:
        if not any(fnmatch(path.parent.name, group) for path in files):
            there = ", ".join(sorted({path.parent.name for path in files}))
            raise ValueError(
                f"groups must be names of folders in {folder / 'data'}, got "
                f"{group!r}; choose from: {there}."
            )
    return [
        path
        for path in files
        if any(fnmatch(path.parent.name, group) for group in groups)
    ]


def read_series(path: Path, windows: list) -> dict[str, Any]:
    """One series, with what lies in the windows labelled."""
    columns = Columns(path)
    grid = Grid.of(columns.times("timestamp"), str(path))
    label = np.zeros(len(grid.times), np.uint8)
    for begin, end in windows:
        begin, end = np.datetime64(begin), np.datetime64(end)
        label[(grid.times >= begin) & (grid.times <= end)] = 1
    return {
        "item_id": f"{path.parent.name}/{path.stem}",
        "start": pd.Period(grid.start, to_offset(pd.Timedelta(grid.step))),
        "target": grid.mean(columns.numbers("value")),
        "label": label,
    }
