"""
All thresholds at once.

A threshold flags the points that score at least as high. From the highest
score down to the lowest, each step flags some points more, and what was hit
up to there is a running sum: one sort is enough.
"""

from typing import NamedTuple

import numpy as np


class Sweep(NamedTuple):
    """One threshold after another, from the highest score down."""

    order: np.ndarray  # the points, from the highest score down
    thresholds: np.ndarray  # scores, in the same order
    num_flagged: np.ndarray  # points that score as high as each threshold

    @classmethod
    def of(
        cls, scores: np.ndarray, num_thresholds: int | None = None
    ) -> "Sweep":
        """
        Each score as a threshold, or ``num_thresholds`` of them, evenly
        spaced in their order.
        """
        order = np.argsort(-scores)
        falling = scores[order]
        last = len(scores) - 1
        ranks = np.linspace(0, last, num_thresholds or len(scores)).astype(int)
        thresholds = falling[ranks]
        # Points that tie are flagged together.
        num_flagged = np.searchsorted(-falling, -thresholds, side="right")
        return cls(order, thresholds, num_flagged)

    def hits(self, weights: np.ndarray) -> np.ndarray:
        """Sum of the weights of the flagged points, at each threshold."""
        sums = np.cumsum(weights[self.order], dtype=float)
        return sums[self.num_flagged - 1]

    def num_reaching(self, values: np.ndarray) -> np.ndarray:
        """How many of these values are as high as each threshold."""
        num_below = np.searchsorted(np.sort(values), self.thresholds)
        return len(values) - num_below
