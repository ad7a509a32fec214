"""
What a trained model says of new data, and how it forecasts from them.
"""

import copy

import numpy as np
import pandas as pd
import pytest
from gluonts.dataset.common import ListDataset

from gluonts_lai import LAIEstimator
from gluonts_lai.detector import Manner
from gluonts_lai.panel import Panel
from gluonts_lai.predictor import BURN_IN
from tests.series import CONTEXT, dataset

HORIZON = 3
LENGTH = 400
NETWORKS = {
    "mx": ["SimpleFeedForwardGaussian", "DeepAR"],
    "torch": ["SimpleFeedForward", "DeepAR"],
}
EPOCHS = {"DeepAR": 5}  # it takes its time


def train(backend, name, data, epochs=15, validation=None, **settings):
    make = backend.zoo.CASES[name].make
    network = make(
        epochs=epochs,
        prediction_length=HORIZON,
        learning_rate=5e-3,
        num_batches_per_epoch=20,
    )
    estimator = LAIEstimator(network, seed=0, **settings)
    return estimator.train_model(data, validation)


@pytest.fixture(scope="module")
def data():
    return list(dataset("univariate", num_series=2, length=LENGTH)[0])


@pytest.fixture(scope="module", params=[0, 1], ids=["feed_forward", "deepar"])
def predictor(request, backend, data):
    name = NETWORKS[backend.name][request.param]
    epochs = EPOCHS.get(name, 15)
    return train(backend, name, data, epochs).predictor


@pytest.fixture(scope="module")
def simple(backend):
    """Trained on the same series with spikes, so that it knows of any."""
    hit, _ = dataset("univariate", num_series=2, length=LENGTH, rate=0.03)
    return train(backend, NETWORKS[backend.name][0], list(hit))


def unfiltered(predictor):
    plain = copy.copy(predictor)
    plain.filters = False
    return plain


def numbers(forecast):
    """All that a forecast says."""
    if hasattr(forecast, "samples"):
        return forecast.samples
    return np.asarray(forecast.mean)


def spiked(entry, *places, size=15.0):
    target = entry["target"].copy()
    target[list(places)] += size
    return {**entry, "target": target}


# Forecasts


def test_a_clean_context_gives_the_unfiltered_forecast(predictor, data):
    """To the bit, as nothing was replaced."""
    # Networks as young as these are sure of nothing.
    threshold = 1 - 1e-9
    panel = Panel.of(data)
    targets = predictor.clean(panel, Manner(threshold=threshold), False)
    for entry, target in zip(data, targets.entries):
        np.testing.assert_array_equal(target, entry["target"])

    ours = list(predictor.predict(data, threshold=threshold))
    theirs = list(unfiltered(predictor).predict(data))

    for forecast, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(numbers(forecast), numbers(other))
        assert forecast.start_date == other.start_date


def test_a_spike_in_the_context_hardly_moves_a_forecast(simple, data):
    predictor = simple.predictor
    hit = [spiked(entry, LENGTH - 2, LENGTH - 5) for entry in data]

    clean = [f.mean for f in predictor.predict(data)]
    filtered = [f.mean for f in predictor.predict(hit)]
    raw = [f.mean for f in unfiltered(predictor).predict(hit)]

    moved, thrown = (
        np.abs(np.array(means) - clean).mean() for means in (filtered, raw)
    )
    assert moved < 0.2 * thrown


def test_forecasts_have_the_digits_in_which_a_series_moves(simple, data):
    """A counter beyond 10⁹ is a constant in single precision."""
    target = data[0]["target"].astype(float)
    low, high = (
        {**data[0], "item_id": "new", "target": target + start}
        for start in (0.0, 2.0**31)
    )

    (expected,) = simple.predictor.predict([low])
    (forecast,) = simple.predictor.predict([high])

    width = 1e-4 * target.std()  # networks have single precision inside
    assert np.ptp(expected.mean) > width
    for found, wanted in (
        (forecast.mean, expected.mean),
        (forecast.quantile(0.9), expected.quantile(0.9)),
    ):
        np.testing.assert_allclose(found - 2.0**31, wanted, atol=width)


