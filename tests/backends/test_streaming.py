"""
Series fed point by point: the same as all at once, whatever happens.
"""

import copy
import cProfile
import json
from contextlib import contextmanager
from decimal import Decimal
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest
from gluonts.env import env
from gluonts.model.npts import NPTSPredictor
from gluonts.model.predictor import Predictor
from gluonts.model.seasonal_naive import SeasonalNaivePredictor
from numpy.testing import assert_allclose, assert_array_equal, assert_equal

from gluonts_lai import (
    Gaussian,
    IndicatorChain,
    LAIEstimator,
    LAIPredictor,
    Reading,
    StreamingDetector,
)
from gluonts_lai.arrivals import LARGEST
from gluonts_lai.backends import seeded
from gluonts_lai.filtering.profile_rows import ProfileRows
from gluonts_lai.profiles import Profile
from tests import contract
from tests.backends import BACKENDS
from tests.series import CONTEXT, FREQ, NUM_DIMS, dataset

# A network that has hardly learned flags much, and nobody cares.
pytestmark = pytest.mark.filterwarnings("ignore:max_anomaly_share should not")

# What the design promises of probabilities, and of values in sds.
PROMISED = 1e-5
# What follows from those: widths, logarithms, forecasts.
FOLLOWS = 1e-4
START = pd.Period("2024-03-01 05:00", FREQ)
LENGTH = 80
HORIZON = 3

FAST = [(name, "SimpleFeedForward") for name in BACKENDS]
UNROLLED = [(name, "DeepAR") for name in BACKENDS]
OTHERS = [("none", "SeasonalNaive")]
if "torch" in BACKENDS:
    OTHERS += [("torch", "PatchTST"), ("torch", "TFT")]


@lru_cache(maxsize=None)
def trained(backend, name):
    """A model that has learned a little, and more than one thing to see."""
    data, _ = dataset("univariate", rate=0.04, num_series=2)
    if name == "FEATURES":
        data = [{**entry, **features(160)} for entry in data]
    with env._let(use_tqdm=False):
        if backend == "none":
            naive = SeasonalNaivePredictor(HORIZON, season_length=24)
            return LAIPredictor.from_predictor(naive, data, seed=0)
        zoo = BACKENDS[backend].zoo
        make = zoo.FEATURES if name == "FEATURES" else zoo.CASES[name].make
        estimator = LAIEstimator(
            make(epochs=6, num_batches_per_epoch=10, learning_rate=0.02),
            seed=0,
        )
        return estimator.train(data)


def predictors(cases):
    """A parameter of tests: each of these models."""
    return pytest.mark.parametrize(
        "predictor", cases, ids="-".join, indirect=True
    )


@pytest.fixture
def predictor(request):
    return trained(*request.param)


@pytest.fixture
def feed_forward(backend):
    return trained(backend.name, "SimpleFeedForward")


@pytest.fixture
def deepar(backend):
    return trained(backend.name, "DeepAR")


def like(predictor, **settings):
    """The same model, used in another way."""
    other = copy.copy(predictor)
    for name, setting in settings.items():
        assert hasattr(other, name)
        setattr(other, name, setting)
    return other


def features(length):
    """What a model may be told of each point, and of all."""
    rng = np.random.default_rng(5)
    return {
        "feat_dynamic_real": rng.normal(size=(1, length)),
        "feat_static_cat": np.array([1]),
        "feat_static_real": np.array([0.5]),
    }


def troubled(seed=0, length=LENGTH):
    """Spikes one by one and in a row, a level that stays, missing points."""
    data, _ = dataset("univariate", seed + 10, num_series=1, length=length)
    x = data[0]["target"].astype(float)
    x[[20, 45]] += 25.0
    x[50:56] += 20.0 * (-1.0) ** np.arange(6)
    x[62:70] += 16.0
    x[[15, 30, 31, 32]] = np.nan
    return x


def entries():
    """A series of the training set, new ones, and one that begins late."""
    late = troubled(2)
    late[: CONTEXT + 3] = np.nan
    early = troubled(3)
    early[:4] = np.nan
    return [
        {"item_id": "a", "start": START, "target": troubled()},
        {"item_id": "n", "start": START, "target": 40 * troubled(1) + 9},
        {"item_id": "late", "start": START, "target": late},
        {"item_id": "early", "start": START + 7, "target": early},
    ]


def beginning(entry, num_points=0):
    """A history: the first points of an entry."""
    return {**entry, "target": entry["target"][..., :num_points]}


def say(stream, values):
    """What a stream says of values as they come."""
    return [stream.update(value) for value in values]


def fed(stream, values):
    """The stream itself, when they have come."""
    say(stream, values)
    return stream


def columns(readings):
    """Readings as arrays, time last."""
    table = np.array([[np.asarray(x, float) for x in r] for r in readings])
    return Reading(*np.moveaxis(table, 0, -1))


def assert_as_detected(readings, detection, begin=0, threshold=0.5):
    """Fed point by point or all at once: the same is said."""
    told = columns(readings)
    unit = np.nanstd(detection.value, axis=-1, keepdims=True)
    expected = {
        name: getattr(detection, name)[..., begin : begin + len(readings)]
        for name in detection._fields[2:]
    }
    assert_allclose(
        told.probability, expected["probability"], rtol=0, atol=PROMISED
    )
    assert_allclose(
        told.expected / unit,
        expected["expected"] / unit,
        rtol=PROMISED,
        atol=PROMISED,
    )
    for name in ("lower", "upper"):
        assert_allclose(
            getattr(told, name) / unit,
            expected[name] / unit,
            rtol=FOLLOWS,
            atol=FOLLOWS,
            err_msg=name,
        )
    assert_allclose(
        told.log_density, expected["log_density"], rtol=FOLLOWS, atol=FOLLOWS
    )
    assert_array_equal(told.is_anomaly, told.probability > threshold)
    replaced = ~np.isnan(told.replaced_by)
    assert_allclose(
        told.replaced_by[replaced], expected["cleaned"][replaced], rtol=FOLLOWS
    )
    seen = ~replaced & ~np.isnan(expected["value"])
    assert_allclose(
        expected["cleaned"][seen], expected["value"][seen], rtol=FOLLOWS
    )


def assert_alike(ours, theirs):
    """Readings of the same points, come by in two ways."""
    one, other = columns(ours), columns(theirs)
    assert_allclose(one.probability, other.probability, atol=PROMISED)
    size = np.nanmax(np.abs(other.upper), initial=1.0)
    for name in ("expected", "lower", "upper", "replaced_by", "log_density"):
        assert_allclose(
            getattr(one, name),
            getattr(other, name),
            rtol=FOLLOWS,
            atol=FOLLOWS * size,
            err_msg=name,
        )
    assert_array_equal(one.is_anomaly, other.is_anomaly)


def assert_same_readings(ours, theirs):
    """To the last digit, NaN included."""
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs):
        assert_equal(tuple(one), tuple(other))


@contextmanager
def refused(stream, error, match):
    """Expect an error, of which a stream takes no notice."""
    before = stream.to_dict()
    with pytest.raises(error, match=match):
        yield
    assert stream.to_dict() == before


def through_json(stream, predictor=None):
    """A stream that was stopped, written down, read and goes on."""
    text = json.dumps(stream.to_dict(), allow_nan=False)
    predictor = predictor or stream.predictor
    return StreamingDetector.from_dict(json.loads(text), predictor)


# The same as all at once


@predictors(FAST + UNROLLED + OTHERS)
@pytest.mark.parametrize(
    "treatment, recalibrate", [("impute", True), ("mask", False)]
)
def test_point_by_point_is_the_same_as_all_at_once(
    predictor, treatment, recalibrate
):
    predictor = like(predictor, treatment=treatment)
    series = entries()
    detections = predictor.detect(series, recalibrate=recalibrate)

    stream = predictor.stream(
        [beginning(entry) for entry in series], recalibrate=recalibrate
    )
    told = [
        stream.update_many([entry["target"][t] for entry in series])
        for t in range(LENGTH)
    ]

    for readings, detection in zip(zip(*told), detections):
        assert_as_detected(readings, detection)
    flagged, by = (
        np.array([[getattr(r, name) for r in row] for row in told])
        for name in ("is_anomaly", "replaced_by")
    )
    replaced = ~np.isnan(by)
    assert flagged[CONTEXT:].any(0).sum() >= 2  # in different series
    assert replaced.any()
    assert (flagged & ~replaced).any()  # more in a row than are replaced


