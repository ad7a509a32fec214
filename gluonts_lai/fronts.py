"""
How far a filter has settled, row by row.

All windows are scored at once, so that what is said of a point may rest on
points before it that are still to change. Up to its front, a row has settled:
nothing before it changes any more.
"""

import numpy as np

from gluonts_lai.gaps import Gaps
from gluonts_lai.table import Table

# Runs of up to so many points are replaced wherever they are.
SHORT_RUN = 3


def hold_back(flags: np.ndarray, is_moving: np.ndarray) -> np.ndarray:
    """
    Take the flags off long runs that begin where scores are still to change.

    A context full of replacements that are still to change would flag what
    comes next, and so on: a wave that takes a pass for each of its points.
    Flags are written to. Returns, for each row, where the first of these runs
    begins; its length if there is none.
    """
    gaps = Gaps.of(flags).longer_than(SHORT_RUN)
    held = Gaps(*(column[is_moving[gaps.row, gaps.begin]] for column in gaps))
    _, row, time = held.points()
    flags[row, time] = False
    waiting = np.full(len(flags), flags.shape[1])
    np.minimum.at(waiting, held.row, held.begin)
    return waiting


def accept(
    accepted: Table,
    flags: Table,
    fronts: list[np.ndarray],
    max_run: float,
    context_length: int,
) -> int:
    """
    Where ``max_run`` points in a row are flagged, accept the next ones.

    A context that holds nothing but expectations can tell no more; a context
    of accepted points shows how the series is now. Only the first such run of
    a row, and only if all before its end has settled. Returns how many runs
    that were.
    """
    num_accepted = 0
    for known, flag, front in zip(accepted.blocks, flags.blocks, fronts):
        gaps = Gaps.of(flag).longer_than(max_run)
        _, first = np.unique(gaps.row, return_index=True)
        for row, begin in zip(gaps.row[first], gaps.begin[first]):
            end = begin + int(max_run)
            if end <= front[row]:
                known[row, end : end + context_length] = 1
                num_accepted += 1
    return num_accepted


def is_settled(fronts: list[np.ndarray], values: Table) -> bool:
    """Whether all rows have settled, up to their ends."""
    return all(
        np.all(front == block.shape[1])
        for front, block in zip(fronts, values.blocks)
    )


def first_of(flags: np.ndarray) -> np.ndarray:
    """Where the first flag of each row is; its length if there is none."""
    gaps = Gaps.of(flags)
    first = np.full(len(flags), flags.shape[1])
    np.minimum.at(first, gaps.row, gaps.begin)
    return first


def reached(changed: np.ndarray, reach: int) -> np.ndarray:
    """Points whose score depends on a point that has changed."""
    count = np.cumsum(changed, axis=-1, dtype=np.int32)
    before = np.zeros_like(count)
    before[:, 1:] = count[:, :-1]
    before[:, reach + 1 :] -= count[:, : max(0, count.shape[1] - reach - 1)]
    return before > 0
