"""
Yahoo's labelled series, S5: a user's own copy.

Four folders, ``A1Benchmark`` to ``A4Benchmark``, of hourly series: A1 was
measured, the others were made. What the generator knew of A3 and A4 (trend,
noise, seasons) is not read.

A1 has no dates, but counts its hours: they are counted from 1970 on.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gluonts_lai.choices import check_choice

from .columns import Columns
from .folders import Folder, find_folder
from .grid import Grid

ADVICE = (
    'give the folder of your copy of "S5 - A Labeled Anomaly Detection '
    'Dataset", which may not be distributed here: Yahoo gives it, in its '
    "Webscope programme, to those who sign its agreement"
)


class Layout(NamedTuple):
    """How the files of a subset are called, and their columns."""

    file: str  # what comes before its number
    time: str
    label: str


LAYOUTS = {
    "A1": Layout("real_", "timestamp", "is_anomaly"),
    "A2": Layout("synthetic_", "timestamp", "is_anomaly"),
    "A3": Layout("A3Benchmark-TS", "timestamps", "anomaly"),
    "A4": Layout("A4Benchmark-TS", "timestamps", "anomaly"),
}
HOURS = (1, 3_600)  # counted, or Unix seconds


def read_yahoo(
    folder: Folder = None, subset: str = "A1", changepoints: bool = False
) -> list[dict[str, Any]]:
    """
    The series of one subset, as entries of a GluonTS data set.

    Parameters
    ----------
    folder
        The folder with ``A1Benchmark`` to ``A4Benchmark``, or one that has
        them in ``yahoo``. None: the environment variable ``GLUONTS_LAI_DATA``
        names it. Yahoo gives the data set to those who sign its agreement.
    subset
        "A1", "A2", "A3" or "A4".
    changepoints
        Whether the change points of A3 and A4 are labelled, too: there, the
        series goes on differently. The paper does not say what it did.

    Returns
    -------
    list
        Entries with ``item_id``, ``start``, ``target`` and ``label``, in the
        order of the numbers of their files.

    Examples
    --------
    >>> entries = read_yahoo("S5", subset="A3")  # doctest: +SKIP
    >>> entries[1]["item_id"]  # doctest: +SKIP
    'A3Benchmark/A3Benchmark-TS2'
    """
    check_choice("subset", subset, tuple(LAYOUTS))
    layout, name = LAYOUTS[subset], f"{subset}Benchmark"
    if changepoints and layout.label != "anomaly":
        raise ValueError(
            f"changepoints must be False for {subset}, got True; only A3 and "
            "A4 have change points."
        )
    found = find_folder(folder, "yahoo", name, ADVICE) / name
    files = find_files(found, layout)
    return [read_series(path, layout, changepoints) for path in files]


def find_files(folder: Path, layout: Layout) -> list[Path]:
    """The series of a subset, by number; other files are summaries."""
    numbered = {}
    for path in folder.iterdir():
        match = re.fullmatch(rf"{layout.file}(\d+)\.csv", path.name)
        if match:
            numbered[int(match[1])] = path
    if not numbered:
        raise FileNotFoundError(
            f"{folder} must hold series such as {layout.file}1.csv, got none; "
            f"{ADVICE}."
        )
    return [numbered[number] for number in sorted(numbered)]


def read_series(
    path: Path, layout: Layout, changepoints: bool
) -> dict[str, Any]:
    """One series, with its anomalies labelled."""
    columns = Columns(path)
    grid = Grid.of(columns.counts(layout.time), str(path))
    if grid.step not in HOURS:
        raise ValueError(
            f"column {layout.time!r} of {path} must count hours, or seconds "
            f"an hour apart, got {grid.step:g} between most of them; check "
            "that it is a file of the original data set."
        )
    flags = columns.flags(layout.label)
    if changepoints:
        flags = flags | columns.flags("changepoint")
    label = np.zeros(len(grid.times), np.uint8)
    label[grid.positions[flags]] = 1
    return {
        "item_id": f"{path.parent.name}/{path.stem}",
        "start": pd.Period(ordinal=int(grid.start // grid.step), freq="h"),
        "target": grid.mean(columns.numbers("value")),
        "label": label,
    }