@predictors(FAST)
@pytest.mark.parametrize("treatment", ["impute", "mask"])
@pytest.mark.parametrize(
    "settings",
    [
        {"threshold": 0.9},
        {"max_run": 0},
        {"max_run": 1, "recalibrate": False},
        {"max_run": np.inf},
        {"recalibrate": False, "threshold": 0.2},
    ],
    ids=lambda x: f"{x!s:.14}",
)
@pytest.mark.parametrize("which", range(4))
def test_whatever_was_chosen_it_is_the_same(
    predictor, treatment, settings, which
):
    chains = {"a": IndicatorChain(0.3, 0.1, 0.8)}
    predictor = like(predictor, treatment=treatment, chains=chains)
    entry = entries()[which]
    (detection,) = predictor.detect([entry], **settings)

    stream = predictor.stream(beginning(entry), **settings)
    readings = say(stream, entry["target"])

    threshold = settings.get("threshold", 0.5)
    assert_as_detected(readings, detection, threshold=threshold)
    told = columns(readings)
    assert np.ptp(told.probability[CONTEXT:]) > 0.2
    if settings.get("max_run") == 0:
        assert np.isnan(told.replaced_by).all()


@predictors(FAST + UNROLLED[-1:])
@pytest.mark.parametrize("value", [0.0, 13.11, -70.0])
def test_a_value_that_is_stuck(predictor, value):
    """A window without any width has no scale of its own."""
    for_a_while = troubled(4)[:60]
    for_a_while[18:50] = value
    always = np.full(60, value)
    always[55] += 1.0
    for target in (for_a_while, always):
        entry = {"item_id": "new", "start": START, "target": target}
        (detection,) = predictor.detect([entry], max_run=0)

        stream = predictor.stream(beginning(entry), max_run=0)
        readings = say(stream, target)

        assert_as_detected(readings, detection)


# New series that show late what they are like


def beginnings(length):
    """New series, and what comes before they are what they will be."""
    nothing, idle = np.full(length + 8, np.nan), np.zeros(length + 8)
    running = 70 * troubled(1, length=200) + 900
    sparse = np.full(4 * 10, np.nan)
    sparse[::4] = running[:10]
    targets = {
        "late": np.r_[nothing, running],
        "a little late": np.r_[nothing[:5], running],
        "idle": np.r_[idle, running],
        "late, then idle": np.r_[nothing, idle, running],
        "idle, then late": np.r_[idle, nothing, running],
        "idle, with gaps": np.r_[idle[:5], nothing, idle, running],
        "idle twice": np.r_[idle, idle + 5, running],
        "nearly a context": np.r_[idle[: length - 1], running],
        "sparse": np.r_[sparse, running],
        "a value long ago": np.r_[3.0, nothing, running],
        "always idle": np.tile(idle, 4),
        "always missing": np.tile(nothing, 4),
    }
    return [
        {"item_id": name, "start": START, "target": x[: 3 * length + 40]}
        for name, x in targets.items()
    ]


@predictors(FAST + UNROLLED[-1:] + OTHERS[:1])
def test_however_a_series_begins_it_is_the_same(predictor):
    length = predictor.context_length
    series = beginnings(length)
    detections = list(predictor.detect(series))

    for num_points in (0, length + 9):
        stream = predictor.stream([beginning(e, num_points) for e in series])
        told = []
        for t in range(num_points, len(series[0]["target"])):
            told.append(stream.update_many([e["target"][t] for e in series]))
            if t % 7 == 0:
                state = stream.to_dict()
                stream = through_json(stream)
                assert stream.to_dict() == state

        for readings, detection in zip(zip(*told), detections):
            assert_as_detected(readings, detection, num_points)


@predictors(FAST + UNROLLED[-1:] + OTHERS[:1])
def test_nothing_is_said_of_a_series_before_it_is_known(predictor):
    length = predictor.context_length
    num_silent = {
        "late": length + 8 + length,
        "idle": length + 8 + length,
        "always idle": 3 * length + 40,
    }
    for entry in beginnings(length):
        if entry["item_id"] in num_silent:
            (detection,) = predictor.detect([entry])

            number = num_silent[entry["item_id"]]
            assert np.isnan(detection.expected[:number]).all()
            assert np.isfinite(detection.expected[number:]).all()


@predictors(FAST + OTHERS[:1])
@pytest.mark.parametrize("before", [np.nan, 0.0])
def test_a_series_is_judged_as_if_it_began_with_its_first_value(
    predictor, before
):
    target = 70 * troubled(5) + 900
    # A whole number of horizons: they begin where they did.
    num_before = 10 * HORIZON
    late = np.r_[np.full(num_before, before), target]
    new = {"item_id": "new", "start": START, "target": target}

    (alone,) = predictor.detect([new])
    (detection,) = predictor.detect([{**new, "target": late}])

    later = slice(num_before, None)
    length = predictor.context_length
    assert (alone.probability > 0.5).sum() >= 3
    assert_allclose(detection.expected[later], alone.expected, rtol=PROMISED)
    # Of what was missing before, each value forgets half.
    slack = num_before / 2.0**length
    for name in ("probability", "log_density"):
        assert_allclose(
            getattr(detection, name)[later][length:],
            getattr(alone, name)[length:],
            atol=FOLLOWS + slack,
            err_msg=name,
        )


@predictors(FAST + OTHERS[:1])
# A forecast does not look at all of the past.
@pytest.mark.parametrize("before, num_before", [(np.nan, 600), (0.0, 30)])
def test_it_is_forecast_as_if_it_began_with_its_first_value(
    predictor, before, num_before
):
    predictor = like(predictor, seed=None)
    target = troubled(5) / 70 + 0.3
    late = np.r_[np.full(num_before, before), target]
    new = {"item_id": "new", "start": START, "target": target}
    told = []
    for x in (target, late):
        with seeded(3):
            told += predictor.predict([{**new, "target": x}])
    with seeded(3):
        stream = predictor.stream(beginning(new))
        told.append(fed(stream, late).forecast())

    alone, *others = map(contract.numbers_of, told)
    for other in others:
        assert len(other) == len(alone)
        for ours, theirs in zip(other, alone):
            assert_allclose(ours, theirs, rtol=FOLLOWS)


@lru_cache(maxsize=None)
def trained_with_a_dead_one():
    """A model whose training set had a sensor that was not installed."""
    data, _ = dataset("univariate", rate=0.04, num_series=2)
    dead = {**data[0], "item_id": "dead", "target": np.full(160, np.nan)}
    naive = SeasonalNaivePredictor(HORIZON, season_length=24)
    with pytest.warns(UserWarning, match="without any value are left out"):
        return LAIPredictor.from_predictor(naive, [*data, dead], seed=0)


def test_a_series_without_values_in_training_is_a_new_one():
    predictor = trained_with_a_dead_one()
    new = {"item_id": "new", "start": START, "target": 70 * troubled(1) + 900}
    dead = {**new, "item_id": "dead"}

    found, expected = predictor.detect([dead, new])
    told = predictor.stream([beginning(dead), beginning(new)])
    readings = [told.update_many([x, x]) for x in new["target"]]

    assert "dead" not in predictor.profiles.known
    assert (expected.probability > 0.5).sum() >= 3
    contract.assert_same_detections(
        [found], [expected._replace(item_id="dead")]
    )
    for ours, theirs in readings:
        assert_same_readings([ours], [theirs])
    ours, theirs = told.forecast()
    assert_array_equal(ours.mean, theirs.mean)


