"""
What EM asks of the forecaster.
"""

from typing import Any, NamedTuple, Optional, Protocol, Sequence

import numpy as np

from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table, as_rows

from .bells import Bells, lighter
from .scaling import Scale


class Scores(NamedTuple):
    """What the forecaster says of every point, given the points before it."""

    bells: Bells  # tables; NaN where it says nothing
    # Which points it gives no density of its own; None where it gives all.
    is_pointwise: Optional[Table] = None
    # Spread of the residuals, where some point has no density of its own.
    residual_scale: Optional[float] = None

    @classmethod
    def unknown(cls, values: Table) -> "Scores":
        """Nothing was said yet, of any of these points."""
        return cls(Bells(*(values.like(np.nan, float) for _ in Bells._fields)))

    def with_points(self) -> "Scores":
        """The same, with a table of the points that have no density."""
        if self.is_pointwise is not None:
            return self
        return self._replace(is_pointwise=self.bells.df.like(False, bool))

    def keep_last(self, i: int, numbers: np.ndarray) -> None:
        """Forget all but the last points of each row of an entry."""
        for table in self.bells:
            for row, number in zip(as_rows(table.entries[i]), numbers):
                row[: max(0, len(row) - number)] = np.nan

    def since(self, firsts: Sequence[int]) -> "Scores":
        """What is said of each block from one of its points on."""
        return Scores(Bells(*(table.since(firsts) for table in self.bells)))

    def lighter(self, tail: float) -> "Scores":
        """The same with lighter tails."""
        blocks = [
            lighter(Bells(*parts), tail)
            for parts in zip(*(table.blocks for table in self.bells))
        ]
        tables = (
            table.with_blocks(list(column))
            for table, column in zip(self.bells, zip(*blocks))
        )
        return self._replace(bells=Bells(*tables))


class Update(NamedTuple):
    """Scores that hold still, but for some points."""

    scores: Scores  # written to
    stale: Table  # which points to score again


class Nominal(Protocol):
    """
    The forecaster, as EM sees it.

    Each point is scored from as near before it as the forecaster can:
    directly before it, or from up to ``prediction_length`` points before
    where only forecasts can be had. ``is_random`` tells whether these are
    made of samples.
    """

    context_length: int
    reach: int  # how far a point reaches into the scores of later ones
    prediction_length: int
    lead_time: int
    is_random: bool
    is_bare: bool  # whether it sees windows of the series, and nothing else
    past_length: Optional[int]  # points it looks back on; None for all
    residual_scale: Optional[float]  # see :class:`Scores`

    def grid(self) -> Any:
        """Which windows are asked about, and which points of them."""

    def answer(
        self, prepared: Any, contexts: Table, pieces: list, num_leads: int
    ) -> Any:
        """What it says of the first points of some windows."""

    def answer_bare(
        self,
        pasts: np.ndarray,
        observed: np.ndarray,
        scales: Scale,
        num_leads: int,
    ) -> Any:
        """The same of windows after these pasts, where it sees no more."""

    def prepare(self, panel: Panel, scales: list[Scale]) -> Any:
        """
        Do once what need not be done for every score.

        Parameters
        ----------
        panel
            The series.
        scales
            Centre and usual width of each.
        """

    def score(
        self,
        prepared: Any,
        contexts: Table,
        update: Optional[Update] = None,
        tails: Optional[Sequence[float]] = None,
    ) -> Scores:
        """
        Score every point that has a full context before it.

        Parameters
        ----------
        prepared
            The series, as :meth:`prepare` left them.
        contexts
            The same series, cleaned: what the forecaster may look back on.
        update
            Earlier scores, of which some are to be made anew.
        tails
            By how much the tails of each entry are lighter than those of the
            forecaster's densities, as a factor on their degrees of freedom.
        """