def test_only_as_much_is_filtered_as_a_forecast_needs(simple, data):
    predictor = simple.predictor
    long = np.tile(data[0]["target"], 4)
    far, near = 100, len(long) - 5
    entry = spiked({**data[0], "target": long}, far, near)
    panel = Panel.of([entry])

    end = predictor.clean(panel, Manner(), whole_history=False).entries[0]
    whole = predictor.clean(panel, Manner(), whole_history=True).entries[0]

    assert end[far] == entry["target"][far] != whole[far]
    assert end[near] == pytest.approx(whole[near], rel=1e-3)
    untouched = len(long) - predictor.nominal().reach - BURN_IN
    np.testing.assert_array_equal(end[:untouched], entry["target"][:untouched])
    ours, theirs = (
        next(predictor.predict([entry], whole_history=option)).mean
        for option in (False, True)
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-3)


def test_a_threshold_of_its_own_rules_what_is_replaced(simple, data):
    predictor = simple.predictor
    entry = spiked(data[0], LENGTH - 3, size=8.0)
    (detection,) = predictor.detect([entry])
    p = detection.probability[LENGTH - 3]
    assert p > 0.5

    (plain,) = unfiltered(predictor).predict([entry])
    (above,) = predictor.predict([entry], threshold=1 - 1e-16)
    (below,) = predictor.predict([entry], threshold=0.5)

    np.testing.assert_array_equal(numbers(above), numbers(plain))
    assert np.abs(below.mean - plain.mean).max() > 0.1


# Detections


def test_bands_hold_most_nominal_points(simple, data):
    for detection in simple.predictor.detect(data):
        known = ~np.isnan(detection.expected)
        assert known.sum() == LENGTH - CONTEXT
        x = detection.value[known]
        low, high = detection.lower[known], detection.upper[known]
        assert (low < detection.expected[known]).all()
        assert (detection.expected[known] < high).all()
        # 95 %, of a network that is calibrated on 40 points a series.
        assert 0.85 < np.mean((low <= x) & (x <= high)) <= 1.0


def test_what_comes_later_changes_nothing(simple, data):
    """Also of a series that was not in training."""
    for name in ("a", "new"):
        whole = spiked({**data[0], "item_id": name}, 150, 300)
        part = {**whole, "target": whole["target"][:200]}
        later, then = simple.predictor.detect([whole, part])
        np.testing.assert_allclose(
            later.probability[:200], then.probability, atol=1e-6
        )


def test_a_new_series_is_seen_in_its_own_units(simple, data):
    entry = {**spiked(data[0], 150, 300), "item_id": "new"}
    other = {**entry, "target": 1_000 * entry["target"] - 5e5}

    one, two = simple.predictor.detect([entry, other])

    # Single precision, of numbers that are 100 times their deviations.
    np.testing.assert_allclose(one.probability, two.probability, atol=0.02)
    found = np.flatnonzero(one.probability > 0.5)
    assert {150, 300} <= set(found)


def test_detections_come_a_few_series_at_a_time(simple, data, monkeypatch):
    monkeypatch.setattr("gluonts_lai.panel.panel.MAX_ENTRIES", 2)
    read = []

    def endless():
        while True:
            read.append(1)
            yield data[len(read) % 2]

    detections = simple.predictor.detect(endless())
    assert not read
    next(detections)

    assert len(read) == 2


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"threshold": 1.0}, "threshold must lie strictly between 0 and 1"),
        ({"max_run": -1}, "max_run must be at least 0"),
        ({"num_particles": -1}, "num_particles must be at least 0"),
        ({"mode": "smooth", "num_particles": 4}, "need mode='filter', got"),
        ({"mode": "smooth", "recalibrate": True}, "need mode='filter', got"),
    ],
)
def test_what_cannot_be_had_is_refused_at_once(
    simple, data, settings, message
):
    with pytest.raises(ValueError, match=message):
        simple.predictor.detect(data, **settings)