def test_a_model_that_knew_a_series_without_values_goes_on(tmp_path):
    """As it was written once, and the states of its streams."""
    predictor = trained_with_a_dead_one()
    known = {**predictor.profiles.known, "dead": Profile.unknown(())}
    old = like(predictor, profiles=predictor.profiles._replace(known=known))
    old.serialize(tmp_path)
    again = Predictor.deserialize(tmp_path)
    dead = {"item_id": "dead", "start": START, "target": troubled(1)}
    new = {**dead, "item_id": "new"}
    (found,), (expected,) = again.detect([dead]), predictor.detect([new])
    contract.assert_same_detections(
        [found], [expected._replace(item_id="dead")]
    )
    stream = fed(again.stream(beginning(dead)), dead["target"][:5])
    state = state_of(stream)
    assert len(state["series"][0]["first"]) == 5
    state["series"][0]["first"] = None

    stream = StreamingDetector.from_dict(state, again)

    say(stream, dead["target"][5:])
    assert stream.update(1e6).is_anomaly


def test_a_state_that_took_missing_points_for_values_goes_on(feed_forward):
    late = beginnings(CONTEXT)[0]
    stream = fed(feed_forward.stream(beginning(late)), late["target"][:30])
    state = state_of(stream)
    state["series"][0]["first"] = [None] * CONTEXT

    stream = StreamingDetector.from_dict(state, feed_forward)

    readings = say(stream, late["target"][30:])
    told = columns(readings)
    assert np.isnan(told.expected[:CONTEXT]).all()
    assert np.isfinite(told.expected[CONTEXT:]).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_a_model_is_told_besides_is_looked_at(backend):
    predictor = trained(backend, "FEATURES")
    entry = {**entries()[0], **features(LENGTH)}
    other = {**entry, "feat_dynamic_real": 5 - entry["feat_dynamic_real"]}
    detection, odd = predictor.detect([entry, other])
    difference = abs(detection.expected - odd.expected)
    assert np.nanmax(difference) > 10 * PROMISED

    readings = say(predictor.stream(beginning(entry)), entry["target"])

    assert_as_detected(readings, detection)


def test_densities_of_other_kinds(backend):
    """p⁻ of a user's choice, asked one value at a time."""
    data, _ = dataset("univariate", rate=0.04, num_series=2)
    make = backend.zoo.CASES["SimpleFeedForward"].make
    estimator = LAIEstimator(make(epochs=2), anomalous=Gaussian(), seed=0)
    predictor = estimator.train(data)
    for entry in entries()[:2]:
        (detection,) = predictor.detect([entry])

        readings = say(predictor.stream(beginning(entry)), entry["target"])

        assert_as_detected(readings, detection)


@predictors(FAST + UNROLLED)
def test_labels_count_as_they_do_all_at_once(predictor):
    predictor = like(predictor, label_field="known")
    labels = np.full(LENGTH, np.nan)
    labels[[20, 25, 30, 40, 62]] = 0.0, 1.0, 1.0, 0.9, 0.2
    entry = {**entries()[1], "known": labels}
    (detection,) = predictor.detect([entry])

    whole = predictor.stream(beginning(entry))
    readings = [
        whole.update(x, label=None if np.isnan(label) else label)
        for x, label in zip(entry["target"], labels)
    ]
    half = predictor.stream(beginning(entry, 42))
    later = [
        half.update(x, label=label)
        for x, label in zip(entry["target"][42:], labels[42:])
    ]

    assert_as_detected(readings, detection)
    assert_as_detected(later, detection, 42)
    assert readings[20].probability == 0 and not readings[20].is_anomaly
    assert readings[25].probability == 1 and readings[25].is_anomaly
    (unlabelled,) = predictor.detect([entries()[1]])
    assert abs(unlabelled.probability - detection.probability).max() > 0.5


@pytest.mark.parametrize("num_points", [1, CONTEXT - 1, CONTEXT, 53, LENGTH])
@predictors(FAST)
def test_a_history_is_the_same_as_its_points(predictor, num_points):
    for entry in entries():
        (detection,) = predictor.detect([entry])
        (entry,) = contract.read_only([entry])

        stream = predictor.stream(beginning(entry, num_points))
        readings = say(stream, entry["target"][num_points:])

        if readings:
            assert_as_detected(readings, detection, num_points)
        # And it is just as sure of what comes next.
        value = np.nanmean(entry["target"])
        points = fed(predictor.stream(beginning(entry)), entry["target"])
        assert_alike([stream.score(value)], [points.score(value)])


def test_a_history_may_be_points_alone(feed_forward):
    points = entries()[0]["target"]

    told = say(feed_forward.stream(points[:60]), points[60:])

    assert_alike(
        told, say(fed(feed_forward.stream(), points[:60]), points[60:])
    )


@pytest.mark.parametrize("history", [[1.0, 2.0], 5, "pump", np.arange])
def test_what_is_no_history_is_refused(feed_forward, history):
    with pytest.raises(TypeError, match="history must be an entry, an array"):
        feed_forward.stream(history)


@predictors(UNROLLED + OTHERS)
def test_half_of_the_series_may_be_history(predictor):
    series = entries()
    detections = list(predictor.detect(series))

    stream = predictor.stream([beginning(entry, 53) for entry in series])
    told = [
        stream.update_many([entry["target"][t] for entry in series])
        for t in range(53, LENGTH)
    ]

    for readings, detection in zip(zip(*told), detections):
        assert_as_detected(readings, detection, 53)


def test_histories_may_have_any_length(feed_forward):
    series = entries()
    lengths = [0, 7, 50, 30]
    detections = list(feed_forward.detect(series))

    stream = feed_forward.stream(
        [beginning(*pair) for pair in zip(series, lengths)]
    )
    told = [
        stream.update_many(
            [
                entry["target"][length + t]
                for entry, length in zip(series, lengths)
            ]
        )
        for t in range(30)
    ]

    for readings, detection, length in zip(zip(*told), detections, lengths):
        assert_as_detected(readings, detection, length)


# Several at once


@predictors(FAST + UNROLLED[-1:])
def test_series_that_are_fed_together_do_not_meet(predictor):
    series = [
        {**entry, "item_id": name} for entry, name in zip(entries(), "abcd")
    ]
    history = [beginning(entry, 30) for entry in series]
    alone = [
        say(predictor.stream(begin), entry["target"][30:60])
        for begin, entry in zip(history, series)
    ]

    in_order, by_name, now_and_then = (
        predictor.stream(history) for _ in range(3)
    )
    rng = np.random.default_rng(0)
    waiting = {name: list(range(30, 60)) for name in "abcd"}
    told = {name: [] for name in "abcd"}
    for t in range(30, 60):
        values = {e["item_id"]: e["target"][t] for e in series}
        listed = in_order.update_many(list(values.values()))
        backwards = dict(reversed(values.items()))
        mapped = by_name.update_many(backwards)
        assert list(mapped) == list("dcba")
        for i, name in enumerate("abcd"):
            told[name].append((listed[i], mapped[name]))
    for i, name in enumerate("abcd"):
        for readings in zip(*told[name]):
            assert_alike(readings, alone[i])
    told = {name: [] for name in "abcd"}
    while any(waiting.values()):
        some = [n for n in "abcd" if waiting[n] and rng.random() < 0.6]
        values = {
            name: series["abcd".index(name)]["target"][waiting[name].pop(0)]
            for name in some
        }
        for name, reading in now_and_then.update_many(values).items():
            told[name].append(reading)
    for i, name in enumerate("abcd"):
        assert_alike(told[name], alone[i])
    for one, other in zip(in_order.forecast(), now_and_then.forecast()):
        assert one.start_date == other.start_date
        assert one.item_id == other.item_id


def num_calls(function):
    """How many functions are called, Python's own and others."""
    profile = cProfile.Profile()
    profile.runcall(function)
    return sum(entry.callcount for entry in profile.getstats())


