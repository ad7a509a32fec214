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

from gluonts_lai.evidence import Chains, Evidence, anomalous_densities
from gluonts_lai.gaps import Gaps
from gluonts_lai.indicator import IndicatorChain
from gluonts_lai.nominal.protocol import Nominal, Scores, Update
from gluonts_lai.panel import Panel
from gluonts_lai.table import Table
from gluonts_lai.transform import Clean, Treatment

logger = logging.getLogger(__name__)

MAX_PASSES = 50
# Replacements that move by less, in sds of their series, hold still.
TOLERANCE = 1e-5


class Found(NamedTuple):
    """What filtering found out about every point."""

    probability: Table  # P(z = 1)
    log_odds: Table
    log_density: Table  # log p⁺; NaN where there is none
    expected: Table  # by p⁺; NaN where there is none
    cleaned: Table  # anomalous and missing points replaced


def find(
    nominal: Nominal,
    panel: Panel,
    prepared: Any,
    chains: Chains,
    anomalous: list[list],
    mode: str = "filter",
    treatment: str = "impute",
    threshold: float = 0.5,
    max_run: Optional[float] = None,
) -> Found:
    """
    Find the anomalies of a panel.

    Parameters
    ----------
    nominal
        The trained forecaster.
    panel
        The series.
    prepared
        The same, prepared by ``nominal``.
    chains
        The chain of each entry.
    anomalous
        p⁻ of each dimension of each entry.
    mode
        "filter" for what was known when each point came, "smooth" for
        hindsight.
    treatment
        How flagged points are replaced in the context of later ones.
    threshold
        Probability above which a point is replaced.
    max_run
        Longest run of points to replace; longer ones are how the series is
        now. None: what few anomalies exceed, or in hindsight a context.
    """
    if max_run is None:
        lengths = [longest_run(chain) for chain in chains]
        max_run = max(lengths, default=1.0)
        if mode == "smooth":
            max_run = max(max_run, nominal.context_length)
    log_anomalous = anomalous_densities(anomalous, panel.values)
    treat = Treatment.of(panel.values, treatment)
    clean = Clean.as_observed(panel.values)
    accepted = before = panel.values.like(0, np.uint8)
    scores = nominal.score(prepared, clean.targets)
    for num_passes in range(1, MAX_PASSES + 1):
        evidence = Evidence.of(scores.log_normal, log_anomalous, panel.labels)
        filtered = evidence.filter(chains)
        flags = accepted.with_blocks([f.filtered > threshold for f in filtered])
        path = flags.map(
            lambda flag, known: accept(flag, known, max_run), accepted
        )
        later = treat.clean(panel.values, path, scores.expected, bridge=False)
        stale = touched(nominal, clean.targets, later.targets)
        # Sampled expectations never hold still; their flags do.
        is_still = nominal.is_random and same(path, before)
        clean, before = later, path
        if is_still or not any(block.any() for block in stale.blocks):
            break
        scores = nominal.score(
            prepared, clean.targets, update=Update(scores, stale)
        )
    logger.debug("The filter stood still after %d passes.", num_passes)
    if mode == "smooth":
        smoothed = evidence.smooth(chains)
        probability = [s.smoothed for s in smoothed]
        log_odds = [s.log_odds for s in smoothed]
    else:
        probability = [f.filtered for f in filtered]
        log_odds = [f.log_odds for f in filtered]
    return Found(
        accepted.with_blocks(probability),
        accepted.with_blocks(log_odds),
        scores.log_normal,
        scores.expected,
        clean.targets,
    )


def accept(
    flags: np.ndarray, accepted: np.ndarray, max_run: float
) -> np.ndarray:
    """
    Flags without those of long runs, which stay accepted from then on.

    ``accepted`` is written to: what was restored once is not replaced again,
    so that passes come to an end.
    """
    gaps = Gaps.of(flags & (accepted == 0)).longer_than(max_run)
    _, row, time = gaps.points()
    accepted[row, time] = 1
    return flags & (accepted == 0)


def touched(nominal: Nominal, before: Table, after: Table) -> Table:
    """Points whose score depends on a point that has changed."""
    reach = nominal.past_length + nominal.prediction_length
    reach += nominal.lead_time

    def spread(old: np.ndarray, new: np.ndarray) -> np.ndarray:
        changed = np.abs(new - old) > TOLERANCE * old.std(-1, keepdims=True)
        count = np.cumsum(changed, axis=-1, dtype=np.int32)
        ahead = np.zeros_like(count)
        ahead[:, 1:] = count[:, :-1]
        ahead[:, reach + 1 :] -= count[:, : max(0, count.shape[1] - reach - 1)]
        return ahead > 0

    return before.map(spread, after)


def same(one: Table, other: Table) -> bool:
    return all(map(np.array_equal, one.blocks, other.blocks))


def longest_run(chain: IndicatorChain) -> float:
    """The length that one anomaly in five exceeds."""
    return float(max(1.0, np.ceil(np.log(0.2) / np.log(chain.p_stay))))
