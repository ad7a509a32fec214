"""
Hourly load of electricity clients.

A part of the UCI data set "ElectricityLoadDiagrams20112014" by A. Trindade: a
file ``electricity_hourly_2014.csv`` with a column ``timestamp`` and one column
for each client, in kW. Some clients end before the others do.
"""

from typing import Any

import numpy as np
import pandas as pd

from .columns import Columns
from .folders import Folder, find_folder
from .grid import Grid

FILE = "electricity_hourly_2014.csv"
ADVICE = f"give the folder of {FILE}, or one that has it in electricity"


def read_electricity(folder: Folder = None) -> list[dict[str, Any]]:
    """
    The load of each client, as entries of a GluonTS data set.

    Parameters
    ----------
    folder
        The folder of ``electricity_hourly_2014.csv``, or one that has it in
        ``electricity``. None: the environment variable ``GLUONTS_LAI_DATA``
        names it.

    Returns
    -------
    list
        Entries with ``item_id``, ``start`` and ``target``, each up to its last
        value; missing hours before that are NaN. There is no ``label``: nobody
        knows which of the hours are anomalous.

    Examples
    --------
    >>> entries = read_electricity("data")  # doctest: +SKIP
    >>> [len(entry["target"]) for entry in entries[-3:]]  # doctest: +SKIP
    [8760, 7991, 7991]
    """
    path = find_folder(folder, "electricity", FILE, ADVICE) / FILE
    columns = Columns(path)
    grid = Grid.of(columns.times("timestamp"), str(path))
    return [
        {
            "item_id": name,
            "start": pd.Period(grid.start, "h"),
            "target": without_end(grid.mean(columns.numbers(name))),
        }
        for name in columns.names
        if name != "timestamp"
    ]


def without_end(values: np.ndarray) -> np.ndarray:
    """A series up to its last value."""
    observed = np.flatnonzero(~np.isnan(values))
    return values[: observed[-1] + 1] if len(observed) else values[:0]