def calls_of_one_among(predictor, num_series):
    """Calls for a point by which a series gets known, and for a later one."""
    names = [f"s{i}" for i in range(num_series)]
    stream = predictor.stream([{"item_id": n, "start": START} for n in names])
    for value in 10.0 + np.arange(predictor.context_length - 1):
        stream.update_many([value] * num_series)
    stream.update_many({"s0": 3.0})  # whatever is done once for all
    stream.update_many({"s0": 4.0})
    assert np.isnan(stream.update_many({"s1": 3.0})["s1"].expected)
    return [
        num_calls(lambda name=name: stream.update_many({name: 4.0}))
        for name in ("s2", "s2", "s1")
    ]


@predictors(FAST + OTHERS[:1])
def test_one_series_costs_the_same_among_few_as_among_many(predictor):
    calls_of_one_among(predictor, 5)  # whatever is done once in a process

    few, many = (calls_of_one_among(predictor, n) for n in (5, 205))

    # A garbage collection may call a few; each series more, one or more.
    assert_allclose(many, few, rtol=0, atol=100)


@pytest.mark.parametrize("kind", ["scalars", "vectors"])
def test_what_is_known_is_the_same_in_whatever_order_it_came(backend, kind):
    """Kept row by row as series get known, or made of all of them anew."""
    if kind == "vectors":
        predictor = multivariate(backend.name)
        (target,) = (e["target"] for e in dataset("multivariate", 1)[0][:1])
    else:
        predictor = trained(backend.name, "SimpleFeedForward")
        target = troubled(1)
    shifted = [np.array(target[..., i : i + 40]) for i in range(5)]
    if kind == "vectors":  # and a dimension that begins later than the others
        shifted[3][1, :9] = np.nan
    stream = predictor.stream(
        [{"item_id": i, "start": START} for i in "abcde"]
    )

    rng = np.random.default_rng(0)
    waiting = {i: [*np.moveaxis(x, -1, 0)] for i, x in zip("abcde", shifted)}
    while any(waiting.values()):
        some = [i for i in waiting if waiting[i] and rng.random() < 0.6]
        stream.update_many({i: waiting[i].pop(0) for i in some})

    watch, tracks = stream.watch, stream.tracks
    anew = ProfileRows.of(tracks.known.profiles)
    assert tracks.known.is_known.all()
    assert_equal(tuple(tracks.known), tuple(anew))
    rules = stream.manner.rules(
        tracks.chains, tracks.known.profiles, predictor.context_length
    )
    assert_equal(tuple(watch.all_rules), tuple(rules))
    again = through_json(stream)
    for i, j in zip(tracks.known.profiles, again.tracks.known.profiles):
        assert i.anomalous == j.anomalous and i.bounds == j.bounds
    assert_equal(tuple(again.tracks.known)[1:], tuple(anew)[1:])


def test_values_that_follow_one_another(feed_forward):
    entry = entries()[1]
    one, other = (feed_forward.stream(beginning(entry)) for _ in range(2))

    readings = one.update_many(entry["target"][:40])

    assert_same_readings(readings, say(other, entry["target"][:40]))
    times = [START + 41 + 2 * t for t in range(5)]
    later = one.update_many([10.0] * 5, times)
    for reading, time in zip(later, times):
        assert_equal(tuple(reading), tuple(other.update(10.0, timestamp=time)))


@pytest.mark.parametrize("num_values", [0, 1, 3])
def test_there_is_one_value_for_each_series(feed_forward, num_values):
    stream = feed_forward.stream([{"item_id": "x"}, {"item_id": "y"}])

    with refused(
        stream,
        ValueError,
        f"one value for each of the 2 series, got {num_values}; give a "
        "mapping by item_id",
    ):
        stream.update_many([1.0] * num_values)


@pytest.mark.parametrize("num_times", [1, 3])
def test_there_is_one_time_for_each_value(feed_forward, num_times):
    times = [START] * num_times
    several = feed_forward.stream([{"item_id": "x"}, {"item_id": "y"}])
    single = feed_forward.stream()

    for stream in (several, single):
        with refused(stream, ValueError, "timestamp"):
            stream.update_many([1.0, 2.0], times)


def test_a_mapping_of_values_needs_a_mapping_of_times(feed_forward):
    stream = feed_forward.stream([{"item_id": "x"}, {"item_id": "y"}])

    with refused(stream, ValueError, "timestamps must be of the same series"):
        stream.update_many({"x": 1.0, "y": 2.0}, {"x": START})
    with refused(stream, ValueError, "timestamps must be of the same series"):
        stream.update_many({"x": 1.0, "y": 2.0}, {"x": START, "Y": START})
    with refused(stream, TypeError, "must be a mapping by item_id where"):
        stream.update_many({"x": 1.0, "y": 2.0}, [START, START])
    with refused(stream, TypeError, "must be a list where the values are one"):
        stream.update_many([1.0, 2.0], {"x": START, "y": START})


@pytest.mark.parametrize(
    "values, timestamps, match",
    [
        ([1.0, 2.0, "oops"], None, "must be a number, or NaN"),
        ([1.0, 2.0], [START + 40, START + 40], "came twice"),
        ([1.0, 2.0], [START + 41, START + 40], "came late"),
        ("12", None, "values must be a list of numbers, got '12'"),
        (3.0, None, "values must be a list of numbers, got 3.0"),
    ],
)
def test_values_that_follow_one_another_come_all_or_none(
    feed_forward, values, timestamps, match
):
    stream = feed_forward.stream(beginning(entries()[0], 40))

    with refused(stream, ValueError, match):
        stream.update_many(values, timestamps)


def test_gaps_between_values_that_follow_one_another(feed_forward):
    one, other = (
        feed_forward.stream(beginning(entries()[0], 40)) for _ in range(2)
    )
    times = [None, START + 43, None]

    readings = one.update_many([9.0, 8.0, 7.0], times)

    pairs = zip([9.0, 8.0, 7.0], times)
    assert_same_readings(readings, [other.update(*pair) for pair in pairs])
    assert one.to_dict() == other.to_dict()


def test_labels_of_several_series(feed_forward):
    names = ["x", "y"]
    one, two = (
        feed_forward.stream([{**entries()[0], "item_id": x} for x in names])
        for _ in range(2)
    )

    listed = one.update_many([90.0, 9.0], labels=[0, 1])
    mapped = two.update_many({"y": 9.0, "x": 90.0}, labels={"x": 0, "y": 1})

    assert [reading.probability for reading in listed] == [0.0, 1.0]
    assert_same_readings(listed, [mapped[name] for name in names])


def test_an_unknown_series_is_named(feed_forward):
    stream = feed_forward.stream([{"item_id": "x"}, {"item_id": "y"}])

    with refused(
        stream,
        KeyError,
        "one of the series of the stream, got 'z'; begin a stream with it",
    ):
        stream.update_many({"x": 1.0, "z": 2.0})


@pytest.mark.parametrize("method", ["update", "score"])
def test_one_value_is_not_enough_for_several(feed_forward, method):
    stream = feed_forward.stream([{"item_id": "x"}, {"item_id": "y"}])

    with refused(
        stream,
        TypeError,
        f"{method} needs a stream of one series, got one of 2; use "
        "update_many",
    ):
        getattr(stream, method)(1.0)


def test_names_are_unique(feed_forward):
    with pytest.raises(
        ValueError, match="item_ids must be unique in a stream, got 'x' twice"
    ):
        feed_forward.stream([{"item_id": "x"}, {}, {"item_id": "x"}])


def test_nothing_to_watch_is_nothing_to_say(feed_forward):
    stream = feed_forward.stream([])

    assert stream.update_many([]) == []
    assert stream.update_many({}) == {}
    assert stream.forecast() == []


# Looking without touching


@predictors(FAST + UNROLLED + OTHERS)
def test_a_score_changes_nothing(predictor):
    entry = entries()[1]
    stream = predictor.stream(beginning(entry, 38))
    for x in (*entry["target"][38:46], 1e6, None):
        before = stream.to_dict()

        score = stream.score(x)

        assert stream.to_dict() == before
        assert_equal(tuple(score), tuple(stream.update(x)))
        assert stream.to_dict() != before


