"""
Exact inference for the anomaly indicator.

Each observation ``x[t]`` carries a hidden bit ``z[t]``: 0 if the forecaster
explains it, 1 if something else does. Given, for every time step,

    log_normal[t]    = log p⁺(x[t] | clean past)
    log_anomalous[t] = log p⁻(x[t])

we can ask how likely ``z[t] = 1`` is after seeing ``x`` up to ``t``
(:func:`filter_chain`) or to the end (:func:`smooth_chain`), and how often the
indicator is expected to move from one state to another
(:func:`expected_transitions`).

What is known of ``z[t]`` comes from three sides, and their log-odds add: a
message from the past, the point itself, a message from the future. Log-odds
are exact where probabilities have long become 0 or 1.

Time is the last axis. Axes before it are a batch and never interact. Results
have the precision of the input, float32 or float64; inside, all is double.
"""

from typing import NamedTuple

import numpy as np

from . import recursion
from .blocks import for_each_block
from .evidence import Chains, Problem


class Filtered(NamedTuple):
    """
    What is known of the indicator while the series arrives.

    Examples
    --------
    >>> from gluonts_lai import IndicatorChain
    >>> chain = IndicatorChain(p_start=0.1, p_enter=0.1, p_stay=0.5)
    >>> known = filter_chain(chain, [-1.0, -20.0, -1.0], [-3.0, -3.0, -3.0])
    >>> known.predicted.round(2)
    array([0.1 , 0.11, 0.5 ])
    >>> known.log_odds.round(1)
    array([-4.2, 14.9, -2. ])
    """

    predicted: np.ndarray  # P(z[t] = 1 | x[:t])
    filtered: np.ndarray  # P(z[t] = 1 | x[:t+1])
    log_likelihood: np.ndarray  # log p(x), time summed out
    log_odds: np.ndarray  # log-odds of filtered


class Smoothed(NamedTuple):
    """
    What is known of the indicator once the series has ended.

    Examples
    --------
    >>> from gluonts_lai import IndicatorChain
    >>> chain = IndicatorChain(p_start=0.1, p_enter=0.1, p_stay=0.5)
    >>> known = smooth_chain(chain, [-1.0, -20.0, -1.0], [-3.0, -3.0, -3.0])
    >>> known.smoothed.round(2)
    array([0.07, 1.  , 0.12])
    >>> round(float(known.log_likelihood), 1)
    -7.9
    """

    smoothed: np.ndarray  # P(z[t] = 1 | x)
    log_likelihood: np.ndarray  # log p(x), time summed out
    log_odds: np.ndarray  # log-odds of smoothed
    transitions: np.ndarray  # (…, 2, 2): E[number of steps j → k | x]


def filter_chain(
    chain: Chains, log_normal: np.ndarray, log_anomalous: np.ndarray
) -> Filtered:
    """
    Probability of an anomaly at each point, given the points up to it.

    Parameters
    ----------
    chain
        The chain of all series, or a sequence with one for each.
    log_normal
        Log density of each point under the nominal model, time last. NaN
        marks a missing point.
    log_anomalous
        Log density of each point under the anomalous model, same shape.

    Examples
    --------
    >>> from gluonts_lai import IndicatorChain
    >>> chain = IndicatorChain(p_start=0.1, p_enter=0.1, p_stay=0.5)
    >>> filter_chain(chain, [-1.0, -20.0], [-3.0, -3.0]).filtered.round(3)
    array([0.015, 1.   ])
    """
    return filter_problem(Problem.of(chain, log_normal, log_anomalous))


def filter_problem(problem: Problem) -> Filtered:
    """:func:`filter_chain` once the input has been checked."""
    predicted, filtered, log_odds = (problem.empty() for _ in range(3))
    log_likelihood = np.empty(len(log_odds))

    def work(rows: slice, *memory: np.ndarray) -> None:
        log_ratio, weight, past = memory
        log_best = problem.weigh(rows, log_ratio, weight)
        recursion.pass_messages(
            log_ratio,
            weight,
            problem.starts[rows],
            problem.moves[rows],
            past,
            log_likelihood[rows],
            (predicted[rows], filtered[rows]),
            None,
        )
        log_likelihood[rows] += log_best
        np.add(np.log(past, out=past), log_ratio, out=log_odds[rows])

    for_each_block(work, log_odds.shape, num_arrays=3)
    results = predicted, filtered, log_likelihood, log_odds
    return Filtered(*map(problem.unfold, results))


def smooth_chain(
    chain: Chains, log_normal: np.ndarray, log_anomalous: np.ndarray
) -> Smoothed:
    """
    Probability of an anomaly at each point, given the whole series.

    Parameters are those of :func:`filter_chain`.

    Examples
    --------
    Between two certain anomalies, a missing point belongs to the run:

    >>> from gluonts_lai import IndicatorChain
    >>> chain = IndicatorChain(p_start=0.1, p_enter=0.1, p_stay=0.5)
    >>> log_normal = [-99.0, np.nan, -99.0]
    >>> smooth_chain(chain, log_normal, [-3.0, np.nan, -3.0]).smoothed.round(3)
    array([1.   , 0.833, 1.   ])
    """
    problem = Problem.of(chain, log_normal, log_anomalous)
    smoothed, log_odds = problem.empty(), problem.empty()
    log_likelihood = np.empty(len(log_odds))
    transitions = np.empty((len(log_odds), 2, 2))

    def work(rows: slice, *memory: np.ndarray) -> None:
        log_ratio, weight, past, future = memory
        log_best = problem.weigh(rows, log_ratio, weight)
        moves = problem.moves[rows]
        recursion.pass_messages(
            log_ratio,
            weight,
            problem.starts[rows],
            moves,
            past,
            log_likelihood[rows],
            None,
            future,
        )
        log_likelihood[rows] += log_best
        recursion.meet(
            log_ratio,
            weight,
            past,
            future,
            moves,
            smoothed[rows],
            transitions[rows],
        )
        log_ratio += np.log(past, out=past)
        np.add(np.log(future, out=future), log_ratio, out=log_odds[rows])

    for_each_block(work, log_odds.shape, num_arrays=4)
    results = smoothed, log_likelihood, log_odds, transitions
    return Smoothed(*map(problem.unfold, results))


def expected_transitions(
    chain: Chains, log_normal: np.ndarray, log_anomalous: np.ndarray
) -> np.ndarray:
    """
    Expected number of steps from state j (row) to state k (column).

    Parameters are those of :func:`filter_chain`; the result has a two by two
    table in the place of the time axis. :func:`smooth_chain` returns the same
    table as ``transitions``.

    Examples
    --------
    Five points, of which the third and the fourth are anomalous for certain:

    >>> from gluonts_lai import IndicatorChain
    >>> log_normal = np.array([0.0, 0.0, -99.0, -99.0, 0.0])
    >>> expected_transitions(
    ...     IndicatorChain(), log_normal, np.full(5, -50.0)
    ... ).round(3)
    array([[1., 1.],
           [1., 1.]])
    """
    return smooth_chain(chain, log_normal, log_anomalous).transitions
