"""
What is known of series, by name or by how they begin.
"""

import math

import numpy as np
import pandas as pd
import pytest
from gluonts.core.serde import dump_json, load_json
from gluonts.env import env
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai import LAIEstimator, Uniform
from gluonts_lai.anomalous import AnomalousModel, Gaussian, GaussianMixture
from gluonts_lai.filtering.profile_rows import Domains, ProfileRows
from gluonts_lai.nominal.scaling import Scale, series_scale
from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table
from gluonts_lai.profiles import NUM_VALUES, Profile, Profiles, Typical
from tests.backends import BACKENDS
from tests.series import dataset

CONTEXT = 12
START = pd.Period("2024-01-01", "h")
# The same sums in another order, in double precision.
ROUNDING = 1e-12
# What the design promises of probabilities.
PROMISED = 1e-5


class Above(AnomalousModel):
    """A user's own p⁻: no anomaly is less than usual, nor beyond a bound."""

    def __init__(self, low=None, high=None):
        self.low, self.high = low, high

    def fit(self, values, weights=None):
        return Above(float(np.nanmedian(values)), float(np.nanmax(values)))

    def log_prob(self, values):
        inside = (values >= self.low) & (values <= self.high + 1)
        log_density = np.where(
            inside, -math.log(self.high - self.low + 1), -np.inf
        )
        return np.where(np.isnan(values), np.nan, log_density)


MODELS = {
    "uniform": Uniform(),
    "wide": Uniform(width=3.0),
    "bounds": Uniform(low=0.0, high=40.0),
    "gaussian": Gaussian(),
    "mixture": GaussianMixture(),
    "above": Above(),
}
UNIFORM = ["uniform", "wide", "bounds"]


def series(seed, length=100, level=10.0, size=2.0):
    rng = np.random.default_rng(seed)
    return level + size * np.sin(np.arange(length) / 4) + rng.normal(size=100)


def profile_of(values, model):
    return Profile.of(series_scale(values, CONTEXT), values, model)


def panel_of(targets, item_ids=None):
    item_ids = item_ids or [None] * len(targets)
    return Panel.of(
        [
            {"start": START, "target": target, "item_id": item_id}
            for target, item_id in zip(targets, item_ids)
        ]
    )


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param]


@pytest.fixture(params=["uniform", "wide", "gaussian", "mixture"])
def open_model(request):
    """A p⁻ that was not told where values end."""
    return MODELS[request.param]


@pytest.fixture
def profiles():
    """What was learned of three series, of different reach."""
    targets = [series(0), series(1, level=500.0), series(2, size=8.0)]
    targets[1][40] += 40.0
    known = [
        profile_of(target, Uniform())._replace(widening=w, tail=2.0 * w)
        for target, w in zip(targets, (1.1, 1.2, 1.3))
    ]
    table = Table.of(targets, np.float64)
    typical = Typical.of(known, table, None, (1.5, 4.0))
    return Profiles(dict(zip("abc", known)), typical)


# By name


def test_what_is_known_by_name_is_used(profiles):
    panel = panel_of([series(9)] * 4, ["c", "x", "a", None])

    found = profiles.of(panel, Uniform(), CONTEXT)

    assert found[0] is profiles.known["c"]
    assert found[2] is profiles.known["a"]
    for new in (found[1], found[3]):
        assert (new.widening, new.tail) == (1.5, 4.0)
        assert_array_equal(
            new.scale, series_scale(series(9)[:CONTEXT], CONTEXT)
        )
    assert profiles.known_of(panel) == [found[0], None, found[2], None]


def test_a_name_may_be_a_number(profiles):
    known = {"7": profiles.known["a"]}
    panel = panel_of([series(9)], [7])

    (found,) = profiles._replace(known=known).of(panel, Uniform(), CONTEXT)

    assert found is known["7"]


def test_a_name_with_other_dimensions_is_another_series(profiles):
    panel = panel_of([np.stack([series(8), series(9)])], ["a"])

    (found,) = profiles.of(panel, Uniform(), CONTEXT)

    assert profiles.known_of(panel) == [None]
    assert found.widening == 1.5
    assert len(found.anomalous) == len(found.bounds) == 2
    assert found.scale.centre.shape == (2, 1)


# New series


