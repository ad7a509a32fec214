"""
WHERE does a series begin to show what it is like?

A series that was not in training is known by its first context: so many
points from its first value on, and more where not even half of these have a
value. Of a wide frame most series begin late, and what is missing before them
tells nothing. Nor does a context in which all values are the same, of a
machine that is not switched on: then it begins again, with the first value
that is another. Each row of a series of vectors begins by itself.

The same is found of whole rows, and of one value after the other.
"""

from typing import NamedTuple

import numpy as np

from gluonts_lai.panel.table import as_rows


class Beginning(NamedTuple):
    """The first context of a row: from ``begin`` up to before ``end``."""

    begin: int
    end: float  # infinite while nobody knows
    tells: bool  # whether not all of it is the same

    @classmethod
    def of(cls, row: np.ndarray, length: int) -> "Beginning":
        """That of a row, NaN where it is missing."""
        (seen,) = np.nonzero(~np.isnan(row))
        if not seen.size:
            return cls(len(row), np.inf, False)
        values = row[seen]
        (others,) = np.nonzero(np.r_[True, values[1:] != values[:-1]])
        begins = seen[others]
        # Where so many values from each of these on have been seen.
        padded = np.r_[seen + 1.0, np.full(length, np.inf)]
        ends = np.fmax(
            begins + length, padded[others + num_needed(length) - 1]
        )
        # A context of one point has no other to wait for.
        tells = (np.r_[begins[1:], np.inf] < ends) | (length == 1)
        which = int(np.argmax(tells)) if tells.any() else -1
        return cls(int(begins[which]), float(ends[which]), bool(tells[which]))


def num_needed(length: int) -> int:
    """How many values a context must have to tell anything."""
    return (length + 1) // 2


def beginning(row: np.ndarray, length: int) -> list[float]:
    """
    The first context of a row, or as much of it as there is.

    Examples
    --------
    >>> beginning(np.array([np.nan, np.nan, 3.0, 5.0]), 3)
    [3.0, 5.0]
    """
    begin, end, _ = Beginning.of(row, length)
    values = row[begin : int(min(end, len(row)))]
    is_kept = ~np.isnan(values)
    is_kept[:length] = True
    return values[is_kept].tolist()


def first_context(entry: np.ndarray, length: int) -> np.ndarray:
    """
    The first context of each row of an entry, NaN where there is no more.

    Examples
    --------
    >>> late = np.array([np.nan, np.nan, 3.0, 5.0, 4.0, 7.0])
    >>> first_context(late, 3)
    array([3., 5., 4.])
    >>> idle = np.array([0.0, 0.0, 0.0, 0.0, 5.0, 4.0])
    >>> first_context(idle, 3)
    array([5., 4.])
    """
    table = side_by_side([beginning(row, length) for row in as_rows(entry)])
    return table.reshape(*entry.shape[:-1], table.shape[-1])


def side_by_side(firsts: list[list[float]]) -> np.ndarray:
    """
    First contexts as one array, NaN before those that are shorter: as a
    series of vectors that begins with them.
    """
    size = max(map(len, firsts))
    table = np.full((len(firsts), size), np.nan)
    for row, first in zip(table, firsts):
        row[size - len(first) :] = first
    return table


def num_after(entry: np.ndarray, length: int) -> np.ndarray:
    """
    How many points of each row come after its first context.

    Examples
    --------
    >>> num_after(np.array([np.nan, np.nan, 3.0, 5.0, 4.0, 7.0]), 3)
    array([1])
    """
    rows = as_rows(entry)
    numbers = np.zeros(len(rows), int)
    for j, row in enumerate(rows):
        _, end, tells = Beginning.of(row, length)
        if tells and end < len(row):
            numbers[j] = len(row) - end
    return numbers


def go_on(first: list[float], value: float, length: int) -> bool:
    """
    Take in the next value of a row; whether its first context is whole then.

    Parameters
    ----------
    first
        The first context so far; written to.
    value
        What came; NaN if it is missing.
    length
        That of a context.

    Examples
    --------
    >>> first = []
    >>> [go_on(first, value, 2) for value in (np.nan, 5.0, 5.0, 5.0, 7.0, 8.0)]
    [False, False, False, False, False, True]
    >>> first
    [7.0, 8.0]
    """
    is_seen = value == value
    if is_long(first, length):  # all the same, or it would be known
        if not is_seen or value == first[0]:
            return False
        first.clear()
    if is_seen or 0 < len(first) < length:
        first.append(value)
    return is_whole(first, length)


def is_long(first: list[float], length: int) -> bool:
    """Whether a first context has enough of points, and of values."""
    if len(first) < length:
        return False
    return sum(value == value for value in first) >= num_needed(length)


def is_whole(first: list[float], length: int) -> bool:
    """Whether it has, and they are not all the same."""
    if not is_long(first, length):
        return False
    return length == 1 or bool(np.nanmax(first) > np.nanmin(first))
