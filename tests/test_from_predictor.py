"""
Predictors that are not trained here find anomalies, too.
"""

import logging

import numpy as np
import pandas as pd
import pytest
from gluonts.core.component import validated
from gluonts.env import env
from gluonts.model.forecast import SampleForecast
from gluonts.model.npts import NPTSPredictor
from gluonts.model.predictor import Predictor, RepresentablePredictor
from gluonts.model.seasonal_naive import SeasonalNaivePredictor
from gluonts.model.trivial.constant import ConstantPredictor
from gluonts.model.trivial.mean import MeanPredictor
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from gluonts_lai import (
    GaussianMixture,
    IndicatorChain,
    LAIEstimator,
    LAIPredictor,
    Uniform,
)
from gluonts_lai.backends import seeded
from gluonts_lai.panel import panel
from gluonts_lai.predictor import all_but_base
from tests import contract
from tests.series import dataset


def prophet(prediction_length=48):
    pytest.importorskip("prophet")
    from gluonts.ext.prophet import ProphetPredictor

    logging.getLogger("prophet").setLevel(logging.ERROR)
    logging.getLogger("cmdstanpy").setLevel(logging.ERROR)
    return ProphetPredictor(prediction_length)


def croston():
    pytest.importorskip("statsforecast")
    from gluonts.ext.statsforecast import CrostonSBAPredictor

    # Without levels it knows its mean alone.
    return CrostonSBAPredictor(prediction_length=6)


CASES = {
    "SeasonalNaive": lambda: SeasonalNaivePredictor(3, season_length=24),
    "NPTS": lambda: NPTSPredictor(24),
    "Mean": lambda: MeanPredictor(3, context_length=48),
    "Prophet": prophet,
    "Croston": croston,
}
RATE = 0.03


@pytest.fixture(autouse=True)
def no_progress_bar():
    with env._let(use_tqdm=False):
        yield


@pytest.fixture(scope="module")
def spiked():
    data, labels = dataset("univariate", rate=RATE, num_series=2, length=168)
    return contract.read_only(data), labels


@pytest.fixture(scope="module", params=CASES)
def learned(request, spiked):
    with env._let(use_tqdm=False):
        base = CASES[request.param]()
        return LAIPredictor.from_predictor(base, spiked[0], seed=0)


def test_spikes_rank_above_other_points(learned, spiked):
    # 0.5 for a coin; a mean of two days knows nothing of the hour.
    assert better(learned, *spiked) > 0.9


def better(predictor, data, labels):
    """How often a spike has a higher score than another point."""
    scores = [d.score for d in predictor.detect(data, "smooth")]
    # What comes before the first forecast has the score of the chain alone.
    judged = slice(predictor.context_length, None)
    truth = np.concatenate([label[judged] for label in labels]) == 1
    score = np.concatenate([score[judged] for score in scores])
    return (score[truth][:, None] > score[~truth]).mean()


def test_forecasts_are_those_of_the_base_from_clean_contexts(learned, spiked):
    data, _ = spiked

    contract.check_forecasts(contract.only(learned), data)
    cleaned = [detection.cleaned for detection in learned.detect(data)]
    for entry, clean in zip(data, cleaned):
        assert clean.shape == entry["target"].shape
        assert np.isfinite(clean).all()


def test_it_is_the_same_after_a_trip_to_disk(learned, spiked, tmp_path):
    data, _ = spiked
    learned.serialize(tmp_path)

    again = LAIPredictor.deserialize(tmp_path)

    assert again == learned
    contract.assert_same_forecasts(again.predict(data), learned.predict(data))
    contract.assert_same_detections(again.detect(data), learned.detect(data))


def test_predictors_that_differ_are_not_equal(spiked):
    """In what they learned, in what they were told, in their base."""
    data, _ = spiked

    def learned(season_length=24, **settings):
        base = SeasonalNaivePredictor(3, season_length=season_length)
        return LAIPredictor.from_predictor(base, data, seed=0, **settings)

    one = learned()
    assert one == learned()
    for other in (
        learned(chain=IndicatorChain.from_prior(0.2)),
        learned(label_field=None, treatment="mask"),
        LAIPredictor(
            SeasonalNaivePredictor(3, season_length=12),
            **all_but_base(one),
        ),
        one.base,
        None,
    ):
        assert one != other


