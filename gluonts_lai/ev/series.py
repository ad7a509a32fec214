"""
One series and its labels, as they come in; and the segments that they form.
"""

from typing import Any, Callable, NamedTuple

import numpy as np

from gluonts_lai.arrays import real_array

# Of labels and scores, or of labels and flags.
Metric = Callable[[np.ndarray, np.ndarray], float]


class Segments(NamedTuple):
    """Stretches of a series, in order and disjoint."""

    starts: np.ndarray  # first point of each
    stops: np.ndarray  # one after the last point of each

    @classmethod
    def of(cls, labels: np.ndarray) -> "Segments":
        """The longest stretches that are labelled throughout."""
        edges = np.diff(labels.astype(np.int8), prepend=0, append=0)
        return cls(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1))

    def highest(self, scores: np.ndarray) -> np.ndarray:
        """The highest score in each segment."""
        bounds = np.column_stack(self).ravel()
        # One point more: the last segment may stop where the series does.
        padded = np.append(scores, -np.inf)
        return np.maximum.reduceat(padded, bounds)[::2]

    def lowest(self, scores: np.ndarray) -> np.ndarray:
        """The lowest score in each segment."""
        return -self.highest(-scores)


def as_bits(values: np.ndarray, name: str) -> np.ndarray:
    """Labels or flags of one series, as an array of bool."""
    bits = as_series(values, name)
    wrong = (bits != 0) & (bits != 1)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(
            f"{name} must be 0 or 1 at each point, got {bits[i]} at index "
            f"{i}; leave out points of which nothing is known, and compare "
            "probabilities with a threshold."
        )
    return bits == 1


def as_flagged(
    labels: np.ndarray, flags: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Labels and flags of the same points."""
    labels, flags = as_bits(labels, "labels"), as_bits(flags, "flags")
    check_lengths(labels, flags, "flags")
    return labels, flags


def as_judged(
    labels: np.ndarray, scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores of the same points."""
    labels, scores = as_bits(labels, "labels"), as_series(scores, "scores")
    check_lengths(labels, scores, "scores")
    if np.isnan(scores).any():
        raise ValueError(
            "scores must be numbers, got NaN at index "
            f"{int(np.argmax(np.isnan(scores)))}; leave such points out of "
            "labels and scores."
        )
    return labels, scores


def as_series(values: np.ndarray, name: str) -> np.ndarray:
    series = real_array(values, name)
    if series.ndim != 1:
        raise ValueError(
            f"{name} must be those of one series, got shape {series.shape}; "
            "pass the series one at a time."
        )
    return series


def check_lengths(labels: np.ndarray, others: np.ndarray, name: str) -> None:
    if len(labels) != len(others):
        raise ValueError(
            f"labels and {name} must be of the same points, got {len(labels)} "
            f"labels and {len(others)} {name}; cut both to the same part of "
            "the series."
        )


def mean_of_known(values: Any) -> float:
    """The mean of what is defined; NaN where nothing is."""
    values = np.asarray(values, float)
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