def test_a_new_series_is_known_by_its_first_context(profiles):
    first, later = series(3), series(3)
    later[CONTEXT:] = 1e6
    later[-1] = np.nan
    panel = panel_of([first, later, first[:CONTEXT]])

    one, two, three = profiles.of(panel, Uniform(), CONTEXT)

    x = np.linspace(-100, 100, 41)
    for other in (two, three):
        assert_array_equal(one.scale, other.scale)
        assert one.bounds == other.bounds
        assert_array_equal(one.log_anomalous(x), other.log_anomalous(x))
    other = first.copy()
    other[CONTEXT - 1] += 1.0
    (moved,) = profiles.of(panel_of([other]), Uniform(), CONTEXT)
    assert moved.scale != one.scale  # and by all of it


def test_a_new_series_is_typical_in_its_own_units(profiles, open_model):
    x = series(4)
    panel = panel_of([x, 1_000 * x + 50])

    small, large = profiles.of(panel, open_model, CONTEXT)

    assert_allclose(large.scale.width, 1_000 * small.scale.width)
    assert_allclose(large.scale.centre, 1_000 * small.scale.centre + 50)
    values = np.linspace(-50, 50, 101)
    assert_allclose(
        large.log_anomalous(1_000 * values + 50),
        small.log_anomalous(values) - np.log(1_000),
        rtol=1e-6,  # scikit-learn's mixture is fitted step by step
    )


def assert_same_profile(ours, theirs):
    """To the last digit."""
    x = np.tile(np.linspace(-100, 100, 41), (len(theirs.bounds), 1))
    assert_array_equal(ours.scale, theirs.scale)
    assert ours.bounds == theirs.bounds
    assert (ours.widening, ours.tail) == (theirs.widening, theirs.tail)
    assert_array_equal(ours.log_anomalous(x), theirs.log_anomalous(x))


@pytest.mark.parametrize(
    "before, num_before",
    [(np.nan, 1), (np.nan, 50), (0.0, CONTEXT), (-7.0, 50)],
)
def test_what_comes_before_a_series_begins_says_nothing(
    profiles, model, before, num_before
):
    late = np.r_[np.full(num_before, before), series(3)]

    one, other = profiles.of(panel_of([late, series(3)]), model, CONTEXT)

    assert_same_profile(one, other)


def test_a_first_context_that_changes_is_taken_as_it_is(profiles):
    target = np.r_[np.zeros(CONTEXT - 1), series(3)]

    (found,) = profiles.of(panel_of([target]), Uniform(), CONTEXT)

    scale = series_scale(target[:CONTEXT], CONTEXT)
    assert_array_equal(found.scale, scale)


def test_series_that_begin_late_are_late(profiles):
    late = np.r_[np.full(40, np.nan), series(3)]
    idle = np.r_[np.zeros(CONTEXT), series(3)]
    constant = np.full(50, 7.0)
    targets = [late, idle, constant, series(3), late, late[:45], late[:9]]
    panel = panel_of(targets, [*"xxxxaxx"])

    found = profiles.late(panel, CONTEXT)

    numbers = {i: number.tolist() for i, number in found.items()}
    num_known = 100 - CONTEXT
    assert numbers == {0: [num_known], 1: [num_known], 2: [0], 5: [0]}


def test_a_dimension_without_values_in_training_is_new(profiles):
    both = np.stack([series(0), np.full(100, np.nan)])
    half = Profile.of(series_scale(both, CONTEXT), both, Uniform())
    half = half._replace(widening=1.25, tail=3.0)
    known = profiles._replace(known={"half": half})
    target = np.stack([series(8), series(9, level=500.0)])
    target[1, :30] = np.nan
    panel = panel_of([target, target], ["half", "new"])

    found, new = known.of(panel, Uniform(), CONTEXT)

    centre, width = (np.ravel(part) for part in found.scale)
    assert [centre[0], width[0]] == [np.ravel(x)[0] for x in half.scale]
    assert [centre[1], width[1]] == [np.ravel(x)[1] for x in new.scale]
    for name in ("anomalous", "bounds"):
        ours, theirs, fresh = (getattr(x, name) for x in (found, half, new))
        assert ours == [theirs[0], fresh[1]]
    assert (found.widening, found.tail) == (1.25, 3.0)
    late = known.late(panel, CONTEXT)
    assert late[0].tolist() == [100, 70 - CONTEXT]
    assert late[1].tolist() == [100 - CONTEXT, 70 - CONTEXT]


