"""
The chains of a data set, re-estimated from the transitions of its indicators.
"""

from dataclasses import replace

import numpy as np

from gluonts_lai.evidence import Chains, Evidence
from gluonts_lai.indicator import (
    IndicatorChain,
    count_transitions,
    estimate_chain,
)
from gluonts_lai.panel.table import Table


def sampled_transitions(paths: list[Table]) -> np.ndarray:
    """Transitions in the indicator of each entry, on average over paths."""
    counts = np.zeros((len(paths[0].entries), 2, 2))
    for path in paths:
        for block, owners in zip(path.blocks, path.owners):
            np.add.at(counts, owners, count_transitions(block))
    return counts / len(paths)


def expected_transitions(evidence: Evidence, chains: Chains) -> np.ndarray:
    """Transitions in the indicator of each entry, in expectation."""
    counts = np.zeros((len(chains), 2, 2))
    owners = evidence.log_normal.owners
    for smoothed, owner in zip(evidence.smooth(chains), owners):
        np.add.at(counts, owner, smoothed.transitions)
    return counts


def chains_of(
    counts: np.ndarray, prior: IndicatorChain, scope: str
) -> list[IndicatorChain]:
    """The chain of the data set as a whole, then that of each entry."""
    whole = estimate_chain(counts.sum(0), prior)
    if scope == "dataset":
        return [whole] * (1 + len(counts))
    return [whole, *(estimate_chain(count, prior) for count in counts)]


def most_entering(chain: IndicatorChain, max_anomaly_share: float) -> float:
    """The ``p_enter`` at which a share of the points is anomalous."""
    odds = max_anomaly_share / (1 - max_anomaly_share)
    return odds * (1 - chain.p_stay)


def guarded(
    chains: list[IndicatorChain], max_anomaly_share: float
) -> list[IndicatorChain]:
    """The chains, none of which believes in more anomalies than allowed."""
    known: dict[IndicatorChain, IndicatorChain] = {}
    for chain in chains:
        if chain not in known:
            limit = most_entering(chain, max_anomaly_share)
            p_enter = min(chain.p_enter, limit)
            known[chain] = replace(chain, p_enter=p_enter)
    return [known[chain] for chain in chains]


def not_longer(
    chains: list[IndicatorChain], max_length: float
) -> list[IndicatorChain]:
    """
    The chains, with anomalies that last no longer than this on average.

    What outlasts a context cannot be told from how the series is now.
    """
    p_stay = 1 - 1 / max(max_length, 2.0)
    short = {c: replace(c, p_stay=min(c.p_stay, p_stay)) for c in set(chains)}
    return [short[chain] for chain in chains]