def test_a_score_may_have_a_label(feed_forward):
    stream = feed_forward.stream(beginning(entries()[0], 40))

    assert stream.score(1e6).is_anomaly
    assert stream.score(1e6, label=0).probability == 0
    assert stream.score(10.0, label=1).probability == 1


# Forecasts


@predictors(FAST + UNROLLED + OTHERS)
@pytest.mark.parametrize("settings", [{}, {"recalibrate": False}], ids=str)
def test_forecasts_are_those_of_the_whole_series(predictor, settings):
    series = entries()
    # Chance as the caller has it: the same for both.
    predictor = like(predictor, seed=None)
    is_network = hasattr(predictor.base, "prediction_net")
    samples = {"num_samples": 20} if is_network else {}
    with seeded(3):
        expected = list(
            predictor.predict(
                series,
                threshold=0.9,
                whole_history=True,
                **settings,
                **samples,
            )
        )

    stream = predictor.stream(
        [beginning(entry, 50) for entry in series], threshold=0.9, **settings
    )
    for t in range(50, LENGTH):
        stream.update_many([entry["target"][t] for entry in series])
    with seeded(3):
        told = stream.forecast(**samples)

    for ours, theirs, entry in zip(told, expected, series):
        assert type(ours) is type(theirs)
        assert ours.item_id == theirs.item_id == entry.get("item_id")
        assert ours.start_date == theirs.start_date == entry["start"] + LENGTH
        for numbers, alike in zip(
            contract.numbers_of(ours), contract.numbers_of(theirs)
        ):
            assert numbers.shape == alike.shape
            assert_allclose(numbers, alike, rtol=FOLLOWS)


@pytest.mark.parametrize(
    "num_points", [1, 5, CONTEXT - 1, CONTEXT, CONTEXT + 1]
)
def test_forecasts_of_what_has_just_begun(feed_forward, num_points):
    predictor = like(feed_forward, seed=None)
    entry = beginning(entries()[1], num_points)
    with seeded(3):
        (expected,) = predictor.predict([entry])

    stream = fed(predictor.stream(beginning(entry)), entry["target"])
    with seeded(3):
        told = stream.forecast()

    assert told.start_date == expected.start_date
    assert_allclose(told.mean, expected.mean, rtol=FOLLOWS)


def test_a_forecast_does_not_repeat_an_outlier(feed_forward):
    entry = {
        **entries()[0],
        "target": dataset("univariate", 3)[0][0]["target"],
    }
    spiked = entry["target"].copy()
    spiked[-1] += 30.0
    clean, dirty = (
        fed(feed_forward.stream(beginning(entry, 100)), x[100:])
        for x in (entry["target"], spiked)
    )

    assert dirty.tracks.lengths == clean.tracks.lengths
    difference = dirty.forecast().mean - clean.forecast().mean
    # A clean value, or what was expected of it: no more than a few sds.
    assert abs(difference).max() < 3.0


# Stopping and going on


@pytest.mark.parametrize("num_points", [0, 5, CONTEXT, 20, 53, 66])
@predictors(FAST + UNROLLED[-1:])
def test_a_stream_goes_on_where_it_has_stopped(predictor, num_points):
    series = [
        {**entry, "item_id": name} for entry, name in zip(entries(), "axyz")
    ]
    stream = predictor.stream(
        [beginning(entry) for entry in series], max_run=6
    )
    for t in range(num_points):
        last = stream.update_many([entry["target"][t] for entry in series])
    if num_points == 53:  # in the middle of a run
        assert sum(r.is_anomaly for r in last) >= 2

    again = through_json(stream)

    assert again.to_dict() == stream.to_dict()
    for t in range(num_points, min(num_points + 20, LENGTH)):
        values = {e["item_id"]: e["target"][t] for e in series}
        ours, theirs = (s.update_many(values) for s in (again, stream))
        assert_same_readings(list(ours.values()), list(theirs.values()))
    assert again.to_dict() == stream.to_dict()
    if num_points >= CONTEXT:
        contract.assert_same_forecasts(again.forecast(), stream.forecast())


@predictors(FAST + UNROLLED + OTHERS)
def test_a_stream_goes_on_with_a_predictor_from_disk(predictor, tmp_path):
    predictor.serialize(tmp_path)
    entry = entries()[1]
    stream = predictor.stream(beginning(entry, 40), threshold=0.7, max_run=2)

    again = through_json(stream, Predictor.deserialize(tmp_path))

    assert again.manner == stream.manner
    ours, theirs = (say(s, entry["target"][40:60]) for s in (again, stream))
    assert_same_readings(ours, theirs)
    assert again.to_dict() == stream.to_dict()


@pytest.mark.parametrize("max_run", [None, 0, 3, np.inf])
def test_what_was_chosen_is_remembered(feed_forward, max_run):
    entry = entries()[1]
    stream = feed_forward.stream(
        beginning(entry, 40), max_run=max_run, recalibrate=False
    )

    again = through_json(stream)

    assert again.manner == stream.manner
    ours, theirs = (say(s, entry["target"][40:]) for s in (again, stream))
    assert_same_readings(ours, theirs)


def test_labels_that_are_not_known_survive(feed_forward):
    predictor = like(feed_forward, label_field="known")
    labels = np.full(LENGTH, np.nan)
    labels[20] = 0
    entry = {**entries()[0], "known": labels}
    stream = predictor.stream(beginning(entry, 40))

    again = through_json(stream)

    ours, theirs = (say(s, entry["target"][40:]) for s in (again, stream))
    assert_same_readings(ours, theirs)


@pytest.mark.parametrize(
    "freq", ["15min", "D", "W-WED", "M", "Q-MAR", "Y-DEC"]
)
def test_calendars_of_all_kinds_survive(freq):
    start = pd.Period("2024-03-06", freq)
    target = dataset("univariate", num_series=1)[0][0]["target"]
    naive = SeasonalNaivePredictor(1, season_length=24)
    predictor = LAIPredictor.from_predictor(
        naive, [{"start": start, "target": target}], seed=0
    )
    stream = fed(predictor.stream({"start": start}), target[:30])

    again = through_json(stream)

    assert again.forecast().start_date == start + 30
    again.update(10.0, timestamp=start + 32)
    assert again.forecast().start_date == start + 33


def state_of(stream):
    return json.loads(json.dumps(stream.to_dict()))


def test_a_state_of_another_model_is_refused(feed_forward, deepar):
    state = state_of(feed_forward.stream(beginning(entries()[0], 40)))

    with pytest.raises(
        ValueError, match="must belong to the model that goes on with it"
    ):
        StreamingDetector.from_dict(state, deepar)


def test_a_state_of_other_weights_is_refused(backend):
    """They were trained alike, and what they know of series is the same."""
    data, _ = dataset("univariate", num_series=2)
    make = backend.zoo.CASES["SimpleFeedForward"].make
    one, other = (
        LAIEstimator(make(epochs=1), em=False, seed=seed).train(data)
        for seed in (0, 1)
    )
    state = state_of(one.stream(beginning(entries()[0], 40)))

    with pytest.raises(
        ValueError, match="must belong to the model that goes on with it"
    ):
        StreamingDetector.from_dict(state, other)


def test_a_state_of_another_version_is_refused(feed_forward):
    state = state_of(feed_forward.stream()) | {"version": 99}

    with pytest.raises(
        ValueError, match="must be of version 1, got 99; begin a new stream"
    ):
        StreamingDetector.from_dict(state, feed_forward)


@pytest.mark.parametrize("state", ["{}", None, {}, [], {"kind": "Predictor"}])
def test_what_is_no_state_is_refused(feed_forward, state):
    with pytest.raises(
        ValueError, match="must be what StreamingDetector.to_dict gave, got"
    ):
        StreamingDetector.from_dict(state, feed_forward)