def test_a_series_without_values_in_training_is_new(profiles):
    nothing = np.full(100, np.nan)
    known = {"dead": profile_of(nothing, Uniform())}
    panel = panel_of([series(3), series(3)], ["dead", "new"])

    dead, new = profiles._replace(known=known).of(panel, Uniform(), CONTEXT)

    assert_same_profile(dead, new)


@pytest.mark.parametrize(
    "target",
    [np.full(20, np.nan), np.zeros(0), np.full(5, 3.0), np.zeros(30)],
    ids=["missing", "empty", "constant and short", "zero"],
)
def test_what_shows_nothing_is_taken_for_a_typical_series(profiles, target):
    (found,) = profiles.of(panel_of([target]), Uniform(), CONTEXT)

    assert not found.is_unknown
    assert (found.scale.width > 0).all()
    assert np.isfinite(found.log_anomalous(np.linspace(-9, 9, 7))).all()


def test_the_typical_series_reaches_as_far_as_half_of_them_do():
    values = [series(i, size=size) for i, size in enumerate((1, 2, 3))]
    values[0][50] += 1.0
    values[1][50] += 300.0
    values[2][50] += 60.0
    shares = [np.zeros(100) for _ in values]
    shares[2][50] = 0.75
    known = [profile_of(x, Uniform()) for x in values]

    typical = Typical.of(
        known, Table.of(values, float), Table.of(shares, float), (1.0, 1.0)
    )

    expected = np.sort(known[2].scale.apply(values[2]))
    assert typical.values.shape == (NUM_VALUES,)
    assert set(typical.values) == set(expected)
    assert_array_equal(typical.values, np.sort(typical.values))
    assert_array_equal(typical.weights > 0, typical.values == expected[-1])
    assert typical.weights.max() == 0.75


def typical_of(values):
    """The typical series of a training set in which nothing is anomalous."""
    known = [profile_of(x, Uniform()) for x in values]
    return Typical.of(known, Table.of(values, float), None, (1.0, 1.0))


def idle_beside(varying, level):
    """Three series that vary at a level, and a majority that does not."""
    idle = [np.full(100, level) for _ in range(3)]
    return [*idle[:2], *(x + level for x in varying), *idle[2:], idle[0]]


LEVELS = [0.0, 1e5, -3e7]


@pytest.mark.parametrize("level", LEVELS)
def test_a_series_that_idles_is_not_typical(level):
    varying = [series(i, size=size) for i, size in enumerate((1, 2, 3))]

    typical = typical_of(idle_beside(varying, level))

    expected = typical_of(varying)
    # What is left of sixteen digits beside a level of millions.
    assert_allclose(typical.values, expected.values, atol=1e-6)


@pytest.mark.parametrize("missing", [np.nan, 7.0], ids=["missing", "idle"])
@pytest.mark.parametrize("level", LEVELS)
def test_each_dimension_is_typical_of_series_that_have_it(level, missing):
    varying = [np.stack([series(i), series(i + 5)]) for i in range(5)]
    values = [x + level for x in varying]
    for x in values[:4]:
        x[1] = missing

    typical = typical_of(values)

    (second,) = typical_of([varying[4]]).values[1:]
    assert_allclose(typical.values[1], second, atol=1e-6)
    firsts = [typical_of([x]).values[0] for x in varying]
    assert any(np.allclose(typical.values[0], x, atol=1e-6) for x in firsts)


def test_where_a_dimension_never_varies_another_is_typical_of_it():
    values = [np.stack([series(i), np.full(100, 1e5)]) for i in range(3)]
    values[1][1] = np.nan

    typical = typical_of(values)

    assert_array_equal(typical.values[1], typical.values[0])
    assert np.ptp(typical.values[0]) > 1


def test_where_nothing_varies_the_typical_series_does_not():
    values = [np.zeros(0), np.full(9, np.nan), np.full(9, 5.0), np.zeros(9)]

    typical = typical_of(values)

    assert_array_equal(typical.values, np.zeros(NUM_VALUES))


