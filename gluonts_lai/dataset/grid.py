"""
WHICH point of a regular series does each of some irregular times belong to?

Points are as far apart as most of the times are, from the first of them on;
times belong to the nearest point. Times may come in any order, more than once,
and leave points out.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd


class Grid(NamedTuple):
    """Equidistant points, and to which of them the times belong."""

    start: Any
    step: Any
    positions: np.ndarray

    @classmethod
    def of(cls, times: np.ndarray, name: str) -> "Grid":
        """The grid of these times: dates, or numbers."""
        steps, counts = np.unique(
            np.diff(np.unique(times)), return_counts=True
        )
        if not len(steps):
            raise ValueError(
                f"{name} must have at least two points in time, got "
                f"{len(np.unique(times))}; leave it out."
            )
        start, step = times.min(), steps[counts.argmax()]
        positions = np.rint((times - start) / step).astype(int)
        return cls(start, step, positions)

    @property
    def times(self) -> np.ndarray:
        """When its points are."""
        return self.start + self.step * np.arange(self.positions.max() + 1)

    def mean(self, values: np.ndarray) -> np.ndarray:
        """The mean of the values at each point, NaN where there are none."""
        means = pd.Series(values).groupby(self.positions).mean()
        return means.reindex(range(self.positions.max() + 1)).to_numpy(float)
