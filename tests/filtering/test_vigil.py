"""
One point after the other, fast and slow.
"""

import math
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai.filtering.judging import advance
from gluonts_lai.filtering.vigil import (
    ANOMALOUS,
    NOMINAL,
    OPEN,
    Rules,
    Stand,
    Verdicts,
    Vigil,
    log_odds_of,
)
from gluonts_lai.indicator import IndicatorChain, filter_chain
from gluonts_lai.nominal.bells import Bells
from gluonts_lai.nominal.densities import StudentT

CHAINS = [
    IndicatorChain(0.02, 0.02, 0.6),
    IndicatorChain(0.3, 0.1, 0.9),
    IndicatorChain(0.01, 0.005, 0.2),
]
NUM_ROWS, LENGTH = 12, 120
# The same sums in another order, in double precision, through logarithms.
ROUNDING = 1e-9
# What is remembered in single precision.
SINGLE = 1e-6


class Problem(NamedTuple):
    """Points, and all there is to know before they are judged."""

    values: np.ndarray  # (rows, time), as all that follows
    density: StudentT  # what the forecaster says of them
    log_anomalous: np.ndarray
    opinions: np.ndarray
    decisions: np.ndarray

    def bells(self):
        return Bells.of(self.density, self.values)

    def part(self, which):
        """Some of the time."""
        values, density, *others = self
        cut = [
            np.ascontiguousarray(array[:, which])
            for array in (values, *density, *others)
        ]
        return Problem(cut[0], StudentT(*cut[1:4]), *cut[4:])


def problem(seed=0, dtype=np.float64):
    """Whatever a filter may meet: each row has troubles of its own."""
    rng = np.random.default_rng(seed)
    shape = (NUM_ROWS, LENGTH)
    loc = 10 + np.cumsum(rng.normal(0, 0.3, shape), axis=1)
    scale = rng.uniform(0.3, 0.6, shape)
    df = rng.uniform(2.5, 30.0, shape)
    values = loc + scale * rng.normal(size=shape)
    values[rng.random(shape) < 0.05] += 8.0
    for row in values:  # runs, some of them longer than any bound
        for length in (2, 5, 12):
            begin = rng.integers(LENGTH - length)
            row[begin : begin + length] -= rng.uniform(2, 8)
    values[rng.random(shape) < 0.08] = np.nan
    values[0, :7] = np.nan  # nothing at first
    values[1, :20], values[1, 60:70] = np.nan, np.nan
    values[2] = np.nan  # nothing at all
    values[3:5] = np.rint(values[3:5])  # whole numbers
    values[5] -= 10.0  # on both sides of zero
    loc[6, 30::7] = 1e3  # a forecaster that runs away
    loc[4, 30::7] = -1e3
    loc[7, :24] = np.nan  # there is no context yet
    log_anomalous = np.full(shape, -np.log(25.0))
    log_anomalous[8, :30] = np.nan  # p⁻ is not known yet

    labels = np.full(shape, np.nan)
    some = rng.random(shape) < 0.05
    labels[some] = rng.choice([0.0, 0.2, 0.9, 1.0], size=some.sum())
    decisions = np.full(shape, OPEN, np.int8)
    some = rng.random(shape) < 0.05
    decisions[some] = rng.choice([NOMINAL, ANOMALOUS], size=some.sum())
    return Problem(
        values.astype(dtype),
        StudentT(df, loc, scale),
        log_anomalous,
        log_odds_of(labels),
        decisions,
    )


def rules(max_run=np.inf, treatment="impute", recalibrates=False):
    chains = [CHAINS[i % len(CHAINS)] for i in range(NUM_ROWS)]
    widenings = np.linspace(0.8, 1.6, NUM_ROWS)
    return chains, Rules.of(
        chains,
        widenings,
        np.full(NUM_ROWS, max_run),
        0.5,
        treatment,
        recalibrates,
    )


def judge(problem, chains, rules, vigil=None, stand=None):
    """What :func:`advance` says, and what is known afterwards."""
    vigil = Vigil.begin(chains) if vigil is None else vigil
    values, _, *known = problem
    stand = Stand.still(values) if stand is None else stand
    verdicts = Verdicts.empty(values)
    advance(values, problem.bells(), *known, rules, stand, vigil, verdicts)
    return verdicts, vigil


class Said(NamedTuple):
    """What the slow twin says of a row, and what it remembers."""

    verdicts: Verdicts
    num_accepted: int  # points that were flagged, but not replaced