def test_series_of_vectors_that_vary_are_typical_as_a_whole():
    """Of the one that reaches as far as half of them do, all dimensions."""
    values = [np.stack([series(i), series(i + 5)]) for i in range(3)]
    for x, first, second in zip(values, (0.0, 30.0, 900.0), (60.0, 0.0, 0.0)):
        x[:, 50] += first, second
    shares = [np.zeros((2, 100)) for _ in values]
    shares[0][1, 50] = 0.5
    known = [profile_of(x, Uniform()) for x in values]

    typical = Typical.of(
        known, Table.of(values, float), Table.of(shares, float), (1.0, 1.0)
    )

    rows = known[0].scale.apply(values[0])
    for ours, row in zip(typical.values, rows):
        assert set(ours) <= set(row)
        assert (ours[0], ours[-1]) == (row.min(), row.max())
    assert typical.weights[0].max() == 0.0
    assert_array_equal(
        typical.weights[1] > 0, typical.values[1] == rows[1, 50]
    )


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_said_of_a_new_series_does_not_depend_on_idle_ones(level):
    varying = [series(i, size=size) for i, size in enumerate((1, 2, 3))]
    new, x = series(4), np.linspace(-50, 50, 101)

    told = []
    for values in (varying, idle_beside(varying, level)):
        profiles = Profiles({}, typical_of(values))
        (found,) = profiles.of(panel_of([new + level]), Uniform(), CONTEXT)
        told.append(found.log_anomalous(x + level))

    assert_allclose(*told, atol=1e-6)


@pytest.mark.parametrize("level", LEVELS)
def test_where_nothing_varied_a_new_series_is_taken_for_how_it_begins(level):
    idle = Profiles({}, typical_of([np.full(100, level)]))
    x = series(4) + level

    (found,) = idle.of(panel_of([x]), Uniform(), CONTEXT)

    expected = Uniform().fit(x[:CONTEXT])
    # What is left of sixteen digits beside a level of millions.
    assert_allclose(
        found.anomalous[0].domain, expected.domain, rtol=0, atol=1e-6
    )


@pytest.fixture(scope="module", params=BACKENDS.values(), ids=BACKENDS)
def predictor(request):
    """A network that sees scaled windows."""
    data, _ = dataset("univariate", rate=0.03, num_series=2)
    estimator = LAIEstimator(
        request.param.zoo.CASES["SimpleFeedForward"].make(
            epochs=6, num_batches_per_epoch=10, learning_rate=0.01
        ),
        seed=0,
    )
    with env._let(use_tqdm=False):
        return estimator.train(data)


def test_units_do_not_matter(predictor):
    assert predictor.scaling
    target = dataset("univariate", 1, num_series=1, rate=0.05)[0][0]["target"]
    # Far from zero: what was never negative is not filled with less.
    target = target.astype(float) + 100
    entry = {"start": START, "target": target}
    other = {"start": START, "target": 1_000 * target + 50}

    small, large = predictor.detect([entry, other])

    assert (small.probability > 0.5).sum() >= 3
    assert_allclose(large.probability, small.probability, atol=PROMISED)
    # In single precision, beside a level of five widths.
    assert_allclose(large.expected, 1_000 * small.expected + 50, rtol=1e-5)
    assert_allclose(
        large.log_density, small.log_density - np.log(1_000), atol=1e-4
    )


def test_a_new_series_is_judged_by_what_came_before(predictor):
    target = dataset("univariate", 1, num_series=1, rate=0.05)[0][0]["target"]
    later = target.copy()
    later[100:] = 1e4 + np.arange(later.size - 100)

    one, two = predictor.detect(
        [{"start": START, "target": x} for x in (target, later)]
    )

    assert (one.probability[:100] > 0.5).any()
    for name in ("probability", "expected", "cleaned"):
        ours, theirs = (getattr(d, name)[:100] for d in (one, two))
        assert_allclose(ours, theirs, rtol=PROMISED, err_msg=name)


# p⁻ of what was never seen


def beyond(profile, side, far, num=4_001):
    """Distances from the nearest value there was, and log p⁻ there."""
    low, high = profile.bounds[0]
    distance = np.linspace(0.0, far * (high - low), num)
    x = high + distance if side == "above" else low - distance
    return distance, profile.log_anomalous(x)


@pytest.mark.parametrize("side", ["above", "below"])
@pytest.mark.parametrize("far", [1.0, 10.0, 1e4])
def test_the_further_the_less_likely(open_model, side, far):
    profile = profile_of(series(5), open_model)
    distance, log_density = beyond(profile, side, far)

    assert np.isfinite(log_density).all()
    assert (np.diff(log_density) <= ROUNDING).all()
    assert log_density[-1] < log_density[0]
    # Never so fast that a drift looks impossible.
    low, high = profile.bounds[0]
    bound = log_density[0] - 2 * np.log1p(2 * distance / (high - low))
    assert (log_density >= bound - ROUNDING).all()


