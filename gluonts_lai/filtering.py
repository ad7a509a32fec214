"""
Filtering: which points of a series are anomalous, given what came before?

To score a point, the points before it must be clean; to clean them, they must
be scored. Point by point that is easy and slow. It also is a fixed point that
depends on the past alone: score all windows at once, filter, replace what is
flagged, and look again at what a replacement has touched, until nothing
changes.
"""

import logging
from typing import Any, NamedTuple, Optional

import numpy as np

from gluonts_lai.evidence import Chains, Evidence
from gluonts_lai.fronts import (
    accept,
    first_of,
    hold_back,
    is_settled,
    reached,
)
from gluonts_lai.gaps import bounded
from gluonts_lai.indicator import Filtered
from gluonts_lai.indicator.recursion import compiled
from gluonts_lai.nominal.protocol import Nominal, Scores, Update
from gluonts_lai.panel import Panel
from gluonts_lai.table import Table
from gluonts_lai.transform import Clean, Treatment

logger = logging.getLogger(__name__)

MAX_PASSES = 1_000
# Scores made from samples never come to a stand.
MAX_RANDOM = 5
NUM_LOOKS_BACK = 3
# Replacements that move by less, in sds of their series, hold still.
FINE, COARSE = 1e-5, 0.25


class Settled(NamedTuple):
    """Where filtering comes to a stand."""

    scores: Scores
    evidence: Evidence
    filtered: list[Filtered]  # one for each block
    targets: Table  # clean contexts
    spent: float  # points scored, as a multiple of those that there are


