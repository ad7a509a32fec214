"""
WHERE are the points that something happens to?

In stretches that never touch: between two of them there is a nominal point.
"""

import numpy as np


def draw_stretches(
    num_points: int,
    rate: float,
    lengths: tuple[int, int],
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """
    Starts and lengths of stretches that hold a share of all points.

    All lengths from the shortest to the longest are as likely; the points of
    all stretches are ``rate * num_points`` on average, and never further from
    it than about one stretch.
    """
    num_stretches = wanted(num_points, rate, lengths) + rng.random()
    drawn = even_lengths(
        int(num_stretches), lengths, rng.integers(num_lengths(lengths))
    )
    drawn = rng.permutation(drawn)
    return place(drawn, num_points, rng), drawn


def has_room(num_points: int, rate: float, lengths: tuple[int, int]) -> bool:
    """Whether there is room for stretches, however they are drawn."""
    if rate == 0:
        return True
    most = int(wanted(num_points, rate, lengths)) + 1
    longest = even_lengths(most, lengths, num_lengths(lengths) - 1)
    return longest.sum() + most <= num_points + 1


def place(
    lengths: np.ndarray, num_points: int, rng: np.random.Generator
) -> np.ndarray:
    """Where stretches of these lengths begin."""
    # They go into different gaps between nominal points: they never touch.
    num_gaps = num_points - lengths.sum() + 1
    gaps = np.sort(rng.choice(num_gaps, size=len(lengths), replace=False))
    return gaps + np.cumsum(lengths) - lengths


def points_of(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The points of all stretches, one after the other."""
    before = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) + np.repeat(starts - before, lengths)


def wanted(num_points: int, rate: float, lengths: tuple[int, int]) -> float:
    """The number of stretches that hold a share of all points."""
    return 2 * rate * num_points / sum(lengths)


def num_lengths(lengths: tuple[int, int]) -> int:
    shortest, longest = lengths
    return longest - shortest + 1


def even_lengths(
    num_stretches: int, lengths: tuple[int, int], offset: int
) -> np.ndarray:
    """
    Lengths that are spread over all that there are, shortest first.

    Over all offsets, 0 to ``num_lengths - 1``, each length is as frequent.
    """
    steps = num_lengths(lengths) * np.arange(num_stretches) + offset
    return lengths[0] + steps // max(num_stretches, 1)
