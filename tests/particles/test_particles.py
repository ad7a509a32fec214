"""
Several histories of a series, against all that there are.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from gluonts.env import env
from gluonts.model.seasonal_naive import SeasonalNaivePredictor
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai import LAIPredictor, Uniform
from gluonts_lai.anomalous import AnomalousModel
from gluonts_lai.detector import Manner, find
from gluonts_lai.indicator import IndicatorChain, filter_chain
from gluonts_lai.nominal.bells import Bells
from gluonts_lai.nominal.densities import StudentT
from gluonts_lai.nominal.scaling import series_scale
from gluonts_lai.nominal.scoring import Answer, Grid, score
from gluonts_lai.panel import Panel
from gluonts_lai.particles import find_with_particles
from gluonts_lai.particles.resampling import resample
from gluonts_lai.profiles import Profile
from tests import contract
from tests.series import dataset

# Sums of up to 2**9 terms, each a product of 2 · 9 factors.
EXACT = 1e-9
# By chance, less than once in a million.
FIVE = 5.0
START = pd.Period("2024-01-01", "D")
CHAIN = IndicatorChain(0.2, 0.1, 0.6)


class Autoregression(NamedTuple):
    """
    A forecaster that can be worked out by hand: a Student-t around a weighted
    sum of the last points.
    """

    weights: np.ndarray
    scale: float = 0.5
    df: float = 5.0
    is_bare: bool = False
    prediction_length: int = 1
    lead_time: int = 0
    is_random: bool = False
    residual_scale: None = None

    @property
    def context_length(self):
        return len(self.weights)

    past_length = context_length

    @property
    def reach(self):
        return self.context_length + 1

    def grid(self):
        return Grid(self.context_length, 1, 1, 0, batch_size=1_000)

    def prepare(self, panel, scales):
        return panel.values

    def answer(self, prepared, contexts, pieces, num_leads):
        windows = [
            contexts.entries[i][t - self.context_length : t]
            for i, starts in pieces
            for t in starts
        ]
        return self.answer_bare(np.array(windows), None, None, num_leads)

    def answer_bare(self, pasts, observed, scales, num_leads):
        loc = (pasts @ self.weights)[:, None]
        df, scale = (np.full(loc.shape, x) for x in (self.df, self.scale))
        return Answer(StudentT(df, loc, scale), None)

    def score(self, prepared, contexts, update=None, tails=None):
        def ask(pieces, num_leads):
            return self.answer(prepared, contexts, pieces, num_leads)

        return score(ask, self.grid(), prepared, [], None, update, tails)


FOLLOWING = Autoregression(np.array([0.3, 0.7]))


class Known(NamedTuple):
    """Series, and what is known of them."""

    nominal: Autoregression
    panel: Panel
    chains: list
    profiles: list

    @classmethod
    def of(cls, targets, nominal=FOLLOWING, labels=None, model=Uniform()):
        entries = [{"start": START, "target": target} for target in targets]
        for entry, known in zip(entries, labels or ()):
            entry["label"] = known
        panel = Panel.of(entries, None if labels is None else "label")
        profiles = [
            Profile.of(series_scale(target, 4), target, model)._replace(
                widening=1.1
            )
            for target in targets
        ]
        return cls(nominal, panel, [CHAIN] * len(targets), profiles)


def find_by(known, num_particles, seed=0, **settings):
    """What so many particles find."""
    manner = Manner(num_particles=num_particles, **settings)
    return find_with_particles(*known, manner, np.random.default_rng(seed))


class Past(NamedTuple):
    """One path, and what follows from it."""

    log_weight: float = 0.0  # log p(x, z) so far
    targets: tuple = ()
    belief: float = CHAIN.p_start
    unseen: float = 0.0
    last: float = 0.0
    variance: float = 1.0


def enumerate_paths(known, i, treatment="impute", recalibrate=False):
    """
    What is known of each point of a series as it comes, by all paths.

    Returns P(z[t] = 1 | x[:t+1]), what is expected, log p(x[t] | x[:t],
    z[t] = 0) and the clean value, each the mean over paths.
    """
    nominal, values = known.nominal, known.panel.values.entries[i]
    log_anomalous = known.profiles[i].log_anomalous(values)
    labels = np.full(len(values), 0.5)
    if known.panel.labels is not None:
        given = known.panel.labels.entries[i].astype(float)
        labels = np.where(np.isnan(given), 0.5, given)
    deviation = nominal.scale * usual_deviation(nominal)
    pasts, rows = [Past()], []
    for t, x in enumerate(values):
        seen = values[: t + 1][~np.isnan(values[: t + 1])]
        later, expected, log_density = [], [], []
        for past in pasts:
            mean = np.nan
            if t >= nominal.context_length:
                window = past.targets[t - nominal.context_length : t]
                mean = float(np.dot(nominal.weights, window))
            before = known.profiles[i].widening * np.sqrt(1 + past.unseen)
            spread = before * np.sqrt(past.variance)
            log_normal = StudentT(
                nominal.df, np.array(mean), np.array(nominal.scale * spread)
            ).log_prob(np.array(x))
            expected.append(mean)
            log_density.append(float(log_normal))

            variance = past.variance
            if recalibrate and not np.isnan(log_normal):
                square = ((x - mean) / (deviation * before)) ** 2
                square = min(square, 9 * variance)
                variance = min(max(0.99 * variance + 0.01 * square, 0.25), 16)
            guess = past.last
            if treatment == "impute" and not np.isnan(mean):
                guess = mean
            guess = possible(guess, seen)
            silent = np.isnan(log_normal + log_anomalous[t])
            for z, log_likelihood, label in (
                (0, log_normal, 1 - labels[t]),
                (1, log_anomalous[t], labels[t]),
            ):
                with np.errstate(divide="ignore"):
                    log_weight = past.log_weight + np.log(2 * label)
                log_weight += np.log(past.belief if z else 1 - past.belief)
                is_kept = z == 0 and x == x
                later.append(
                    Past(
                        log_weight + (0.0 if silent else log_likelihood),
                        past.targets + (x if is_kept else guess,),
                        CHAIN.p_stay if z else CHAIN.p_enter,
                        past.unseen / 2 if is_kept else past.unseen + 1,
                        x if is_kept else past.last,
                        variance,
                    )
                )
        share = shares(pasts)
        pasts = later
        share_after = shares(pasts)
        clean = [past.targets[-1] for past in pasts]
        rows.append(
            (
                share_after[1::2].sum(),
                share @ expected,
                np.log(share @ np.exp(log_density)),
                share_after @ clean,
            )
        )
    return np.array(rows).T


def shares(pasts):
    """The posterior probability of each path."""
    log_weights = np.array([past.log_weight for past in pasts])
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


def possible(guess, seen):
    """What a series can be, by what was seen of it: not below zero, here."""
    low, high = seen.min(), seen.max()
    return min(max(guess, 2 * low - high, 0.0), 2 * high - low)


def usual_deviation(nominal):
    density = StudentT(*(np.array([x]) for x in (nominal.df, 0.0, 1.0)))
    return Bells.of(density, np.zeros(1)).deviation[0]


def troubled(rng, length=9):
    """A series in which it matters which points were replaced."""
    x = 10 + np.cumsum(rng.normal(0, 0.4, length))
    x[length // 3] += rng.choice([-1, 1]) * rng.uniform(1.5, 4)
    x[length // 2 :] += rng.uniform(1, 3)
    return x


def assert_is_exact(found, known, **settings):
    for i in range(len(known.panel.entries)):
        exact = enumerate_paths(known, i, **settings)
        told = (
            found.probability,
            found.expected,
            found.log_density,
            found.cleaned,
        )
        for name, table, row in zip(
            ("probability", "expected", "log density", "clean"), told, exact
        ):
            assert_allclose(
                table.entries[i], row, rtol=EXACT, atol=EXACT, err_msg=name
            )


@pytest.mark.parametrize("is_bare", [False, True])
@pytest.mark.parametrize("recalibrate", [False, True])
@pytest.mark.parametrize("treatment", ["impute", "mask"])
def test_as_many_particles_as_paths_are_exact(treatment, recalibrate, is_bare):
    rng = np.random.default_rng(0)
    targets = [troubled(rng), troubled(rng, 6), troubled(rng)]
    targets[2][5] = np.nan
    nominal = FOLLOWING._replace(is_bare=is_bare)
    known = Known.of(targets, nominal)
    settings = {"treatment": treatment, "recalibrate": recalibrate}

    found = find_by(known, 2**9, **settings)

    assert_is_exact(found, known, **settings)
    filtered = find(*known, Manner(**settings, max_run=np.inf))
    difference = found.probability.entries[0] - filtered.probability.entries[0]
    assert abs(difference).max() > 0.01  # one history is not all of them


def test_labels_weigh_on_every_history():
    rng = np.random.default_rng(1)
    labels = np.full(9, np.nan)
    labels[[2, 4, 6]] = 0.9, 0.0, 0.25
    known = Known.of([troubled(rng)], labels=[labels])

    found = find_by(known, 2**9)

    assert_is_exact(found, known)


@pytest.mark.parametrize("num_particles", [2, 2**9])
@pytest.mark.parametrize("label", [0.0, 1.0])
def test_certain_labels_are_never_overruled(label, num_particles):
    labels = np.full(9, np.nan)
    labels[5] = label
    known = Known.of([troubled(np.random.default_rng(1))], labels=[labels])

    found = find_by(known, num_particles)

    assert found.probability.entries[0][5] == label
    assert np.isfinite(found.probability.entries[0]).all()
    assert np.isfinite(found.cleaned.entries[0]).all()
    if num_particles == 2**9:
        assert_is_exact(found, known)


def test_more_particles_are_nearer_to_the_truth():
    num_runs = 200
    errors = []
    series = [troubled(np.random.default_rng(2))] * num_runs
    known = Known.of(series, FOLLOWING._replace(is_bare=True))
    truth = enumerate_paths(known, 0)[0]
    for num_particles in (2, 8, 32):
        found = find_by(known, num_particles)
        difference = np.stack(found.probability.entries) - truth
        errors.append(abs(difference).mean(1))

    for fewer, more in zip(errors, errors[1:]):
        gain = fewer.mean() - more.mean()
        standard_error = np.sqrt((fewer.var() + more.var()) / num_runs)
        assert gain > FIVE * standard_error
    assert errors[-1].mean() < errors[0].mean() / 5


# Tails so heavy that it does not matter how wide the bell is, let alone what
# was replaced before: p⁺ is df / 2 over the distance.
CARELESS = FOLLOWING._replace(weights=np.zeros(2), df=1e-12, is_bare=True)


class Flat(AnomalousModel):
    """A p⁻ of that size."""

    def fit(self, values, weights=None):
        return self

    def log_prob(self, values):
        return np.full(np.shape(values), np.log(CARELESS.df / 4))


def test_where_the_past_does_not_matter_it_is_the_filter_of_the_chain():
    x = np.random.default_rng(3).normal(0, 2.0, 9)
    known = Known.of([x], CARELESS, model=Flat())

    found = find_by(known, 2**9)

    densities = (
        found.log_density.entries[0],
        known.profiles[0].log_anomalous(x),
    )
    filtered = filter_chain(CHAIN, *densities).filtered
    assert np.ptp(filtered[2:]) > 0.1
    assert_allclose(found.probability.entries[0], filtered, rtol=EXACT)


@pytest.mark.parametrize("num_particles", [2, 3, 10])
def test_where_nothing_is_known_the_chain_is_believed_on_average(
    num_particles,
):
    num_runs = 1_000
    targets = [np.r_[10.0, 11.0, np.full(8, np.nan)]] * num_runs
    known = Known.of(targets, FOLLOWING._replace(is_bare=True))

    found = np.stack(find_by(known, num_particles).probability.entries)

    truth = filter_chain(CHAIN, *np.full((2, 10), np.nan)).filtered
    standard_error = found.std(0) / np.sqrt(num_runs)
    assert (standard_error[-3:] > 0).all()  # chance has its say
    error = abs(found.mean(0) - truth)
    assert (error <= FIVE * standard_error + EXACT).all()


def resampled(weights, room, num_runs, seed=0):
    """Many times the choice of some weights: parents, and what was kept."""
    rng = np.random.default_rng(seed)
    parents = np.zeros((num_runs, room), np.int64)
    kept = np.zeros((num_runs, room))
    rows = np.repeat(weights[None], num_runs, axis=0)
    resample(rows, rng.random(num_runs), parents, kept)
    return parents, kept


WEIGHTS = {
    "alike": np.full(8, 1 / 8),
    "a few heavy ones": np.array([0.4, 0.01, 0.3, 0.02, 0.2, 0.03, 0.04]),
    "falling": 0.5 ** np.arange(1.0, 9.0),
    "many that weigh nothing": np.r_[np.zeros(5), 0.5, 0.3, 0.1, 0.07, 0.03],
}


@pytest.mark.parametrize("room", [1, 2, 4])
@pytest.mark.parametrize("name", WEIGHTS)
def test_every_weight_is_kept_on_average(name, room):
    weights = WEIGHTS[name] / WEIGHTS[name].sum()
    num_runs = 20_000

    parents, kept = resampled(weights, room, num_runs)

    assert_allclose(kept.sum(1), 1.0, rtol=1e-12)
    assert (kept > 0).all()  # there is no room to waste
    for row in parents[:1_000]:
        assert len(set(row)) == room  # and none is kept twice
    each = np.zeros((num_runs, len(weights)))
    each[np.arange(num_runs)[:, None], parents] = kept
    standard_error = each.std(0) / np.sqrt(num_runs)
    error = abs(each.mean(0) - weights)
    assert (error <= FIVE * standard_error + 1e-12).all()
    assert standard_error.max() > 0


def test_what_weighs_enough_stays_what_it_was():
    weights = WEIGHTS["a few heavy ones"]

    parents, kept = resampled(weights, 4, 1_000)

    for parent in (0, 2, 4):  # of the last, there is 0.1 for four
        assert_array_equal(kept[parents == parent], weights[parent])
        assert (parents == parent).sum() == 1_000
    assert_allclose(kept[~np.isin(parents, [0, 2, 4])], 0.1)


@pytest.mark.parametrize("room", [5, 8])
def test_all_are_kept_where_there_is_room(room):
    weights = WEIGHTS["many that weigh nothing"]

    parents, kept = resampled(weights, room, 100)

    for parent, weight in zip(parents, kept):
        assert_array_equal(parent[weight > 0], np.flatnonzero(weights))
        assert_array_equal(weight[weight > 0], weights[weights > 0])
        assert_array_equal(weight[5:], 0.0)


def test_a_level_that_stays_is_accepted_soon():
    x = np.random.default_rng(4).normal(10, 0.3, 120)
    x[60:] += 8
    known = Known.of([x])

    found = find_by(known, 8)
    locked = find(*known, Manner(max_run=np.inf))

    assert found.probability.entries[0][60] > 0.5
    assert found.probability.entries[0][75:].max() < 0.5
    assert_allclose(found.cleaned.entries[0][75:], x[75:], atol=0.5)
    # One history, if it is not told to stop, replaces all that comes.
    assert locked.probability.entries[0][60:].min() > 0.5
    assert locked.cleaned.entries[0][60:].max() < 14


@pytest.mark.parametrize("far", [1e6, 1e200])
@pytest.mark.parametrize("df", [5.0, 1e8])
def test_a_far_outlier_is_certain_and_leaves_nothing_behind(df, far):
    x = troubled(np.random.default_rng(5), 30)
    known = Known.of([x], FOLLOWING._replace(df=df))
    known.panel.values.entries[0][20] = far

    found = find_by(known, 8)

    assert found.probability.entries[0][20] > 1 - 1e-6
    assert np.isfinite(found.probability.entries[0]).all()
    assert not np.isnan(found.log_odds.entries[0]).any()
    assert np.isfinite(found.cleaned.entries[0]).all()
    assert abs(found.cleaned.entries[0][20]) < 1e-3 * far


@pytest.mark.parametrize("df, far", [(5.0, 1e200), (1e8, 1e6)])
def test_unlikely_is_not_impossible(df, far):
    """A density below all numbers still has a logarithm."""
    x = troubled(np.random.default_rng(5), 30)
    known = Known.of([x], FOLLOWING._replace(df=df))
    known.panel.values.entries[0][20] = far

    found = find_by(known, 8)
    filtered = find(*known, Manner())

    log_density = found.log_density.entries[0]
    assert np.isfinite(log_density[2:]).all()
    # Much the same history, so much the same logarithm.
    like = filtered.log_density.entries[0][20]
    assert_allclose(log_density[20], like, rtol=0.1)


def test_vectors_are_refused():
    panel = Panel.of([{"start": START, "target": np.zeros((2, 9))}])
    known = (FOLLOWING, panel, [CHAIN], [Profile.unknown((2,))])

    with pytest.raises(
        ValueError,
        match="num_particles needs series of numbers, got series of vectors; "
        "use num_particles=0",
    ):
        find_by(known, 4)


@pytest.fixture(scope="module")
def learned():
    data, _ = dataset("univariate", rate=0.03, num_series=2, length=120)
    data = contract.read_only(data)
    with env._let(use_tqdm=False):
        naive = SeasonalNaivePredictor(3, season_length=24)
        return LAIPredictor.from_predictor(naive, data, seed=0), data


def test_the_same_seed_gives_the_same_detections(learned):
    predictor, data = learned
    first, again = (
        list(predictor.detect(data, num_particles=4)) for _ in range(2)
    )

    contract.assert_same_detections(first, again)
    predictor.seed = 1
    other = list(predictor.detect(data, num_particles=4))
    predictor.seed = 0
    assert any(
        (one.probability != two.probability).any()
        for one, two in zip(first, other)
    )


def test_particles_say_nothing_of_a_series_that_is_not_known_yet(learned):
    predictor, data = learned
    target = 70 * data[0]["target"].astype(float) + 900
    num_before = 30  # a whole number of horizons
    late = np.r_[np.full(num_before, np.nan), target]
    new = {"start": data[0]["start"], "target": target}

    alone, found = predictor.detect(
        [new, {**new, "target": late}], num_particles=4
    )

    begin = num_before + predictor.context_length
    assert np.isnan(found.expected[:begin]).all()
    assert np.isfinite(found.expected[begin:]).all()
    flagged = [d.probability > 0.5 for d in (alone, found)]
    assert 2 <= flagged[0].sum() <= 0.1 * target.size
    # They may differ about a point or two that follow a spike.
    assert (flagged[0] != flagged[1][num_before:]).sum() <= 2


def test_particles_of_a_predictor_find_the_spikes(learned):
    predictor, data = learned
    particles = predictor.detect(data, num_particles=16)
    filtered = predictor.detect(data)

    for one, two in zip(particles, filtered):
        found = one.probability > 0.5
        assert found.sum() >= 2
        # They may differ about a point or two that follow a spike.
        assert (found != (two.probability > 0.5)).sum() <= 2
        assert one.probability.shape == one.value.shape
        assert np.isfinite(one.cleaned).all()
