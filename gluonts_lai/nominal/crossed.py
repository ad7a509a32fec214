"""
Forecasters that share the points of series among them.
"""

from typing import Any, Optional, Sequence

import numpy as np

from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table

from .protocol import Nominal, Scores, Update
from .scaling import Scale


class Crossed:
    """
    Forecasters of one kind, each for an equal part of every series.

    Parameters
    ----------
    nominals
        One for the beginnings of series, and so on to their ends.
    """

    def __init__(self, nominals: list[Nominal]) -> None:
        self.nominals = nominals

    def __getattr__(self, name: str) -> Any:
        if name == "nominals":  # not there yet: it is being copied
            raise AttributeError(name)
        return getattr(self.nominals[0], name)

    def prepare(self, panel: Panel, scales: list[Scale]) -> Any:
        return self.nominals[0].prepare(panel, scales)

    def score(
        self,
        prepared: Any,
        contexts: Table,
        update: Optional[Update] = None,
        tails: Optional[Sequence[float]] = None,
    ) -> Scores:
        if update is None:
            all_of_them = contexts.like(True, bool)
            update = Update(Scores.unknown(contexts), all_of_them)
        scores, stale = update
        for k, nominal in enumerate(self.nominals):
            mine = Update(scores, part_of(stale, k, len(self.nominals)))
            scores = nominal.score(prepared, contexts, mine, tails)
        return scores


def part_of(stale: Table, k: int, num_parts: int) -> Table:
    """Points that are stale in the ``k``-th part of each series."""

    def only(block: np.ndarray) -> np.ndarray:
        time = np.arange(block.shape[1])
        return block & (time * num_parts // max(block.shape[1], 1) == k)

    return stale.map(only)
