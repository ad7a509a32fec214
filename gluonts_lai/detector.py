"""
What is anomalous in a data set, with what was learned of it.
"""

from typing import Any, NamedTuple, Optional

import numpy as np

from gluonts_lai.evidence import Chains, anomalous_densities
from gluonts_lai.filtering import COARSE, FINE, Filter
from gluonts_lai.indicator import IndicatorChain
from gluonts_lai.nominal.protocol import Nominal
from gluonts_lai.panel import Panel
from gluonts_lai.table import Table
from gluonts_lai.transform import Treatment


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
    widening: float = 1.0,
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
        Most points in a row to replace: what lasts longer is how the series
        is now. None: a context, or what few anomalies exceed if that is more.
    widening
        By how much all densities are wider than the forecaster says.
    """
    if max_run is None:
        lengths = [longest_run(chain) for chain in chains]
        max_run = max(lengths + [float(nominal.context_length)])
    filter = Filter(
        nominal,
        panel,
        prepared,
        chains,
        anomalous_densities(anomalous, panel.values),
        Treatment.of(panel.values, treatment, max_run),
        threshold,
        tolerance=COARSE if mode == "smooth" else FINE,
        widening=widening,
    )
    settled = filter.settle()
    answers: Any = settled.filtered
    if mode == "smooth":
        settled = filter.look_back(settled)
        answers = list(settled.evidence.smooth(chains))
        probability = [smoothed.smoothed for smoothed in answers]
    else:
        probability = [filtered.filtered for filtered in answers]
    log_odds = [answer.log_odds for answer in answers]
    return Found(
        panel.values.with_blocks(probability),
        panel.values.with_blocks(log_odds),
        settled.scores.log_normal,
        settled.scores.expected,
        settled.targets,
    )


def longest_run(chain: IndicatorChain) -> float:
    """The length that one anomaly in five exceeds."""
    return float(max(1.0, np.ceil(np.log(0.2) / np.log(chain.p_stay))))
