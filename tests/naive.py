"""
Slow, obvious twins of the fast functions, with the same names.

The indicator of a short series has few paths: list them all, with their
probabilities as decimal numbers of 60 digits and of any exponent, and every
question is answered by adding up.
"""

import itertools
from decimal import Context, Decimal, localcontext

import numpy as np

EXACT = Context(prec=60, Emin=-(10**9), Emax=10**9)


def posterior_over_paths(chain, log_normal, log_anomalous):
    """Each of the 2**T paths with its probability, and log p(x)."""
    with localcontext(EXACT):
        paths = list(itertools.product([0, 1], repeat=len(log_normal)))
        joint = [
            joint_probability(chain, path, log_normal, log_anomalous)
            for path in paths
        ]
        total = sum(joint)
        return np.array(paths), [p / total for p in joint], total.ln()


def joint_probability(chain, path, log_normal, log_anomalous):
    """p(x, z) for one path z, in the current decimal context."""
    p_start, p_enter, p_stay = map(
        Decimal, (chain.p_start, chain.p_enter, chain.p_stay)
    )
    p_anomalous = {None: p_start, 0: p_enter, 1: p_stay}
    probability, before = Decimal(1), None
    for z, normal, anomalous in zip(path, log_normal, log_anomalous):
        p = p_anomalous[before]
        probability *= p if z else 1 - p
        if not (np.isnan(normal) or np.isnan(anomalous)):
            log_density = Decimal(float(anomalous if z else normal))
            probability *= (
                0 if log_density.is_infinite() else log_density.exp()
            )
        before = z
    return probability


def smooth_chain(chain, log_normal, log_anomalous):
    """P(z[t] = 1 | x) and its log-odds, as lists."""
    paths, probability, _ = posterior_over_paths(
        chain, log_normal, log_anomalous
    )
    with localcontext(EXACT):
        sides = [
            [
                sum(p for path, p in zip(paths, probability) if path[t] == z)
                for t in range(paths.shape[1])
            ]
            for z in (0, 1)
        ]
        log_odds = [float(one.ln() - zero.ln()) for zero, one in zip(*sides)]
    return [float(one) for one in sides[1]], log_odds


def filter_chain(chain, log_normal, log_anomalous):
    """P(z[t] = 1 | x[:t+1]) and its log-odds: smoothing each beginning."""
    ends = [
        smooth_chain(chain, log_normal[: t + 1], log_anomalous[: t + 1])
        for t in range(len(log_normal))
    ]
    return [p[-1] for p, _ in ends], [odds[-1] for _, odds in ends]


def predict_chain(chain, log_normal, log_anomalous):
    """P(z[t] = 1 | x[:t]): filtering with the point itself missing."""
    predicted = []
    for t in range(len(log_normal)):
        hidden = np.array(log_normal[: t + 1], dtype=float)
        hidden[t] = np.nan
        predicted.append(smooth_chain(chain, hidden, log_anomalous)[0][-1])
    return predicted


def expected_transitions(chain, log_normal, log_anomalous):
    """Transitions of every path, weighted by its probability."""
    paths, probability, _ = posterior_over_paths(
        chain, log_normal, log_anomalous
    )
    weights = np.array([float(p) for p in probability])
    return np.tensordot(weights, count_transitions(paths), axes=1)


def count_transitions(paths):
    """Steps j → k in each path, one at a time."""
    counts = np.zeros((len(paths), 2, 2))
    for count, path in zip(counts, paths):
        for j, k in zip(path[:-1], path[1:]):
            count[j, k] += 1
    return counts