def test_the_chain_is_learned(spiked):
    data, labels = spiked
    prior = IndicatorChain.from_prior(anomaly_rate=0.001)

    predictor = LAIPredictor.from_predictor(
        CASES["SeasonalNaive"](), data, chain=prior, seed=0
    )

    true = np.mean(np.concatenate(labels))
    assert true / 2 < predictor.chain.anomaly_rate < 2 * true
    assert 0 < predictor.residual_scale < 5


def test_an_outlier_has_no_echo_a_season_later():
    """A seasonal naive forecast repeats it day after day."""
    data, _ = dataset("univariate", num_series=1, length=400)
    (entry,) = contract.read_only(data)
    target = entry["target"].copy()
    target[30] += 20.0
    base = SeasonalNaivePredictor(1, season_length=24)

    predictor = LAIPredictor.from_predictor(
        base, [{**entry, "target": target}], seed=0
    )
    (detection,) = predictor.detect([{**entry, "target": target}])

    assert np.flatnonzero(detection.probability > 0.5).tolist() == [30]


def test_forecasts_do_not_repeat_an_outlier():
    data, _ = dataset("univariate", num_series=1, length=200)
    (entry,) = contract.read_only(data)
    target = entry["target"].copy()
    target[[50, 90, -5]] += 20.0
    base = SeasonalNaivePredictor(24, season_length=24)
    predictor = LAIPredictor.from_predictor(
        base, [{**entry, "target": target}], seed=0
    )

    (forecast,) = predictor.predict([{**entry, "target": target}])
    (plain,) = base.predict([{**entry, "target": target}])
    (clean,) = base.predict([entry])

    # Days differ by their noise alone.
    assert abs(forecast.mean - clean.mean).max() < 2.0
    assert abs(plain.mean - clean.mean).max() > 10.0


class Spread(RepresentablePredictor):
    """Samples as far apart as the last points are, not by chance."""

    @validated()
    def __init__(self, prediction_length=1, context_length=20):
        super().__init__(prediction_length)
        self.context_length = context_length

    def predict_item(self, item):
        last = item["target"][-self.context_length :].astype(float)
        around = norm.ppf((np.arange(50) + 0.5) / 50)
        samples = last.mean() + last.std() * around[:, None]
        return SampleForecast(samples, item["start"] + len(item["target"]))


def idling(length=400):
    """Noise, and after 300 points for a while nothing but one value."""
    target = np.random.default_rng(0).normal(10, 1, 400)
    target[300:360] = 10.0
    return {"start": pd.Period("2024-01-01", "h"), "target": target[:length]}


def test_an_idle_stretch_changes_nothing_before_it():
    """Whatever is found in it, and scored again."""
    never, calm, spiked = idling(300), idling(360), idling(360)
    predictor = LAIPredictor.from_predictor(Spread(), [never], seed=0)
    spiked["target"][330] = 60.0

    without, found = predictor.detect([calm, spiked])

    assert np.flatnonzero(found.probability > 0.5).tolist() == [330]
    for name in ("lower", "upper", "log_density", "probability"):
        assert_array_equal(
            getattr(found, name)[:300], getattr(without, name)[:300]
        )


@pytest.mark.parametrize("value", [10.0, 0.0, -1e6])
def test_a_series_that_idled_may_go_on(value):
    """Samples that do not differ are as wrong as a forecast usually is."""
    entry = idling()
    entry["target"] += value - 10.0
    predictor = LAIPredictor.from_predictor(Spread(), [entry], seed=0)

    (detection,) = predictor.detect([entry])

    assert abs(entry["target"][360] - value) > 0.1
    assert not (detection.probability[:361] > 0.5).any()
    # Of a Student-t with a width; neither spike nor abyss.
    assert abs(detection.log_density[320:361]).max() < 5