def watch(problem, i, chain, rules):
    """Each point of a row, slowly, with nothing remembered in short."""
    values = problem.values[i]
    deviation = problem.bells().deviation[i]
    verdicts = Verdicts.empty(values)
    flagged = np.zeros(len(values), bool)
    unseen, variance, last, belief = 0.0, 1.0, 0.0, chain.p_start
    residuals = np.full(len(values), np.nan)
    for t, x in enumerate(values.tolist()):
        df, mean, scale = (float(part[i, t]) for part in problem.density)
        before = values[:t][~np.isnan(values[:t])]
        if not before.size:
            mean = np.nan

        widening = rules.widening[i] * np.sqrt(1 + unseen)
        verdicts.spread[t] = spread = widening * np.sqrt(variance)
        log_normal = log_student(x, df, mean, scale * spread)
        odds = np.log(belief) - np.log(1 - belief) + problem.opinions[i, t]
        evidence = problem.log_anomalous[i, t] - log_normal
        odds += 0.0 if np.isnan(evidence) else evidence
        p = np.exp(-np.logaddexp(0.0, -odds))

        # Or has the series moved, by as much as the point before?
        run = run_before(flagged, values, t)
        residuals[t] = x - mean
        if 0 < rules.max_run[i] <= len(run) and not np.isnan(evidence):
            moved = mean + np.nan_to_num(residuals[run[0]])
            log_moved = log_student(x, df, moved, scale * spread)
            both = np.log([0.8, 0.2]) + [log_normal, log_moved]
            odds += log_normal - np.logaddexp(*both)
            log_normal = np.logaddexp(*both)
        verdicts.log_normal[t] = log_normal
        verdicts.log_odds[t] = odds
        verdicts.probability[t] = np.exp(-np.logaddexp(0.0, -odds))

        decision = problem.decisions[i, t]
        flagged[t] = p > rules.threshold
        if decision != OPEN:
            flagged[t] = p = float(decision == ANOMALOUS)
        is_replaced = flagged[t]
        is_replaced &= len(run) + (not np.isnan(x)) <= rules.max_run[i]
        verdicts.replaced[t] = is_replaced
        if flagged[t] and not is_replaced and decision == OPEN:
            p = 0.0
        belief = chain.p_enter * (1 - p) + chain.p_stay * p

        known = values[: t + 1][~np.isnan(values[: t + 1])]
        if not before.size and known.size:
            verdicts.targets[:t] = x
        verdicts.targets[t] = x
        if is_replaced or np.isnan(x):
            impute = rules.imputes and not np.isnan(mean)
            guess = mean if impute else last
            verdicts.targets[t] = possible(guess, known)
            unseen += 1
        else:
            last = x
            unseen /= 2

        if rules.recalibrates and not np.isnan(log_normal):
            residual = (x - mean) / (deviation[t] * widening)
            square = min(residual**2, 9 * variance)
            variance = 0.99 * variance + 0.01 * square
            variance = min(max(variance, 0.25), 16.0)
    num_accepted = np.sum(flagged & ~verdicts.replaced & ~np.isnan(values))
    return Said(verdicts, num_accepted)


def log_student(x, df, mean, scale):
    """Log density of a Student-t."""
    log_density = math.lgamma((df + 1) / 2) - math.lgamma(df / 2)
    log_density -= np.log(np.pi * df) / 2 + np.log(scale)
    return log_density - (df + 1) / 2 * np.log(
        1 + ((x - mean) / scale) ** 2 / df
    )


def run_before(flagged, values, t):
    """Flagged points in a row before one, the last first, none missing."""
    run = []
    for s in range(t - 1, -1, -1):
        if np.isnan(values[s]):
            continue
        if not flagged[s]:
            break
        run.append(s)
    return run


def possible(guess, known):
    """The value nearest to a guess that a series could have."""
    if not known.size:
        return guess
    low, high = float(known.min()), float(known.max())
    least, most = low - (high - low), high + (high - low)
    if low >= 0:
        least = max(least, 0.0)
    guess = min(max(guess, least), most)
    return np.rint(guess) if (known == np.rint(known)).all() else guess