def test_another_frequency_is_refused(simple, data):
    daily = ListDataset(
        [{"start": "2024-01-01", "target": data[0]["target"]}], freq="D"
    )
    message = "frequency of entry 0 must be .*, as in training, got 'D'"
    for ask in (
        lambda: list(simple.predictor.predict(daily)),
        lambda: list(simple.predictor.detect(daily)),
        lambda: simple.predictor.stream(next(iter(daily))),
    ):
        with pytest.raises(ValueError, match=message):
            ask()


@pytest.mark.parametrize(
    "wrong, message",
    [
        (
            {"start": "2024-01-01"},
            "start of entry 0 must be a pandas.Period, got '2024-01-01'; give",
        ),
        (
            {"target": np.zeros((2, 40))},
            r"target of entry 0 must have shape \('time',\), as in training",
        ),
    ],
)
def test_entries_of_another_kind_are_refused(simple, wrong, message):
    start = pd.Period("2024-01-01 00", freq="h")
    entry = {"start": start, "target": np.zeros(40), **wrong}
    for ask in (
        lambda: list(simple.predictor.predict([entry])),
        lambda: list(simple.predictor.detect([entry])),
        lambda: simple.predictor.stream(entry),
    ):
        with pytest.raises(ValueError, match=message):
            ask()


def test_particles_find_what_a_filter_finds(simple, data):
    entry = spiked(data[0], 150, 300)

    (one,) = simple.predictor.detect([entry])
    (many,) = simple.predictor.detect([entry], num_particles=8)
    (again,) = simple.predictor.detect([entry], num_particles=8)

    assert (one.probability[[150, 300]] > 0.5).all()
    assert (many.probability[[150, 300]] > 0.5).all()
    np.testing.assert_array_equal(many.probability, again.probability)
    assert np.corrcoef(one.probability, many.probability)[0, 1] > 0.9


# Calibration


def test_the_history_tells_of_calibration(simple):
    widening = simple.history.to_frame().widening

    assert widening.iloc[0] == pytest.approx(1.2)  # before it
    profiles = simple.predictor.profiles.known.values()
    told = np.exp(np.mean(np.log([p.widening for p in profiles])))
    assert widening.iloc[-1] == pytest.approx(told)


def test_calibration_can_be_turned_off(backend, data):
    name = NETWORKS[backend.name][0]
    output = train(backend, name, data, epochs=2, calibration=False)

    assert set(output.history.to_frame().widening) == {1.0}
    for profile in output.predictor.profiles.known.values():
        assert profile.widening == profile.tail == 1.0


def test_validation_data_tell_how_sure_a_network_may_be(backend, data):
    """Series that become noisier after training; one of them much more."""
    rng = np.random.default_rng(0)
    later = [
        np.append(e["target"], e["target"][-120:] + noise)
        for e, noise in zip(data, rng.normal(size=(2, 120)) * [[0.1], [1.2]])
    ]
    validation = [{**e, "target": x} for e, x in zip(data, later)]
    name = NETWORKS[backend.name][0]

    before = train(backend, name, data).predictor.profiles.known
    after = train(backend, name, data, validation=validation)

    found = after.predictor.profiles.known
    assert found["b"].widening > 1.3 * before["b"].widening
    assert found["b"].widening > 1.3 * found["a"].widening
    told = after.history.to_frame().widening.iloc[-1]
    assert told == pytest.approx(
        np.sqrt(found["a"].widening * found["b"].widening)
    )


def test_what_is_held_out_is_learned_from_in_the_end(backend, data):
    """The tail has a season of its own; no epoch on it, no idea of it."""
    tail = LENGTH // 10
    odd = [
        {**e, "target": np.append(e["target"][:-tail], 30 + np.arange(tail))}
        for e in data
    ]
    name = NETWORKS[backend.name][0]
    observed = []

    def spy(clean):
        observed.append(
            [bool(entry[-tail:].any()) for entry in clean.observed.entries]
        )
        return clean

    from gluonts_lai.em import MonteCarloEM

    plain = MonteCarloEM.train

    def train_and_tell(self):
        for clean in plain(self):
            yield spy(clean)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MonteCarloEM, "train", train_and_tell)
        train(backend, name, odd, epochs=10)

    assert observed[:8] == [[False] * 2] * 8
    assert all(map(any, observed[8:])) and len(observed) >= 10
