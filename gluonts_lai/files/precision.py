"""
HOW EXACT must the numbers of a file be?

GluonTS's data sets and networks have single precision, of seven digits: half
the memory, and enough wherever a series moves in the first of them. One that
moves in its last digits, as a counter of bytes beyond 10⁹, would become a
staircase, or a constant; then the series of its file are double.
"""

from typing import Iterable

import numpy as np

# A step is lost where single precision changes it by more than this share …
BLUR = 0.1
# … and a series where that happens to more of its steps than by accident.
ACCIDENTS = 0.01
# What sums of doubles leave behind, as a share of them, is no step.
ROUNDING = 1e-15


def precision_of(series: Iterable[np.ndarray]) -> type:
    """
    Single precision, unless one of these series needs more.

    Parameters
    ----------
    series
        Arrays of doubles, (time,) or (dim, time), NaN where nothing is known.

    Examples
    --------
    >>> readings = np.array([20.1, 20.3, 19.8, 20.2])
    >>> precision_of([readings])
    <class 'numpy.float32'>
    >>> precision_of([readings, 1.7e9 + readings])
    <class 'numpy.float64'>
    """
    rows = (row for array in series for row in np.atleast_2d(array))
    return np.float64 if any(map(is_lost, rows)) else np.float32


def in_one_precision(entries: list[dict]) -> list[dict]:
    """The series of a file, all as exact as one of them must be."""
    precision = precision_of(entry["target"] for entry in entries)
    return [
        {**entry, "target": entry["target"].astype(precision, copy=False)}
        for entry in entries
    ]


def is_lost(row: np.ndarray) -> bool:
    """Whether single precision would change how a series moves."""
    known = row[~np.isnan(row)]
    steps = np.diff(known)
    coarse = np.diff(known.astype(np.float32).astype(float))
    moves = np.abs(steps) > ROUNDING * np.abs(known[1:])
    lost = moves & (np.abs(coarse - steps) > BLUR * np.abs(steps))
    return bool(lost.sum() > ACCIDENTS * moves.sum())