def test_all_digits_of_a_series_reach_the_predictor():
    """A counter beyond 10⁹ is a constant in single precision."""
    spiked = idling(300)
    spiked["target"][200] = 60.0
    low, high = (
        {**spiked, "target": spiked["target"] + start} for start in (0, 2**31)
    )
    ours, theirs = (
        LAIPredictor.from_predictor(Spread(), [entry], seed=0)
        for entry in (low, high)
    )

    for (wanted,), (found,) in (
        (ours.detect([low]), theirs.detect([high])),
        (ours.predict([low]), theirs.predict([high])),
    ):
        if hasattr(found, "probability"):
            flagged = np.flatnonzero(found.probability > 0.5)
            assert flagged.tolist() == [200]
            assert_allclose(found.expected - 2**31, wanted.expected, atol=1e-4)
        else:
            assert_allclose(found.mean - 2**31, wanted.mean, atol=1e-4)


def test_a_stream_idles_as_a_whole_series_does():
    """Even if nothing idled in training."""
    predictor = LAIPredictor.from_predictor(Spread(), [idling(300)], seed=0)
    entry = idling()
    entry["target"][330] = 60.0

    (detection,) = predictor.detect([entry])
    stream = predictor.stream({"start": entry["start"]})
    readings = stream.update_many(entry["target"])

    told = [reading.probability for reading in readings]
    assert_allclose(told, detection.probability, rtol=1e-9)


@pytest.mark.parametrize("anomalous", [Uniform(), GaussianMixture()])
def test_of_several_series_none_need_have_a_point(anomalous):
    entries = [{**idling(), "item_id": name} for name in "ab"]
    stream = LAIPredictor.from_predictor(
        Spread(), entries, anomalous=anomalous, seed=0
    ).stream(entries)
    before = stream.to_dict()

    assert stream.update_many({}) == {}
    assert stream.to_dict() == before
    assert list(stream.update_many({"b": 10.0})) == ["b"]


def test_what_was_learned_of_points_is_not_lost_on_later_series(monkeypatch):
    """Series are looked at in parts; the last one never idles here."""
    alone = LAIPredictor.from_predictor(Spread(), [idling()], seed=0)
    monkeypatch.setattr(panel, "MAX_POINTS", 200)

    predictor = LAIPredictor.from_predictor(
        Spread(), [idling(), idling(300)], seed=0
    )

    assert predictor.residual_scale == pytest.approx(alone.residual_scale)


@pytest.mark.parametrize("context_length", [48, 72])
def test_a_climatology_of_few_days_finds_spikes(context_length, spiked):
    """At some hours all of its samples are the same."""
    data, labels = spiked
    base = NPTSPredictor(3, context_length=context_length)

    predictor = LAIPredictor.from_predictor(base, data, seed=0)

    assert better(predictor, data, labels) > 0.9


@pytest.mark.parametrize("num_ahead", [0, 20])
def test_what_prophet_is_told_of_each_point_explains_it(num_ahead):
    """However far ahead it is known; a forecast wants the next horizon."""
    base = prophet(10)
    rng = np.random.default_rng(0)
    feature = rng.normal(size=(1, 140))
    target = 10 + 3 * feature[0, :120] + rng.normal(0, 0.1, 120)
    target[110] += 3.0  # no more than what the feature does to others
    told = {
        "start": pd.Period("2024-01-01", "D"),
        "target": target,
        "feat_dynamic_real": feature[:, : 120 + num_ahead],
    }

    predictor = LAIPredictor.from_predictor(
        base, [told], context_length=100, seed=0
    )
    (detection,) = predictor.detect([told])
    (forecast,) = predictor.predict(
        [{**told, "feat_dynamic_real": feature[:, :130]}]
    )

    assert np.flatnonzero(detection.probability > 0.5).tolist() == [110]
    expected = 10 + 3 * feature[0, 120:130]
    # A regression on a hundred points, and the mean of a hundred samples.
    assert abs(forecast.mean - expected).max() < 0.5


def test_chains_of_single_series():
    spiked, _ = dataset("univariate", rate=0.1, num_series=2, length=300)
    quiet, _ = dataset("univariate", num_series=2, length=300)
    mixed = [list(spiked)[0], list(quiet)[1]]

    predictor = LAIPredictor.from_predictor(
        CASES["SeasonalNaive"](), mixed, chain_scope="series", seed=0
    )

    assert predictor.chains["a"].p_enter > 2 * predictor.chains["b"].p_enter