def put(*path):
    """Damage: something else at the end of a path; nothing if it is None."""
    *way, last, value = path

    def damage(state):
        for step in way:
            state = state[step]
        if value is KeyError:
            del state[last]
        else:
            state[last] = value

    return damage


DAMAGES = {
    "no series": put("series", None),
    "a series missing": put("series", KeyError),
    "a series that is text": put("series", 0, "x"),
    "an entry missing": put("series", 0, "entry", None),
    "an entry that is a list": put("series", 0, "entry", []),
    "a start that is none": put("series", 0, "entry", "start", "period", "x"),
    "a past cut short": put("series", 0, "past", [1.0, 2.0]),
    "a past emptied": put("series", 0, "past", []),
    "a past with holes": put("series", 0, "past", 3, None),
    "a past with text": put("series", 0, "past", 3, "x"),
    "a past of pairs": put("series", 0, "past", [[1.0, 2.0]] * 20),
    "a length that is text": put("series", 0, "length", "x"),
    "a length below zero": put("series", 0, "length", -1),
    "a length of more than memory": put("series", 0, "length", 3),
    "a length without end": put("series", 0, "length", float("inf")),
    "a vigil missing": put("series", 0, "vigil", KeyError),
    "a vigil cut short": put("series", 0, "vigil", [[0.1]]),
    "a belief missing": put("series", 0, "vigil", 0, [None]),
    "a belief beyond 1": put("series", 0, "vigil", 0, [7.0]),
    "a belief too many": put("series", 0, "vigil", 0, [0.1, 0.1]),
    "a first context that is a number": put("series", 0, "first", 5),
    "no manner": put("manner", None),
    "a manner of another kind": put("manner", "speed", 9),
    "a threshold that is text": put("manner", "threshold", "x"),
    "a threshold beyond 1": put("manner", "threshold", 50),
    "a mode that looks ahead": put("manner", "mode", "smooth"),
    "a length with a half": put("series", 0, "length", 40.5),
    "a variance missing": put("series", 0, "vigil", 3, [None]),
    "a variance below zero": put("series", 0, "vigil", 3, [-4.0]),
    "a run below zero": put("series", 0, "vigil", 2, [-1.0]),
    "no first points of a new series": put("series", 0, "first", None),
    "no series at all": put("series", []),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_state_is_refused(feed_forward, damage):
    state = state_of(feed_forward.stream(beginning(entries()[1], 40)))
    DAMAGES[damage](state)

    with pytest.raises(
        ValueError, match=r"must be whole, got one that is damaged \("
    ):
        StreamingDetector.from_dict(state, feed_forward)


# Times


@predictors(FAST + UNROLLED)
def test_what_came_later_left_a_gap(predictor):
    entry = entries()[1]
    values = troubled(1)[:60]
    one, other = (predictor.stream(beginning(entry, 20)) for _ in range(2))
    for t in range(20, 60):
        if t % 7 in (1, 2, 3):
            other.update(None)
            continue
        ours = one.update(values[t], timestamp=START + t)
        assert_equal(tuple(ours), tuple(other.update(values[t])))
    # The last ones are not missing yet.
    one.update(1.0, timestamp=START + 60)
    other.update(1.0)

    assert one.to_dict() == other.to_dict()


def test_each_series_has_gaps_of_its_own(feed_forward):
    series = [
        {**entry, "item_id": name} for entry, name in zip(entries(), "abc")
    ]
    history = [beginning(entry, 40) for entry in series]
    one, other = (feed_forward.stream(history) for _ in range(2))

    ours = one.update_many(
        {"b": 3.0, "a": 4.0, "c": 5.0},
        {"b": START + 43, "a": None, "c": START + 41},
    )
    other.update_many({"b": None, "c": None})
    other.update_many({"b": None})
    other.update_many({"b": None})
    theirs = other.update_many({"b": 3.0, "a": 4.0, "c": 5.0})

    assert list(ours) == ["b", "a", "c"]
    assert_alike([ours[name] for name in "abc"], list(map(theirs.get, "abc")))
    for i in range(3):
        a, b = (s.to_dict()["series"][i]["length"] for s in (one, other))
        assert a == b == (41, 44, 42)[i]


@pytest.mark.parametrize(
    "time",
    [
        START + 42,
        str(START + 42),
        (START + 42).to_timestamp(),
        (START + 42).to_timestamp() + pd.Timedelta("59min"),
        (START + 42).to_timestamp().to_pydatetime(),
        np.datetime64((START + 42).to_timestamp()),
    ],
    ids=lambda time: type(time).__name__,
)
def test_times_of_all_kinds(feed_forward, time):
    stream = feed_forward.stream(beginning(entries()[0], 40))

    stream.update(10.0, timestamp=time)

    assert stream.to_dict()["series"][0]["length"] == 43


@pytest.mark.parametrize("minutes, num_missing", [(0, 0), (15, 1), (45, 3)])
def test_a_period_may_be_many_units(minutes, num_missing):
    """One of 15 minutes is one, not 15."""
    start = pd.Period("2024-03-01 05:00", "15min")
    target = dataset("univariate", num_series=1)[0][0]["target"]
    predictor = LAIPredictor.from_predictor(
        SeasonalNaivePredictor(1, season_length=24),
        [{"start": start, "target": target}],
        seed=0,
    )
    stream = predictor.stream({"start": start, "target": target[:4]})

    time = pd.Timestamp("2024-03-01 06:00") + pd.Timedelta(minutes, "min")
    stream.update(10.0, timestamp=time)

    assert stream.to_dict()["series"][0]["length"] == 5 + num_missing


@pytest.mark.parametrize(
    "time, match",
    [
        (START + 39, "came twice, after 2024-03-02 20:00; nothing was chan"),
        (START + 12, "came late, after 2024-03-02 20:00; nothing was chan"),
        ("2023-12-31", "points of entry 0 .* must come in order.* came late"),
        (START + 500_000, "499,960 points later; begin a new stream there"),
        ("yesterday", "must be a time, got 'yesterday'; nothing was changed"),
        (object(), "must be a time, got <object"),
        ([1, 2], "must be a time, got .1, 2.;"),
        ("", "must be a time, got ''"),
        (float("nan"), "must be a time, got nan"),
        (pd.NaT, "must be a time, got NaT"),
        (pd.Period("2024-03-04", "D"), "must have frequency 'h'.*got 'D'"),
    ],
    ids=lambda x: f"{x!s:.14}",
)
def test_times_that_cannot_be_are_refused(feed_forward, time, match):
    entry = entries()[0]
    stream = feed_forward.stream(beginning(entry, 40))

    with refused(stream, ValueError, match):
        stream.update(10.0, timestamp=time)

    undisturbed = feed_forward.stream(beginning(entry, 40))
    assert_equal(
        tuple(stream.update(10.0, timestamp=START + 40)),
        tuple(undisturbed.update(10.0)),
    )


@pytest.mark.parametrize("time", ["yesterday", "", float("nan"), pd.NaT])
def test_a_stream_cannot_begin_at_no_time(feed_forward, time):
    stream = feed_forward.stream()

    with refused(stream, ValueError, "must be a time, got"):
        stream.update(10.0, timestamp=time)


def test_a_time_that_is_wrong_in_one_is_wrong_for_all(feed_forward):
    stream = feed_forward.stream(
        [{"item_id": "new"}, {"item_id": "x", "start": START}]
    )

    with refused(
        stream, ValueError, r"points of entry 1 \('x'\) must come in"
    ):
        stream.update_many([1.0, 2.0], [START, START - 1])


def test_a_label_that_is_wrong_in_one_is_wrong_for_all(feed_forward):
    times, labels = {"new": START, "x": START + 5}, {"new": None, "x": 7}
    series = [{"item_id": "new"}, {"item_id": "x", "start": START}]
    stream = feed_forward.stream(series)

    with refused(stream, ValueError, "a label must be 1 .*got 7; nothing was"):
        stream.update_many({"new": 1.0, "x": 2.0}, times, labels)
    with refused(stream, ValueError, "a label must be 1 .*got 7; nothing was"):
        stream.update_many([1.0, 2.0], [*times.values()], [*labels.values()])


def test_time_begins_with_the_first_one(deepar):
    entry = entries()[1]
    del entry["start"]
    one = deepar.stream({**entry, "target": np.zeros(0)})
    other = deepar.stream(beginning(entries()[1]))

    for t in range(30):
        x = entry["target"][t]
        ours = one.update(x, timestamp=START if t == 0 else None)
        assert_equal(tuple(ours), tuple(other.update(x)))
    assert one.to_dict() == other.to_dict()
    assert one.forecast().start_date == START + 30


def test_a_model_with_a_calendar_must_know_when_a_series_begins(deepar):
    stream = deepar.stream({"item_id": "x"})
    message = r"must know when entry 0 \('x'\) begins; give a history with a"

    for ask in (
        lambda: stream.update(1.0),
        lambda: stream.score(1.0),
        lambda: stream.update_many([1.0]),
        stream.forecast,
    ):
        with refused(stream, ValueError, message):
            ask()
    several = deepar.stream([{"start": START}, {}])
    with refused(several, ValueError, "must know when entry 1 begins"):
        several.update_many([1.0, 2.0])


def test_a_model_without_a_calendar_need_not_know(feed_forward):
    entry = entries()[1]
    one = feed_forward.stream()
    other = feed_forward.stream(beginning(entry))

    ours, theirs = (say(s, entry["target"]) for s in (one, other))

    assert_same_readings(ours, theirs)
    assert any(reading.is_anomaly for reading in ours)


@lru_cache(maxsize=None)
def daily(backend):
    data, _ = dataset("univariate", num_series=2)
    data = [{**e, "start": pd.Period("2024-01-01", "D")} for e in data]
    make = BACKENDS[backend].zoo.CASES["SimpleFeedForward"].make
    with env._let(use_tqdm=False):
        return LAIEstimator(make(epochs=1), seed=0).train(data)


def test_time_does_not_begin_after_the_first_point(backend):
    """Or all days since 1970 would be missing."""
    stream = fed(daily(backend.name).stream(), troubled()[:20])

    with refused(stream, ValueError, "when entry 0 begins"):
        stream.update(10.0, timestamp="2024-03-01")


# Values


@pytest.mark.parametrize(
    "value, match",
    [
        ("high", "must be a number, or NaN where it is missing, got 'high'"),
        ({"x": 1.0}, "must be a number, or NaN where it is missing, got {'x"),
        (object(), "must be a number, or NaN where it is missing, got <obje"),
        (1j, "must be a number, or NaN where it is missing, got 1j"),
        (np.complex128(1), "must be a number, or NaN where it is missing"),
        (np.datetime64("2024"), "must be a number, or NaN where it is miss"),
        (10**400, "a value must be"),
        (np.inf, "must be finite, or NaN where it is missing, got inf"),
        (-np.inf, "must be finite, or NaN where it is missing, got -inf"),
        ("inf", "must be finite, or NaN where it is missing, got 'inf'"),
        (1e200, r"must lie within ±3.4e\+38, got 1e\+200; nothing was chan"),
        ([1.0, 2.0], r"must be a single number, got shape \(2,\); to feed"),
        ([], r"must be a single number, got shape \(0,\); to feed several"),
        ([[1.0]], r"must be a single number, got shape \(1, 1\); to feed"),
    ],
    ids=lambda value: f"{value!r:.12}",
)
def test_values_that_cannot_be_are_refused(feed_forward, value, match):
    entry = entries()[0]
    stream = feed_forward.stream(beginning(entry, 40))
    several = feed_forward.stream([{"item_id": "x"}, {"item_id": "y"}])

    with refused(stream, ValueError, match):
        stream.update(value)
    with refused(stream, ValueError, match):
        stream.update(value, timestamp=START + 45)
    with refused(stream, ValueError, match):
        stream.score(value)
    with refused(several, ValueError, match):
        several.update_many([1.0, value])
    with refused(several, ValueError, match):
        several.update_many({"y": value, "x": 1.0})

    undisturbed = feed_forward.stream(beginning(entry, 40))
    assert_equal(tuple(stream.update(9.0)), tuple(undisturbed.update(9.0)))


@pytest.mark.parametrize(
    "value",
    ["9.5", "95e-1", Decimal("9.5"), np.float32(9.5), np.array(9.5)],
    ids=lambda value: type(value).__name__,
)
def test_numbers_of_all_kinds_are_numbers(feed_forward, value):
    one, other = (
        feed_forward.stream(beginning(entries()[0], 40)) for _ in range(2)
    )

    assert_equal(tuple(one.update(value)), tuple(other.update(9.5)))
    assert one.to_dict() == other.to_dict()


@pytest.mark.parametrize(
    "value", [None, np.nan, "nan", np.float32("nan"), np.ma.masked]
)
def test_nothing_is_missing(feed_forward, value):
    stream = feed_forward.stream(beginning(entries()[0], 40))
    believed = stream.score(np.nan).probability

    reading = stream.update(value)

    assert reading.probability == believed
    assert np.isnan(reading.log_density)
    assert np.isfinite(reading.expected)
    assert stream.to_dict()["series"][0]["length"] == 41


@pytest.mark.parametrize("label", [2, -0.5, "certain", np.inf, [0.0, 1.0]])
def test_labels_that_cannot_be_are_refused(feed_forward, label):
    stream = feed_forward.stream(beginning(entries()[0], 40))

    with refused(stream, ValueError, "label"):
        stream.update(10.0, timestamp=START + 45, label=label)


def test_a_far_outlier_leaves_nothing_behind(feed_forward):
    entry = entries()[0]
    one, other = (feed_forward.stream(beginning(entry, 40)) for _ in range(2))

    far = one.update(1e38)
    other.update(None)

    assert far.probability == 1 and far.is_anomaly
    for x in entry["target"][41:50]:
        ours, theirs = one.update(x), other.update(x)
        assert np.isfinite(ours.probability)
        if not np.isnan(ours.expected):
            assert_allclose(ours.expected, theirs.expected, rtol=0.3)


def test_a_stuck_sentinel_never_reaches_the_network(feed_forward):
    stream = feed_forward.stream(beginning(entries()[0], 40))

    readings = say(stream, [LARGEST] * 30 + [9.0])

    told = columns(readings)
    assert np.isfinite(told.probability).all()
    assert np.isfinite(told.expected).all()
    assert (told.probability[:30] > 0.99).all()
    assert np.isfinite(stream.forecast().mean).all()


# What a model is told besides


@pytest.mark.parametrize("backend", BACKENDS)
def test_features_may_run_out(backend):
    predictor = trained(backend, "FEATURES")
    entry = {**entries()[0], **features(32)}
    stream = predictor.stream(beginning(entry, 31))
    message = r"field 'feat_dynamic_real' of entry 0 \('a'\) must reach up to"

    with refused(stream, ValueError, message + " point 34, got 32; begin"):
        stream.forecast()
    with refused(stream, ValueError, message + " point 33, got 32; begin"):
        stream.update(10.0, timestamp=START + 32)
    assert np.isfinite(stream.update(10.0).expected)
    with refused(stream, ValueError, message + " point 33, got 32; begin"):
        stream.update(10.0)
    with refused(stream, ValueError, message + " point 33, got 32; begin"):
        stream.score(10.0)
    del entry["start"]
    entry["feat_dynamic_real"] = np.zeros((1, 0))
    stream = predictor.stream(beginning(entry))
    with refused(stream, ValueError, message + " point 1, got 0; begin"):
        stream.update(10.0, timestamp=START)


@pytest.mark.parametrize("backend", BACKENDS)
def test_features_may_reach_further_than_a_forecast(backend):
    predictor = trained(backend, "FEATURES")
    near, far = (
        predictor.stream(beginning({**entries()[0], **features(60)}, 50))
        for _ in range(2)
    )
    known = far.tracks.entries[0]["feat_dynamic_real"]
    near.tracks.entries[0]["feat_dynamic_real"] = known[
        :, : 50 + predictor.prediction_length
    ]

    assert_allclose(near.forecast().mean, far.forecast().mean)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_feature_that_is_missing_is_named(backend):
    predictor = trained(backend, "FEATURES")

    with pytest.raises(
        ValueError, match="must have the field 'feat_static_cat'"
    ):
        list(predictor.detect([entries()[0]]))


# How much is remembered


def sizes(stream, numbers):
    """How much is remembered after so many points."""
    rng = np.random.default_rng(0)
    length = 0
    for num_points in numbers:
        for value in 10 + rng.normal(size=num_points - length):
            stream.update(value)
        length = num_points
        yield len(json.dumps(stream.to_dict(), allow_nan=False))


@pytest.mark.parametrize(
    "predictor, item_id, numbers",
    [
        *((case, "a", (200, 2_000)) for case in FAST),
        *((case, "new", (200, 2_000)) for case in FAST),
        *((case, "new", (100, 200)) for case in UNROLLED + OTHERS[:1]),
    ],
    ids=lambda x: f"{x!s:.14}",
    indirect=["predictor"],
)
def test_memory_does_not_grow(predictor, item_id, numbers):
    stream = predictor.stream({"item_id": item_id, "start": START})

    before, after = sizes(stream, numbers)

    (state,) = stream.to_dict()["series"]
    assert len(state["past"]) <= predictor.nominal().reach < numbers[0]
    num_numbers = len(state["past"]) + len(state["first"] or ()) + 8
    # Numbers of 17 digits, of which some may be short.
    assert abs(after - before) <= 5 * num_numbers
    assert after < 22 * num_numbers + 1_000


# Models that draw, and series of vectors


WORK = {
    "mx": ["MQCNN", "MLPForecaster"],
    "torch": ["SimpleFeedForwardQuantiles", "DeepNPTS"],
}


@pytest.mark.parametrize(
    "backend, name",
    [(backend, name) for backend in BACKENDS for name in WORK[backend]],
)
def test_models_that_draw_can_be_watched(backend, name):
    predictor = trained(backend, name)
    entry = entries()[0]
    (detection,) = predictor.detect([entry])

    stream, other = (predictor.stream(beginning(entry, 40)) for _ in range(2))
    np.random.random(3)
    chance = np.random.get_state()
    readings = say(stream, entry["target"][40:50])

    contract.assert_same_chance(chance, np.random.get_state())
    assert_same_readings(readings, say(other, entry["target"][40:50]))
    probability = columns(readings).probability
    assert np.isfinite(probability).all()
    # What was drawn is not the same, but alike: ten numbers that have nothing
    # to do with each other correlate so much once in 150 times.
    ranks = np.corrcoef(probability, detection.probability[40:50])
    assert ranks[0, 1] > 0.75 or np.ptp(probability) < 0.1
    ours, theirs = stream.forecast(), next(predictor.predict([entry]))
    assert ours.start_date == START + 50
    for numbers, alike in zip(
        contract.numbers_of(ours), contract.numbers_of(theirs)
    ):
        assert numbers.shape == alike.shape
        assert np.isfinite(numbers).all()
    assert_same_readings(
        [through_json(stream).update(5.0)], [stream.update(5.0)]
    )


def test_the_same_seed_gives_the_same_stream():
    """Also where it is only seen from forecasts that they are drawn."""
    data, _ = dataset("univariate", rate=0.04, num_series=2)
    drawn = NPTSPredictor(1, context_length=30, use_seasonal_model=False)
    predictor = LAIPredictor.from_predictor(drawn, data, seed=0)
    target = troubled()[:30]

    np.random.seed(1)
    first = say(predictor.stream({"start": START}), target)
    np.random.seed(2)
    chance = np.random.get_state()
    second = say(predictor.stream({"start": START}), target)

    assert np.isfinite(first[-1].expected)
    assert_same_readings(first, second)
    contract.assert_same_chance(chance, np.random.get_state())


VECTORS = {"mx": "DeepVAR", "torch": "ITransformer"}


@lru_cache(maxsize=None)
def multivariate(backend):
    data, _ = dataset("multivariate", rate=0.03)
    make = BACKENDS[backend].zoo.CASES[VECTORS[backend]].make
    with env._let(use_tqdm=False):
        return LAIEstimator(make(epochs=2), seed=0).train(data)


def test_vectors_can_be_watched(backend):
    predictor = multivariate(backend.name)
    target = dataset("multivariate", 1)[0][0]["target"].astype(float)[:, :74]
    target[1, 70] += 30.0
    target[2, 68] = np.nan
    entry = {"item_id": "new", "start": START, "target": target}
    (detection,) = predictor.detect([entry])

    stream = predictor.stream(beginning(entry, 66))
    scores, readings = [], []
    for t in range(66, 74):
        scores.append(stream.score(target[:, t]))
        readings.append(stream.update(list(target[:, t])))

    assert_same_readings(scores, readings)
    for reading in readings:
        for numbers in reading:
            assert numbers.shape == (NUM_DIMS,)
        assert np.isfinite(reading.probability).all()
    if not predictor.nominal().is_random:
        assert_as_detected(readings, detection, 66)
    again = through_json(stream)
    assert_same_readings(
        [again.update([9.0, None, 9.0])], [stream.update([9.0, np.nan, 9.0])]
    )
    forecast = stream.forecast()
    assert forecast.start_date == START + 75
    (expected,) = predictor.predict([entry])
    assert forecast.mean.shape == expected.mean.shape


def test_dimensions_may_begin_one_after_the_other(backend):
    predictor = multivariate(backend.name)
    target = dataset("multivariate", 1)[0][0]["target"].astype(float)[:, :74]
    target[1, :5] = np.nan
    target[2, : CONTEXT + 1] = 7.0
    target[:, 70] += 30.0
    entry = {"item_id": "new", "start": START, "target": target}
    (detection,) = predictor.detect([entry])

    stream = predictor.stream(beginning(entry))
    readings = []
    for t in range(74):
        if t % 9 == 0:
            stream = through_json(stream)
        readings.append(stream.update(target[:, t]))

    told = columns(readings)
    for told_of, begin in zip(told.expected, (0, 5, CONTEXT + 1)):
        assert np.isnan(told_of[: begin + CONTEXT]).all()
        assert np.isfinite(told_of[begin + CONTEXT :]).all()
    assert_array_equal(np.isnan(told.expected), np.isnan(detection.expected))
    if not predictor.nominal().is_random:
        assert_as_detected(readings, detection)


@pytest.mark.parametrize(
    "value, match",
    [
        (1.0, r"must be 3 numbers, got shape \(\)"),
        ([1.0, 2.0], r"must be 3 numbers, got shape \(2,\)"),
        ([1.0, np.inf, 2.0], "must be finite, or NaN where it is missing"),
        ([1.0, "x", 2.0], "must be a number, or NaN where it is missing"),
    ],
    ids=lambda x: f"{x!s:.14}",
)
def test_vectors_have_as_many_numbers_as_in_training(backend, value, match):
    stream = multivariate(backend.name).stream({"start": START})

    with refused(stream, ValueError, match):
        stream.update(value)


# What cannot be chosen


@pytest.mark.parametrize(
    "settings, match",
    [
        ({"threshold": 1.0}, "threshold must lie strictly between 0 and 1"),
        ({"max_run": -1}, "max_run must be at least 0, got -1"),
        (
            {"history": {"start": pd.Period("2024", "D")}},
            "frequency of entry 0 must be 'h', as in training, got 'D'",
        ),
        (
            {"history": {"start": START, "target": [1.0, np.inf]}},
            "target of entry 0 must be finite",
        ),
    ],
    ids=lambda x: f"{x!s:.14}",
)
def test_settings_are_checked_first(feed_forward, settings, match):
    with pytest.raises(ValueError, match=match):
        feed_forward.stream(**settings)
