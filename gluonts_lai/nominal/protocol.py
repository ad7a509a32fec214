"""
What EM asks of the forecaster.
"""

from typing import Any, NamedTuple, Optional, Protocol

from gluonts_lai.panel import Panel
from gluonts_lai.table import Table


class Scores(NamedTuple):
    """What the forecaster says of every point, given the points before it."""

    log_normal: Table  # log p⁺(x[t] | clean past); NaN where there is none
    expected: Table  # its expectation of x[t]; NaN where there is none
    # Spread of a point forecaster's residuals; None where it has a density.
    residual_scale: Optional[float] = None


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
    made of samples, ``looks_ahead`` whether some points are scored from
    further than one step before.
    """

    context_length: int
    reach: int  # how far a point reaches into the scores of later ones
    prediction_length: int
    lead_time: int
    is_random: bool
    looks_ahead: bool

    def prepare(self, panel: Panel) -> Any:
        """Do once what need not be done for every score."""

    def score(
        self,
        prepared: Any,
        contexts: Table,
        update: Optional[Update] = None,
        spread: Optional[Table] = None,
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
        spread
            By how much to widen the density of each point.
        """