def assert_same(verdicts, expected, tolerance, name=""):
    for field in Verdicts._fields:
        assert_allclose(
            getattr(verdicts, field).astype(float),
            getattr(expected, field).astype(float),
            rtol=tolerance,
            atol=tolerance,
            err_msg=f"{field} {name}",
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("recalibrates", [False, True])
@pytest.mark.parametrize("treatment", ["impute", "mask"])
@pytest.mark.parametrize("max_run", [0, 1, 3, np.inf])
def test_it_says_the_same_as_its_slow_twin(
    max_run, treatment, recalibrates, dtype
):
    given = problem(dtype=dtype)
    chains, ruled = rules(max_run, treatment, recalibrates)

    verdicts, _ = judge(given, chains, ruled)

    tolerance = SINGLE if dtype == np.float32 else ROUNDING
    num_accepted = 0
    for i, chain in enumerate(chains):
        said = watch(given, i, chain, ruled)
        ours = Verdicts(*(column[i] for column in verdicts))
        assert_same(ours, said.verdicts, tolerance, f"in row {i}")
        num_accepted += said.num_accepted
    # Or nothing of this was put to the test.
    assert (verdicts.replaced.sum() > 5 * NUM_ROWS) == (max_run > 0)
    assert (num_accepted > NUM_ROWS) == (max_run < np.inf)
    assert verdicts.targets.dtype == dtype


def test_without_a_bound_it_is_the_filter_of_the_chain():
    given = problem(1)
    given.decisions[:] = OPEN
    given.opinions[:] = 0.0
    chains, ruled = rules()

    verdicts, _ = judge(given, chains, ruled)

    filtered = filter_chain(chains, verdicts.log_normal, given.log_anomalous)
    assert verdicts.replaced.any()
    assert_allclose(verdicts.probability, filtered.filtered, rtol=ROUNDING)
    assert_allclose(verdicts.log_odds, filtered.log_odds, rtol=ROUNDING)


@pytest.mark.parametrize("max_run", [1, 3])
@pytest.mark.parametrize("then, is_anomalous", [(8.0, False), (-8.0, True)])
def test_what_has_moved_and_stays_there_is_nominal(
    max_run, then, is_anomalous
):
    shape, begin = (1, 60), 50
    values = np.random.default_rng(0).normal(size=shape)
    values[:, begin : begin + max_run] += 8.0
    values[:, begin + max_run] += then
    given = Problem(
        values,
        StudentT(*(np.full(shape, x) for x in (8.0, 0.0, 1.0))),
        np.full(shape, -np.log(30.0)),
        np.zeros(shape),
        np.full(shape, OPEN, np.int8),
    )
    chain = CHAINS[2]  # of short anomalies
    ruled = Rules.of([chain], [1.0], [max_run], 0.5, "impute", False)

    verdicts, _ = judge(given, [chain], ruled)

    moved = verdicts.probability[0, begin : begin + max_run]
    assert (moved > 0.9).all()
    assert (verdicts.probability[0, begin + max_run] > 0.5) == is_anomalous


@pytest.mark.parametrize("size", [1, 7, 50])
@pytest.mark.parametrize("treatment", ["impute", "mask"])
def test_in_pieces_it_says_the_same_as_at_once(treatment, size):
    given = problem(2)
    # What is missing before the first value is filled in where it is kept.
    given.values[:, 0] = 10.0
    chains, ruled = rules(3, treatment, True)
    at_once, end = judge(given, chains, ruled)

    vigil, pieces = Vigil.begin(chains), []
    for begin in range(0, LENGTH, size):
        piece = given.part(slice(begin, begin + size))
        verdicts, vigil = judge(piece, chains, ruled, vigil)
        pieces.append(verdicts)

    assert at_once.replaced.any()
    for name, column in zip(Verdicts._fields, zip(*pieces)):
        whole = getattr(at_once, name)
        assert_array_equal(np.concatenate(column, axis=1), whole, name)
    for name, column in zip(Vigil._fields, vigil):
        assert_array_equal(column, getattr(end, name), name)


@pytest.mark.parametrize("recalibrates", [False, True])
@pytest.mark.parametrize("far", [1e150, 1e200, -1e200, 1e307])
def test_far_outliers_are_certain_and_pass(far, recalibrates):
    given = problem(3)
    given.values[:, 50:52] = far
    given.opinions[:, 50:52] = 0.0
    given.decisions[:] = OPEN
    given.log_anomalous[:] = -30.0 - np.log(np.abs(given.values))
    given.density.loc[np.isnan(given.density.loc)] = 10.0
    chains, ruled = rules(np.inf, "impute", recalibrates)

    verdicts, vigil = judge(given, chains, ruled)

    assert np.isfinite(verdicts.probability).all()
    assert not np.isnan(verdicts.log_odds).any()
    assert np.isfinite(verdicts.targets).all()
    first = np.isnan(given.values[:, :50]).all(1)  # nothing to go by
    assert first.sum() == 1
    assert (verdicts.probability[~first, 50:52] > 1 - 1e-9).all()
    assert (abs(verdicts.targets[~first, 50:52]) < 1e4).all()
    for name, column in zip(Vigil._fields, vigil):
        assert np.isfinite(column).all(), name


def test_far_tails_fall_as_those_of_a_student():
    """The square of a distance overflows at 1e154, its logarithm does not."""
    distance = np.geomspace(1e100, 1e200, 51)[None]
    given = Problem(
        np.concatenate([[[0.0]], distance], axis=1),
        StudentT(*(np.full((1, 52), x) for x in (5.0, 0.0, 1.0))),
        np.zeros((1, 52)),
        np.zeros((1, 52)),
        np.full((1, 52), NOMINAL, np.int8),
    )
    chain = CHAINS[0]
    ruled = Rules.of([chain], [1.0], [np.inf], 0.5, "impute", False)

    verdicts, _ = judge(given, [chain], ruled)

    fall = np.diff(verdicts.log_normal[0, 1:])
    assert fall.size == 50
    assert_allclose(fall, -6.0 * np.log(100.0), rtol=ROUNDING)


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_certain_labels_are_never_overruled(label):
    given = problem(4)
    given.decisions[:] = OPEN
    given.opinions[:] = 0.0
    known = np.s_[:, 40:100:10]
    given.opinions[known] = log_odds_of(np.array(label))
    given.values[known] += 1e200 if label == 0 else 0.0
    chains, ruled = rules(3, "impute", True)

    verdicts, _ = judge(given, chains, ruled)

    assert_array_equal(verdicts.probability[known], label)
    assert np.isfinite(verdicts.probability).all()
    assert not np.isnan(verdicts.log_odds).any()


def test_labels_as_log_odds():
    labels = np.array([0.0, 0.2, 0.5, 1.0, np.nan], np.float32)

    log_odds = log_odds_of(labels)

    expected = [-np.inf, np.log(0.25), 0.0, np.inf, 0.0]
    assert_allclose(log_odds, expected, atol=SINGLE)


@pytest.mark.parametrize(
    "error, spread", [(30.0, 4.0), (1.0, 1.0), (0.01, 0.5)]
)
def test_spreads_follow_residuals_within_bounds(error, spread):
    rng = np.random.default_rng(5)
    shape = (40, 2_000)
    density = StudentT(*(np.full(shape, x) for x in (8.0, 0.0, 1.0)))
    given = Problem(
        error * rng.standard_t(8.0, size=shape),
        density,
        np.full(shape, -1e3),  # nothing is anomalous
        np.zeros(shape),
        np.full(shape, OPEN, np.int8),
    )
    chains = [CHAINS[0]] * len(given.values)
    ones = np.ones(len(chains))
    ruled = Rules.of(chains, ones, np.inf * ones, 0.5, "impute", True)

    verdicts, _ = judge(given, chains, ruled)

    later = verdicts.spread[:, 1_000:]
    assert (0.5 <= later).all() and (later <= 4.0).all()
    # Where they are right, spreads average over the last hundred points, in
    # 40 rows and ten times over: 5 % is more than five standard errors.
    assert_allclose(np.sqrt(np.mean(later**2)), spread, rtol=0.05)
    assert not verdicts.replaced.any()


@pytest.mark.parametrize("reach", [0, 3, 20])
def test_what_a_change_has_touched_waits_to_be_scored_again(reach):
    given = problem(6)
    given.values[:, 0] = 10.0
    chains, ruled = rules(3)
    still, _ = judge(given, chains, ruled)
    contexts = np.where(np.isnan(given.values), 10.0, given.values)
    slack = np.linspace(0.0, 0.5, NUM_ROWS)

    stand = Stand(contexts, slack, reach)
    verdicts, _ = judge(given, chains, ruled, stand=stand)

    num_waiting = 0
    for i, row in enumerate(still.targets):
        changed_at = -np.inf
        for t, target in enumerate(row):
            if t <= changed_at + reach:
                num_waiting += target != contexts[i, t]
                target = contexts[i, t]
            elif abs(target - contexts[i, t]) > slack[i]:
                changed_at = t
            assert verdicts.targets[i, t] == target
    assert (num_waiting > 0) == (reach > 0)
    # What is thought of the points is the same.
    assert_array_equal(verdicts.log_odds, still.log_odds)