@pytest.mark.parametrize("side", ["above", "below"])
def test_it_falls_without_a_jump(open_model, side):
    profile = profile_of(series(5), open_model)
    _, log_density = beyond(profile, side, 4.0, num=40_001)

    # It falls by 2 log(1 + 8) in 40,000 steps: on average by a ten-thousandth.
    assert np.diff(log_density).min() > -1e-2


@pytest.mark.parametrize("name", ["bounds", "above"])
def test_what_was_said_to_be_impossible_is_not_quite(name):
    profile = profile_of(series(5), MODELS[name])
    # Far away, and below what is usual in the series.
    x = np.array([-1e6, -1.0, 8.0, 1e2, 1e6])

    log_density = profile.log_anomalous(x)

    likely = profile.log_anomalous(np.array([11.0]))
    assert profile.bounds[0][0] < 8.0 < np.median(series(5))
    assert np.isfinite(log_density).all()
    assert (log_density[[0, 1, 3, 4]] < likely).all()
    assert (log_density[2] < likely - 2) == (name == "above")


def test_a_series_that_never_changed_has_a_way_beyond():
    constant = np.full(30, 5.0)
    profile = profile_of(constant, Uniform())

    log_density = profile.log_anomalous(np.array([5.0, 6.0, 60.0]))

    assert np.isfinite(log_density).all()
    assert (np.diff(log_density) < 0).all()


def test_nothing_is_said_where_nothing_is_known(model):
    x = series(6)
    x[3] = np.nan
    both = np.stack([x, np.full(100, np.nan)])
    profile = Profile.of(series_scale(both, CONTEXT), both, model)

    log_density = profile.log_anomalous(both)

    assert_array_equal(np.isnan(log_density), np.isnan(both))
    assert not profile.is_unknown
    assert Profile.unknown((2,)).is_unknown
    assert np.isnan(Profile.unknown((2,)).log_anomalous(both)).all()


# Many of them, side by side


def many(model):
    """Profiles of three series, of one of which nothing is known."""
    known = [profile_of(series(i, level=20.0), model) for i in range(3)]
    known[0] = known[0]._replace(tail=2.0, widening=1.5)
    constant = profile_of(np.full(30, 4.0), model)
    return [*known, Profile.unknown(()), constant]


VALUES = [-1e9, -50.0, 0.0, 10.0, 16.0, 23.0, 24.0, 25.0, 60.0, 1e9, np.nan]


def test_rows_say_the_same_as_profiles(model):
    profiles = many(model)
    rows = ProfileRows.of(profiles)

    which = np.array([0, 4, 2, 3, 1])
    for value in VALUES:
        values = np.full(len(which), value)
        told = rows.log_anomalous(which, which, values)
        expected = [
            profiles[i].log_anomalous(np.array([value]))[0] for i in which
        ]
        assert_allclose(told, expected, rtol=ROUNDING, err_msg=str(value))
        assert np.isnan(told[3])
    assert_array_equal(rows.tail, [2, 1, 1, 1, 1])
    assert_array_equal(rows.widening, [1.5, 1, 1, 1, 1])
    assert rows.scale.width.shape == (5, 1)


def assert_same_rows(ours, theirs):
    """To the last digit."""
    assert len(ours.profiles) == len(theirs.profiles)
    for one, other in zip(ours.profiles, theirs.profiles):
        assert one is other
    for one, other in zip(ours[1:-1], theirs[1:-1]):
        assert_array_equal(one, other)
    assert (ours.domains is None) == (theirs.domains is None)
    if ours.domains is not None:
        assert_array_equal(ours.domains, theirs.domains)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [4, 2, 0, 1, 3]], ids=str)
def test_rows_may_get_known_one_after_the_other(model, order):
    profiles = many(model)
    rows = ProfileRows.of([Profile.unknown(())] * 5)
    for i in order:
        rows = rows.put(np.array([i]), np.array([i]), [profiles[i]])
        assert rows.profiles[i] is profiles[i]

    assert_same_rows(rows, ProfileRows.of(profiles))


