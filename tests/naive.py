"""
Slow, obvious twins of the fast functions, with the same names.

The indicator of a short series has few paths: list them all, with their
probabilities as decimal numbers of 60 digits and of any exponent, and every
question is answered by adding up. A series is filtered one point at a time,
and a gap filled one value at a time.
"""

import itertools
from decimal import Context, Decimal, localcontext
from typing import NamedTuple

import numpy as np
from scipy import stats

from gluonts_lai.nominal.bells import GAUSSIAN_DF, usual_deviation
from gluonts_lai.nominal.densities import StudentT
from gluonts_lai.nominal.scoring import Answer, Grid, score

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


def fill(values, anomalous, expected=None, bridge=True):
    """Look at each gap of each row, and at each point of each gap."""
    filled = np.array(values, dtype=float)
    for row, out in enumerate(filled):
        inside = [
            bool(z) or np.isnan(x) for x, z in zip(values[row], anomalous[row])
        ]
        for gap in runs(inside):
            begin, end = gap[0], gap[-1] + 1
            before = values[row][begin - 1] if begin > 0 else np.nan
            after = values[row][end] if end < len(out) else np.nan
            known = [x for x in (before, after, 0.0) if not np.isnan(x)]
            for i, t in enumerate(gap):
                out[t] = known[0]
                if expected is None or np.isnan(expected[row][t]):
                    continue
                out[t] = expected[row][t]
                if bridge and end < len(out):
                    residual = after - expected[row][end]
                    if not np.isnan(residual):
                        out[t] += residual * (i + 1) / (len(gap) + 1)
    return filled


def runs(inside):
    """Lists of neighbouring indices at which ``inside`` is true."""
    found, before = [], False
    for t, now in enumerate(inside):
        if now and not before:
            found.append([])
        if now:
            found[-1].append(t)
        before = now
    return found


def bell(x, mean, sd, df=GAUSSIAN_DF):
    """Log density of a Student-t; of a Gaussian, for many df."""
    if df < GAUSSIAN_DF:
        return stats.t.logpdf(x, df, mean, sd)
    return stats.norm.logpdf(x, mean, sd)


class Bell(NamedTuple):
    """A Gaussian for each point of each window: a density of any kind."""

    mean: np.ndarray
    sd: np.ndarray

    def log_prob(self, values):
        return bell(values, self.mean, self.sd)

    def quantile(self, level):
        return self.mean + self.sd * stats.norm.ppf(level)


class Autoregression(NamedTuple):
    """
    A forecaster that can be worked out by hand: a weighted sum of the last
    points, the same for every point of a window, and a fixed deviation.
    """

    weights: np.ndarray
    sd: float
    prediction_length: int = 1
    lead_time: int = 0
    batch_size: int = 50
    is_random: bool = False
    df: float = GAUSSIAN_DF

    @property
    def context_length(self):
        return len(self.weights)

    @property
    def reach(self):
        return self.context_length + self.prediction_length + self.lead_time

    def expect(self, clean, t):
        """What it expects at ``t``; NaN where there is no window."""
        after_first = t - self.lead_time - self.context_length
        if after_first < 0:
            return np.nan
        start = t - self.lead_time - after_first % self.prediction_length
        return self.weights @ clean[start - self.context_length : start]

    def prepare(self, panel, scales=None):
        return panel

    def score(self, prepared, contexts, update=None, tails=None):
        def ask(pieces, num_leads):
            windows = [
                contexts.entries[i][..., t - self.context_length : t]
                for i, starts in pieces
                for t in starts
            ]
            mean = np.array([window @ self.weights for window in windows])
            mean = np.repeat(mean[:, None], num_leads, axis=1)
            return Answer(bell_of(mean, self.sd, self.df), None)

        horizon = self.prediction_length
        grid = Grid(
            self.context_length,
            horizon,
            horizon,
            self.lead_time,
            self.batch_size,
        )
        return score(ask, grid, prepared.values, [], None, update, tails)


def bell_of(mean, sd, df):
    """Student-ts of a mean and a scale."""
    return StudentT(np.full(mean.shape, df), mean, np.full(mean.shape, sd))


class Settled(NamedTuple):
    """What a filter says of one series."""

    probability: np.ndarray
    expected: np.ndarray
    targets: np.ndarray
    replaced: np.ndarray


def settle(filter, i, values, log_anomalous, labels=None):
    """Score, filter and replace one point after the other."""
    forecaster, chain = filter.nominal, filter.chains[i]
    probability, expected, targets = np.full((3, len(values)), np.nan)
    replaced = np.zeros(len(values), bool)
    low, high, is_whole = np.inf, -np.inf, True
    last_nominal = num_unseen = num_flagged = 0
    variance, shift, p = 1.0, 0.0, chain.p_start
    deviation = usual_deviation(forecaster.df)
    for t, x in enumerate(values):
        if low <= high:  # there is something to go by
            expected[t] = forecaster.expect(targets, t)
        mean, sd = expected[t], forecaster.sd * filter.widenings[i]
        sd *= np.sqrt(1 + num_unseen)
        log_normal = bell(x, mean, sd * np.sqrt(variance), forecaster.df)
        evidence = log_anomalous[t] - log_normal
        odds = p / (1 - p)
        if not np.isnan(evidence):
            odds *= np.exp(np.clip(evidence, -500, 500))
        if labels is not None and not np.isnan(labels[t]):
            odds *= labels[t] / (1 - labels[t])
        p = probability[t] = odds / (1 + odds)
        if 0 < filter.max_runs[i] <= num_flagged and not np.isnan(evidence):
            # The series may have moved by as much as the point before.
            moved = mean + shift
            log_moved = bell(x, moved, sd * np.sqrt(variance), forecaster.df)
            odds /= 0.8 + 0.2 * np.exp(min(log_moved - log_normal, 500))
            probability[t] = odds / (1 + odds)

        is_flagged = p > filter.threshold
        if not np.isnan(x):
            shift = x - mean if is_flagged else 0.0
            num_flagged = num_flagged + 1 if is_flagged else 0
            if low > high:
                targets[:t] = x  # what was missing before the first value
            low, high = min(low, x), max(high, x)
            is_whole = is_whole and x == np.rint(x)
        replaced[t] = is_flagged and num_flagged <= filter.max_runs[i]
        if replaced[t] or np.isnan(x):
            guess = mean if filter.treatment.kind == "impute" else np.nan
            guess = last_nominal if np.isnan(guess) else guess
            if low <= high:
                least = 2 * low - high
                least = max(least, 0) if low >= 0 else least
                guess = min(max(guess, least), 2 * high - low)
                guess = np.rint(guess) if is_whole else guess
            targets[t] = guess
            num_unseen += 1
        else:
            targets[t] = last_nominal = x
            num_unseen /= 2
        if filter.recalibrates and not np.isnan(x - mean):
            unit = sd * deviation
            square = min(((x - mean) / unit) ** 2, 9.0 * variance)
            variance = 0.99 * variance + 0.01 * square
            variance = min(max(variance, 0.25), 16.0)
        # What is accepted as it is was nominal.
        accepted = is_flagged and not replaced[t]
        now = 0.0 if accepted else p
        p = chain.p_enter + (chain.p_stay - chain.p_enter) * now
    return Settled(probability, expected, targets, replaced)
