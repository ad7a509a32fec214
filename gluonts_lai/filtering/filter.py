"""
Filtering: which points of a series are anomalous, given what came before?

To score a point, the points before it must be clean; to clean them, they must
be scored. Point by point that is easy and slow. It also is a fixed point that
depends on the past alone: score all windows at once, judge one point after
the other by these scores, replace what is flagged, and score again what a
replacement has touched, until nothing changes.
"""

import logging
from typing import Any, NamedTuple, Optional, Sequence

import numpy as np

from gluonts_lai.evidence import Chains, Evidence
from gluonts_lai.gaps import bounded
from gluonts_lai.nominal.bells import Bells
from gluonts_lai.nominal.protocol import Nominal, Scores, Update
from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table
from gluonts_lai.profiles import Late
from gluonts_lai.transform import Clean, Treatment

from .judging import advance
from .vigil import (
    OPEN,
    Rules,
    Stand,
    Verdicts,
    Vigil,
    log_odds_of,
)

logger = logging.getLogger(__name__)

MAX_PASSES = 1_000
# Scores made from samples never come to a stand.
MAX_RANDOM = 8
NUM_LOOKS_BACK = 3
# Replacements that move by less, in sds of their series, hold still.
FINE, COARSE = 1e-5, 0.25


class Settled(NamedTuple):
    """Where filtering comes to a stand."""

    scores: Scores
    verdicts: Verdicts  # tables
    targets: Table  # clean contexts
    vigils: list[Vigil]  # what is known after the last points of each block
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
        How flagged points are replaced.
    widenings
        By how much the densities of each entry are wider than the forecaster
        says.
    max_runs
        Most points in a row to replace, for each entry.
    tails
        By how much the tails of their densities are lighter.
    threshold
        Probability above which a point is replaced.
    recalibrates
        Whether spreads follow the residuals.
    tolerance
        By how much replacements may still move, in sds of their series.
    budget
        Most points to score, as a multiple of those that there are; the first
        look at all of them is always taken.
    late
        Entries that are not known for a while, of which nothing is said.
    """

    nominal: Nominal
    panel: Panel
    prepared: Any
    chains: Chains
    log_anomalous: Table
    treatment: Treatment
    widenings: Sequence[float]
    max_runs: Sequence[float]
    tails: Optional[Sequence[float]] = None
    threshold: float = 0.5
    recalibrates: bool = False
    tolerance: float = FINE
    budget: float = np.inf
    late: Optional[Late] = None

    def settle(self, contexts: Optional[Table] = None) -> Settled:
        """
        Clean the context of every point by what came before it.

        Parameters
        ----------
        contexts
            Clean contexts to begin with: the end does not depend on them,
            but may be near.
        """
        values = self.panel.values
        if contexts is None:
            contexts = Clean.as_observed(values).targets
        scores, spent = self.score(contexts), 1.0
        is_random = self.nominal.is_random
        for num_passes in range(1, MAX_RANDOM if is_random else MAX_PASSES):
            verdicts, vigils = self.judge(scores, contexts=contexts)
            changed = self.changes(contexts, verdicts.targets)
            contexts = verdicts.targets
            stale = self.touched(changed)
            if not any(map(np.any, stale.blocks)):
                logger.debug("The filter settled in %d passes.", num_passes)
                break
            spent += stale.total() / max(values.size, 1)
            if spent > self.budget:
                break
            scores = self.score(contexts, Update(scores, stale))
        else:
            verdicts, vigils = self.judge(scores)
            logger.debug("The filter did not settle in %d passes.", num_passes)
        return Settled(scores, verdicts, contexts, vigils, spent)

    def look_back(self, settled: Settled) -> Settled:
        """
        Clean contexts once more, in hindsight.

        After a long run a filter has only its own expectations to go on,
        which may have drifted away from the series; in hindsight they are
        bent to meet it again.
        """
        scores, verdicts, contexts, vigils, spent = settled
        for _ in range(NUM_LOOKS_BACK):
            smoothed = self.evidence(verdicts).smooth(self.chains)
            flags = contexts.with_blocks(
                [
                    bounded(
                        s.smoothed > self.threshold, self.treatment.max_run
                    )
                    for s in smoothed
                ]
            )
            later = self.treatment.replace(
                self.panel.values, flags, scores.bells.expected
            )
            changed = self.changes(contexts, later)
            stale = self.touched(changed)
            spent += stale.total() / max(changed.size, 1)
            if spent > self.budget or not any(map(np.any, changed.blocks)):
                break
            contexts = later
            scores = self.score(contexts, Update(scores, stale))
            verdicts, _ = self.judge(scores, flags)
        return Settled(scores, verdicts, contexts, vigils, spent)

    def score(
        self, contexts: Table, update: Optional[Update] = None
    ) -> Scores:
        """Ask the forecaster."""
        scores = self.nominal.score(
            self.prepared, contexts, update, self.tails
        )
        for i, num_known in (self.late or {}).items():
            scores.keep_last(i, num_known)
        return scores

    def judge(
        self,
        scores: Scores,
        decisions: Optional[Table] = None,
        contexts: Optional[Table] = None,
    ) -> tuple[Verdicts, list[Vigil]]:
        """One point after the other, by scores that are there already."""
        values = self.panel.values
        reach = self.nominal.reach
        blocks, vigils = [], []
        for k, block in enumerate(values.blocks):
            owners = values.owners[k]
            chains = [self.chains[i] for i in owners]
            vigil, verdicts = Vigil.begin(chains), Verdicts.empty(block)
            advance(
                block,
                Bells(*(table.blocks[k] for table in scores.bells)),
                self.log_anomalous.blocks[k],
                self.opinions(k),
                (
                    np.full(block.shape, OPEN, np.int8)
                    if decisions is None
                    else decisions.blocks[k].astype(np.int8)
                ),
                self.rules(chains, owners),
                (
                    Stand.still(block)
                    if contexts is None
                    else Stand(
                        contexts.blocks[k],
                        self.slack(k),
                        min(reach, block.shape[1]),
                    )
                ),
                vigil,
                verdicts,
            )
            blocks.append(verdicts)
            vigils.append(vigil)
        tables = (values.with_blocks(list(column)) for column in zip(*blocks))
        return Verdicts(*tables), vigils

    def rules(self, chains: Chains, owners: np.ndarray) -> Rules:
        """How the rows of some entries are judged."""
        return Rules.of(
            chains,
            [self.widenings[i] for i in owners],
            [self.max_runs[i] for i in owners],
            self.threshold,
            self.treatment.kind,
            self.recalibrates,
        )

    def opinions(self, k: int) -> np.ndarray:
        """Log-odds of what is known of the points of a block."""
        if self.panel.labels is None:
            return np.zeros(self.panel.values.blocks[k].shape)
        return log_odds_of(self.panel.labels.blocks[k])

    def evidence(self, verdicts: Verdicts) -> Evidence:
        return Evidence.of(
            verdicts.log_normal, self.log_anomalous, self.panel.labels
        )

    def log_likelihood(self, scores: Scores) -> Table:
        """log p(x | what came before) of every point, z summed out."""
        verdicts, _ = self.judge(scores)
        tables = verdicts.log_normal, verdicts.log_odds, self.log_anomalous
        blocks = []
        for k, (normal, odds, anomalous) in enumerate(
            zip(*(table.blocks for table in tables))
        ):
            with np.errstate(invalid="ignore"):  # NaN where nothing is known
                believed = odds - (anomalous - normal) - self.opinions(k)
                # Of its sum, p⁺ has the share that the odds leave.
                told = normal + np.logaddexp(0, odds)
                told -= np.logaddexp(0, believed)
            blocks.append(told)
        return self.panel.values.with_blocks(blocks)

    def since(self, firsts: Sequence[int]) -> "Filter":
        """The same of series that begin later, to judge and not to score."""
        values, labels = self.panel.values, self.panel.labels
        if labels is not None:
            labels = labels.since(firsts)
        return self._replace(
            panel=self.panel._replace(
                values=values.since(firsts), labels=labels
            ),
            log_anomalous=self.log_anomalous.since(firsts),
        )

    def changes(self, before: Table, after: Table) -> Table:
        """Which values have changed, and not by next to nothing."""
        pairs = zip(before.blocks, after.blocks)
        return before.with_blocks(
            [
                np.abs(new - old) > self.slack(k)[:, None]
                for k, (old, new) in enumerate(pairs)
            ]
        )

    def slack(self, k: int) -> np.ndarray:
        """By how much the values of each row of a block may still move."""
        tolerance = self.tolerance
        if self.nominal.is_random:  # what is made of samples is never still
            tolerance = max(tolerance, COARSE)
        return tolerance * self.treatment.rows[k].spread

    def touched(self, changed: Table) -> Table:
        """Points whose score depends on a point that has changed."""
        reach = self.nominal.reach
        return changed.map(lambda block: reached(block, reach))


def reached(changed: np.ndarray, reach: int) -> np.ndarray:
    """Points whose score depends on a point that has changed."""
    count = np.cumsum(changed, axis=-1, dtype=np.int32)
    before = np.zeros_like(count)
    before[:, 1:] = count[:, :-1]
    before[:, reach + 1 :] -= count[:, : max(0, count.shape[1] - reach - 1)]
    return before > 0