@pytest.mark.parametrize("names", [[0, 1], [None, None]])
def test_chains_are_found_by_number(names, spiked, tmp_path):
    """By whole numbers as names, and by position where there are none."""
    data = [{**e, "item_id": n} for e, n in zip(spiked[0], names)]

    predictor = LAIPredictor.from_predictor(
        CASES["SeasonalNaive"](), data, chain_scope="series", seed=0
    )
    predictor.serialize(tmp_path)
    again = Predictor.deserialize(tmp_path)

    first, second = predictor.chains.values()
    for chains in (predictor.chains, again.chains):
        assert [chains[0], chains[np.int64(1)]] == [first, second]
    with pytest.raises(KeyError, match="2"):
        predictor.chains[2]


def test_a_network_that_was_trained_elsewhere(spiked, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # where GluonTS leaves its checkpoints
    backends = pytest.importorskip("tests.backends").BACKENDS
    data, labels = spiked
    clean, _ = dataset("univariate", num_series=2, length=168)
    for backend in backends.values():
        network = backend.zoo.CASES["SimpleFeedForward"].make(
            epochs=10, num_batches_per_epoch=20, learning_rate=0.01
        )
        with seeded(0):
            base = network.train(clean)

        predictor = LAIPredictor.from_predictor(base, data, seed=0)

        assert predictor.base is base
        assert predictor.context_length == 12
        assert better(predictor, data, labels) > 0.9


@pytest.mark.parametrize(
    "base, context_length",
    [
        (SeasonalNaivePredictor(3, season_length=24), 24),
        (MeanPredictor(30), 60),
        (NPTSPredictor(1, context_length=8), 8),
        (ConstantPredictor(np.zeros((1, 2))), 20),
    ],
    ids=["a season", "two horizons", "all it looks at", "a few"],
)
def test_how_much_must_be_seen_first(base, context_length):
    data, _ = dataset("univariate", num_series=1, length=200)

    predictor = LAIPredictor.from_predictor(base, data, seed=0)

    assert predictor.context_length == context_length


def test_the_same_seed_gives_the_same_and_leaves_chance_alone(spiked):
    data, _ = spiked
    before = np.random.get_state()

    first, second = (
        LAIPredictor.from_predictor(CASES["Mean"](), data, seed=3)
        for _ in range(2)
    )

    contract.assert_same_chance(before, np.random.get_state())
    assert first.chain == second.chain
    contract.assert_same_detections(first.detect(data), second.detect(data))


def test_labels_overrule_what_is_inferred(spiked):
    data, labels = spiked
    known = np.full(labels[0].shape, np.nan)
    spike = int(np.flatnonzero(labels[0])[-1])
    known[spike] = 0
    entries = [{**data[0], "known": known}]

    predictor = LAIPredictor.from_predictor(
        CASES["SeasonalNaive"](), entries, label_field="known", seed=0
    )
    (detection,) = predictor.detect(entries)

    assert detection.probability[spike] < 1e-6


@pytest.mark.parametrize(
    "base, message",
    [
        (LAIEstimator, "must be a GluonTS predictor, got type"),
        ("naive", "must be a GluonTS predictor, got str"),
    ],
)
def test_what_is_no_predictor_is_refused(spiked, base, message):
    with pytest.raises(TypeError, match=message):
        LAIPredictor.from_predictor(base, spiked[0])


def test_a_predictor_that_filters_already_is_refused(spiked):
    data, _ = spiked
    twice = LAIPredictor.from_predictor(CASES["SeasonalNaive"](), data)

    with pytest.raises(TypeError, match="which filters already; use it as"):
        LAIPredictor.from_predictor(twice, data)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"treatment": "drop"}, "treatment must be one of"),
        ({"chain_scope": "world"}, "chain_scope must be one of"),
        ({"calibration": "maybe"}, "calibration must be one of"),
        ({"context_length": 0}, "context_length must be at least 1, got 0"),
        ({"max_anomaly_share": 20}, "max_anomaly_share must lie strictly"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
    ],
    ids=str,
)
def test_settings_are_checked_first(settings, message):
    with pytest.raises(ValueError, match=message):
        LAIPredictor.from_predictor(CASES["Mean"](), [], **settings)


def test_an_empty_data_set_is_refused():
    with pytest.raises(ValueError, match="at least one series, got an empty"):
        LAIPredictor.from_predictor(CASES["Mean"](), [])