class Filter(NamedTuple):
    """
    A forecaster and an indicator, at work on a data set.

    Parameters
    ----------
    nominal
        The forecaster.
    panel
        The series.
    prepared
        The same, prepared by ``nominal``.
    chains
        The chain of each entry.
    log_anomalous
        log p⁻ of every point.
    treatment
        How flagged points are replaced, and how many in a row.
    threshold
        Probability above which a point is replaced.
    tolerance
        By how much replacements may still move, in sds of their series.
    budget
        Most points to score, as a multiple of those that there are; the first
        look at all of them is always taken.
    widening
        By how much all densities are wider than the forecaster says.
    """

    nominal: Nominal
    panel: Panel
    prepared: Any
    chains: Chains
    log_anomalous: Table
    treatment: Treatment
    threshold: float = 0.5
    tolerance: float = FINE
    budget: float = np.inf
    widening: float = 1.0

    def settle(self, targets: Optional[Table] = None) -> Settled:
        """
        Clean the context of every point by what came before it.

        Parameters
        ----------
        targets
            Clean contexts to begin with: the end does not depend on them,
            but may be near.
        """
        values = self.panel.values
        if targets is None:
            targets = Clean.as_observed(values).targets
        accepted = values.like(0, np.uint8)
        flags = values.like(0, np.uint8)
        scores, spent = self.score(targets, flags), 1.0
        is_random = self.nominal.is_random
        is_moving = values.like(not is_random, bool)
        for num_passes in range(1, MAX_RANDOM if is_random else MAX_PASSES):
            evidence = self.evidence(scores)
            filtered = evidence.filter(self.chains)
            before, flags = flags, self.flag(filtered, accepted)
            waiting = list(map(hold_back, flags.blocks, is_moving.blocks))
            later = self.treatment.replace(
                values, flags, scores.expected, bridge=False
            )
            changed = flags.map(np.not_equal, before)
            if not is_random:  # expectations from samples never hold still
                changed = changed.map(
                    np.logical_or, self.changes(targets, later)
                )
                is_moving = self.touched(changed)
            targets = later
            fronts = [
                np.minimum(first_of(change), wait)
                for change, wait in zip(changed.blocks, waiting)
            ]
            num_accepted = accept(
                accepted,
                flags,
                fronts,
                self.treatment.max_run,
                self.nominal.context_length,
            )
            if not num_accepted and is_settled(fronts, values):
                logger.debug("The filter settled in %d passes.", num_passes)
                break
            spent += self.touched(changed).total() / max(values.size, 1)
            if spent > self.budget:
                break
            scores = self.score(targets, flags, scores, changed, before)
        else:
            evidence = self.evidence(scores)
            filtered = evidence.filter(self.chains)
            logger.debug("The filter did not settle in %d passes.", num_passes)
        return Settled(scores, evidence, filtered, targets, spent)

    def look_back(self, settled: Settled) -> Settled:
        """
        Clean contexts once more, in hindsight.

        After a long run a filter has only its own expectations to go on,
        which may have drifted away from the series; in hindsight they are
        bent to meet it again.
        """
        scores, evidence, filtered, targets, spent = settled
        flags = self.flag(filtered)
        for _ in range(NUM_LOOKS_BACK):
            smoothed = evidence.smooth(self.chains)
            before, flags = flags, targets.with_blocks(
                [
                    bounded(s.smoothed > 0.5, self.treatment.max_run)
                    for s in smoothed
                ]
            )
            later = self.treatment.replace(
                self.panel.values, flags, scores.expected
            )
            changed = self.changes(targets, later)
            spent += self.touched(changed).total() / max(changed.size, 1)
            if spent > self.budget or not any(map(np.any, changed.blocks)):
                break
            targets = later
            scores = self.score(targets, flags, scores, changed, before)
            evidence = self.evidence(scores)
        return Settled(scores, evidence, filtered, targets, spent)

    def evidence(self, scores: Scores) -> Evidence:
        return Evidence.of(
            scores.log_normal, self.log_anomalous, self.panel.labels
        )

    def flag(
        self, filtered: list[Filtered], accepted: Optional[Table] = None
    ) -> Table:
        """Points to replace: those flagged, and not accepted as they are."""
        flags = self.panel.values.with_blocks(
            [f.filtered > self.threshold for f in filtered]
        )
        if accepted is None:
            return flags
        return flags.map(lambda flag, known: flag & (known == 0), accepted)

    def changes(self, before: Table, after: Table) -> Table:
        """Which values have changed, and not by next to nothing."""
        return before.map(
            lambda old, new: np.abs(new - old)
            > self.tolerance * old.std(-1, keepdims=True, dtype=float),
            after,
        )

    def score(
        self,
        targets: Table,
        flags: Table,
        scores: Optional[Scores] = None,
        changed: Optional[Table] = None,
        before: Optional[Table] = None,
    ) -> Scores:
        """
        Score all points; or, of earlier scores, those that a change of values
        or of flags has touched.
        """
        spread, update = self.spread(flags), None
        if scores is not None and changed is not None and before is not None:
            stale = self.touched(changed).map(
                lambda touched, new, old: touched | (new != old),
                spread,
                self.spread(before),
            )
            update = Update(scores, stale)
        scores = self.nominal.score(
            self.prepared, targets, update=update, spread=spread
        )
        silence_first(self.panel.values, scores)
        return scores

    def touched(self, changed: Table) -> Table:
        """Points whose score depends on a point that has changed."""
        reach = self.nominal.reach
        return changed.map(lambda block: reached(block, reach))

    def spread(self, flags: Table) -> Table:
        """
        By how much the density of each point is wider than it seems.

        Each replacement in a row adds the variance of a step that was not
        seen.
        """
        missing = self.panel.values.map(np.isnan)
        unseen = flags.map(np.logical_or, missing)
        return unseen.map(
            lambda block: self.widening * np.sqrt(1 + unseen_steps(block))
        )


def unseen_steps(unseen: np.ndarray) -> np.ndarray:
    """
    How many steps the forecaster has not seen before each point.

    Every point that was seen halves what there is to guess.
    """
    steps = np.empty(unseen.shape, np.float32)
    count_unseen(unseen, steps)
    return steps


@compiled
def count_unseen(unseen, steps):
    for row in range(unseen.shape[0]):
        count = 0.0
        for t in range(unseen.shape[1]):
            steps[row, t] = count
            count = count + 1.0 if unseen[row, t] else count / 2


def silence_first(values: Table, scores: Scores) -> None:
    """
    Take away what is said of the first value of each row.

    There was nothing to expect it from.
    """
    for block, told, expected in zip(
        values.blocks, scores.log_normal.blocks, scores.expected.blocks
    ):
        first = first_of(~np.isnan(block))
        (row,) = np.nonzero(first < block.shape[1])
        told[row, first[row]] = expected[row, first[row]] = np.nan