def test_rows_of_vectors_may_get_known_together(model):
    profiles = []
    for i in range(4):
        both = np.stack([series(i), series(i + 4, level=90.0)])
        scale = series_scale(both, CONTEXT)
        profiles.append(Profile.of(scale, both, model)._replace(tail=1.0 + i))
    rows = ProfileRows.of([profiles[0], *[Profile.unknown((2,))] * 3])

    places, those = np.array([3, 1]), np.array([6, 7, 2, 3])
    rows = rows.put(places, those, [profiles[3], profiles[1]])
    rows = rows.put(np.array([2]), np.array([4, 5]), [profiles[2]])

    assert_same_rows(rows, ProfileRows.of(profiles))


def test_one_density_of_another_kind_is_enough_to_go_the_slow_way():
    uniform, gaussian = (
        profile_of(series(0), model) for model in (Uniform(), Gaussian())
    )
    rows = ProfileRows.of([uniform, Profile.unknown(())])

    rows = rows.put(np.array([1]), np.array([1]), [gaussian])

    assert_same_rows(rows, ProfileRows.of([uniform, gaussian]))


@pytest.mark.parametrize("name", MODELS)
def test_only_uniform_densities_go_the_fast_way(name):
    domains = ProfileRows.of(many(MODELS[name])).domains

    assert (domains is not None) == (name in UNIFORM)


@pytest.mark.parametrize("name", UNIFORM)
def test_domains_say_the_same_as_profiles(name):
    """Value by value, on both sides of every bound."""
    profile = profile_of(series(7, level=20.0), MODELS[name])
    x = np.r_[np.linspace(-100, 140, 997), 1e9, np.nan]

    domains = Domains.of([profile] * x.size)

    assert_allclose(
        domains.log_prob(x), profile.log_anomalous(x), rtol=ROUNDING
    )
    few = np.array([990, 2, 2, 500])
    assert_array_equal(
        domains.take(few).log_prob(x[few]), domains.log_prob(x)[few]
    )


def test_rows_of_vectors_stand_one_after_the_other(model):
    profiles = []
    for i in range(3):
        both = np.stack([series(i, level=20.0), series(i, level=90.0)])
        scale = series_scale(both, CONTEXT)
        profiles.append(Profile.of(scale, both, model)._replace(tail=1.0 + i))
    rows = ProfileRows.of(profiles)
    which = np.array([2, 0])
    points = np.array([[18.0, 95.0], [200.0, 20.0]])

    told = rows.log_anomalous(which, np.array([4, 5, 0, 1]), points.ravel())

    expected = [
        profiles[i].log_anomalous(point[:, None])[:, 0]
        for i, point in zip(which, points)
    ]
    assert_allclose(told, np.ravel(expected), rtol=ROUNDING)
    assert_array_equal(rows.tail, [1, 1, 2, 2, 3, 3])
    centres = [profile.scale.centre for profile in profiles]
    assert_array_equal(rows.scale.centre, np.concatenate(centres))


# On disk


@pytest.mark.parametrize("name", ["uniform", "wide", "gaussian", "mixture"])
def test_profiles_go_through_json(name):
    model = MODELS[name]
    both = np.stack([series(0), np.full(100, np.nan)])
    known = {
        "a": profile_of(series(1), model)._replace(widening=1.3, tail=2.0),
        "b": Profile.of(series_scale(both, CONTEXT), both, model),
    }
    table = Table.of([series(1)], float)
    typical = Typical.of([known["a"]], table, None, (1.5, 4.0))
    profiles = Profiles(known, typical)

    again = load_json(dump_json(profiles))

    assert type(again) is Profiles
    assert list(again.known) == ["a", "b"]
    for name, profile in profiles.known.items():
        other = again.known[name]
        assert type(other) is Profile and type(other.scale) is Scale
        assert other.anomalous == profile.anomalous
        assert (other.widening, other.tail) == (profile.widening, profile.tail)
        values = np.tile(VALUES, (len(profile.anomalous), 1))
        assert_array_equal(
            other.log_anomalous(values), profile.log_anomalous(values)
        )
    assert type(again.typical) is Typical
    assert_array_equal(again.typical.values, profiles.typical.values)
    new = panel_of([series(9)])
    (one,), (two,) = (
        each.of(new, model, CONTEXT) for each in (profiles, again)
    )
    assert_array_equal(
        one.log_anomalous(np.array(VALUES)),
        two.log_anomalous(np.array(VALUES)),
    )
    assert dump_json(again) == dump_json(profiles)
