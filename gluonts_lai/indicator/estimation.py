"""
The chain that explains the transitions, seen or expected.

Either form of the counts will do: those in sampled paths, as in the paper
(:func:`count_transitions`), or their exact expectation
(:func:`expected_transitions`). Each row of the transition matrix is a Beta
distribution; a prior enters it as pseudo-counts.
"""

from dataclasses import replace
from typing import Optional, Union

import numpy as np

from gluonts_lai.arrays import real_array

from .chain import IndicatorChain

Prior = Optional[Union[IndicatorChain, np.ndarray]]

# Where no prior is given, a transition never seen keeps the least probability
# that a chain may have: it must stay possible.
SMALLEST = float(np.finfo(float).tiny)
LARGEST = 1.0 - float(np.finfo(float).epsneg)


def estimate_chain(
    counts: np.ndarray, prior: Prior = None, num_prior_points: float = 100.0
) -> IndicatorChain:
    """
    The chain with the posterior mean of its transition probabilities.

    Parameters
    ----------
    counts
        Number of steps from state j (row) to state k (column), whole or not.
        Tables of many series, stacked along axes before these two, are added
        up: one chain serves all. See :func:`estimate_chains` for one each.
        Of several sampled paths of a series, take the mean:
        ``count_transitions(paths).mean(0)``.
    prior
        A chain, which enters as its :meth:`~IndicatorChain.pseudo_counts` and
        keeps its ``p_start``, since steps say nothing about the start; or
        pseudo-counts of one's own; or None for no prior. Without a chain, a
        series starts as it goes on: ``p_start`` is the share of anomalous
        points in the long run.
    num_prior_points
        How many observed points a chain as prior weighs.

    Examples
    --------
    >>> chain = estimate_chain([[970, 10], [10, 10]])
    >>> round(chain.p_enter, 4), chain.p_stay
    (0.0102, 0.5)
    """
    counts = as_counts(counts, "counts")
    table = counts.reshape(-1, 2, 2).sum(0)
    if isinstance(prior, IndicatorChain):
        table = table + prior.pseudo_counts(num_prior_points)
    elif prior is not None:
        table = table + as_counts(prior, "prior")
        if table.ndim > 2:
            raise ValueError(
                "prior must be one table of two by two, got shape "
                f"{np.shape(prior)}; it is the same for all series."
            )
    num_left = table.sum(-1)
    if not num_left.all():
        state = "normal" if num_left[0] == 0 else "anomalous"
        raise ValueError(
            "counts must hold steps from both states, got none from the "
            f"{state} state; give a prior, for example "
            "IndicatorChain.from_prior(anomaly_rate=0.01)."
        )
    p_enter, p_stay = (
        float(p) for p in np.clip(table[:, 1] / num_left, SMALLEST, LARGEST)
    )
    chain = IndicatorChain(p_enter=p_enter, p_stay=p_stay)
    if isinstance(prior, IndicatorChain):
        return replace(chain, p_start=prior.p_start)
    p_start = np.clip(chain.anomaly_rate, SMALLEST, LARGEST)
    return replace(chain, p_start=float(p_start))


def estimate_chains(
    counts: np.ndarray, prior: Prior = None, num_prior_points: float = 100.0
) -> list[IndicatorChain]:
    """
    One chain for each table of ``counts``, of shape ``(series, 2, 2)``.

    Other parameters, and how to count in sampled paths, are those of
    :func:`estimate_chain`.

    Examples
    --------
    >>> tables = [[[98, 2], [2, 2]], [[90, 10], [3, 9]]]
    >>> [(chain.p_enter, chain.p_stay) for chain in estimate_chains(tables)]
    [(0.02, 0.5), (0.1, 0.75)]
    """
    tables = as_counts(counts, "counts")
    if tables.ndim != 3:
        raise ValueError(
            "counts must have the shape (series, 2, 2), got "
            f"{tables.shape}; take the mean over sampled paths, and "
            "estimate_chain for a single table."
        )
    return [estimate_chain(table, prior, num_prior_points) for table in tables]


def as_counts(counts: np.ndarray, name: str) -> np.ndarray:
    """Tables of numbers that can be counts, in double precision."""
    tables = real_array(counts, name).astype(float)
    if tables.shape[-2:] != (2, 2):
        raise ValueError(
            f"{name} must come in tables of two by two, got an array of "
            f"shape {tables.shape}."
        )
    wrong = ~((tables >= 0) & np.isfinite(tables))
    if wrong.any():
        raise ValueError(
            f"{name} must be finite and not negative, got {tables[wrong][0]}."
        )
    return tables
