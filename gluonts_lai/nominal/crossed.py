"""
Forecasters that share the points of series among them.
"""

from typing import Any, Optional

import numpy as np

from gluonts_lai.panel import Panel
from gluonts_lai.table import Table

from .protocol import Nominal, Scores, Update


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

    def prepare(self, panel: Panel) -> Any:
        return self.nominals[0].prepare(panel)

    def score(
        self,
        prepared: Any,
        contexts: Table,
        update: Optional[Update] = None,
        spread: Optional[Table] = None,
    ) -> Scores:
        if update is None:
            unknown = contexts.like(np.nan, np.float32), contexts.like(
                np.nan, contexts.dtype
            )
            update = Update(Scores(*unknown), contexts.like(True, bool))
        scores, stale = update
        for k, nominal in enumerate(self.nominals):
            mine = Update(scores, part_of(stale, k, len(self.nominals)))
            scores = nominal.score(prepared, contexts, mine, spread)
        return scores


def part_of(stale: Table, k: int, num_parts: int) -> Table:
    """Points that are stale in the ``k``-th part of each series."""

    def only(block: np.ndarray) -> np.ndarray:
        time = np.arange(block.shape[1])
        return block & (time * num_parts // max(block.shape[1], 1) == k)

    return stale.map(only)
