"""
Whole paths of the indicator, drawn from its joint posterior.

Forward filter, backward sample: given the bit that comes next, a bit depends
on the past alone. Drawing each point on its own from the smoothed marginals
would not give paths, and would bias the transitions counted in them.

The random numbers come from one generator, one after the other; drawing stays
on one thread, and waits for them.
"""

from numbers import Integral

import numpy as np

from . import recursion
from .evidence import Chains, Problem
from .inference import filter_problem

# Uniform numbers held at a time: 32 MB.
NUM_DRAWS = 4_194_304


def sample_paths(
    chain: Chains,
    log_normal: np.ndarray,
    log_anomalous: np.ndarray,
    num_paths: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """
    Draw ``z`` from ``p(z | x)``, as bits of shape ``(num_paths, …, time)``.

    Parameters
    ----------
    chain
        The chain of all series, or a sequence with one for each.
    log_normal
        Log density of each point under the nominal model, time last. NaN
        marks a missing point.
    log_anomalous
        Log density of each point under the anomalous model, same shape.
    num_paths
        Number of paths to draw for each series.
    rng
        Where the randomness comes from. Series are drawn in order, each with
        all of its paths: those that follow do not change those before.

    Examples
    --------
    >>> from gluonts_lai import IndicatorChain
    >>> rng = np.random.default_rng(0)
    >>> log_normal, log_anomalous = [-1.0, -50.0, -1.0], [-9.0, -9.0, -9.0]
    >>> sample_paths(IndicatorChain(), log_normal, log_anomalous, 2, rng)
    array([[0, 1, 0],
           [0, 1, 0]], dtype=uint8)
    """
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"rng must be a numpy.random.Generator, got {rng!r}; "
            "use np.random.default_rng(seed)."
        )
    whole = isinstance(num_paths, Integral) and not isinstance(num_paths, bool)
    if not whole or num_paths < 1:
        raise ValueError(
            "num_paths must be a whole number of at least 1, got "
            f"{num_paths!r}."
        )
    problem = Problem.of(chain, log_normal, log_anomalous)
    num_series, num_times = problem.log_normal.shape
    paths = np.empty((num_paths, num_series, num_times), np.uint8)
    num_together = max(1, NUM_DRAWS // max(1, num_paths * num_times))
    for i in range(0, num_series, num_together):
        draw_paths(problem.part(slice(i, i + num_together)), i, paths, rng)
    return paths.reshape(num_paths, *problem.batch_shape, num_times)


def draw_paths(
    problem: Problem, begin: int, paths: np.ndarray, rng: np.random.Generator
) -> None:
    """Fill in the paths of some series, the first of them at ``begin``."""
    after_normal, after_anomalous = look_back(problem)
    num_series, num_times = after_normal.shape
    num_together = max(1, NUM_DRAWS // max(1, num_times))
    for k in range(0, len(paths), num_together):
        few = paths[k : k + num_together]
        uniforms = rng.random((num_series, len(few), num_times))
        recursion.draw(after_normal, after_anomalous, uniforms, begin, few)


def look_back(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """
    P(z[t] = 1 | z[t+1] = k, x[:t+1]) for k = 0 and for k = 1.

    At the last time, where nothing follows, both are P(z[t] = 1 | x).
    """
    log_odds = filter_problem(problem).log_odds
    log_moves = np.log(problem.moves[:, 1] / problem.moves[:, 0])
    ahead = log_odds[:, :-1]
    return tuple(  # type: ignore[return-value]
        sigmoid(np.append(ahead + log_move[:, None], log_odds[:, -1:], -1))
        for log_move in log_moves.T
    )


def sigmoid(log_odds: np.ndarray) -> np.ndarray:
    """The probability that has these log-odds."""
    with np.errstate(over="ignore", under="ignore"):  # probability 0 or 1
        return 1.0 / (1.0 + np.exp(-log_odds))


def count_transitions(paths: np.ndarray) -> np.ndarray:
    """
    Number of steps from state j (row) to state k (column) in each path.

    Parameters
    ----------
    paths
        Zeros and ones, time last, of any batch shape. The result has a two by
        two table in the place of the time axis.

    Examples
    --------
    >>> count_transitions([0, 0, 1, 1, 1, 0])
    array([[1, 1],
           [1, 2]])
    """
    paths = np.asarray(paths)
    numbers = paths.dtype.kind in "fiub" and paths.ndim > 0
    if not numbers or not np.isin(paths, (0, 1)).all():
        raise ValueError(
            "paths must hold zeros and ones, time last, got something else "
            f"({paths.dtype}, shape {paths.shape}); threshold probabilities "
            "first."
        )
    paths = paths.astype(bool, copy=False)
    before, after = paths[..., :-1], paths[..., 1:]
    num_steps = before.shape[-1]
    left, reached, both = (
        np.count_nonzero(bits, axis=-1)
        for bits in (before, after, before & after)
    )
    counts = [
        num_steps - left - reached + both,
        reached - both,
        left - both,
        both,
    ]
    return np.stack(counts, -1).reshape(*paths.shape[:-1], 2, 2)
