"""
Estimators that only have a ``train`` keep the contract, too.

They are trained again on cleaned data in each round: GluonTS's own, and
whatever a user may have written.
"""

import logging
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest
from gluonts.core.component import validated
from gluonts.env import env
from gluonts.model.estimator import Estimator
from gluonts.model.forecast import SampleForecast
from gluonts.model.predictor import RepresentablePredictor
from gluonts.model.trivial.mean import MeanEstimator

from gluonts_lai import LAIEstimator
from gluonts_lai.nominal.retraining import NUM_ROUNDS
from tests import contract
from tests.series import dataset

pytestmark = [
    pytest.mark.filterwarnings("ignore:max_anomaly_share should not"),
    pytest.mark.filterwarnings("ignore:the forecaster should explain"),
]
TINY = {"num_series": 2, "length": 72}


class DayPredictor(RepresentablePredictor):
    """What is usual at an hour of the day, give or take."""

    @validated()
    def __init__(
        self, prediction_length: int, usual: list, spread: float
    ) -> None:
        super().__init__(prediction_length)
        self.usual = usual
        self.spread = spread

    def predict_item(self, item):
        begin = item["start"] + len(item["target"])
        hours = (begin.hour + np.arange(self.prediction_length)) % 24
        level = np.median(item["target"][-24:]) if len(item["target"]) else 0
        noise = np.random.normal(size=(100, self.prediction_length))
        samples = level + np.array(self.usual)[hours] + self.spread * noise
        return SampleForecast(samples, begin, item.get("item_id"))


class DayEstimator(Estimator):
    """Learns what is usual at an hour of the day; has no epochs."""

    @validated()
    def __init__(self, prediction_length: int) -> None:
        super().__init__()
        self.prediction_length = prediction_length

    def train(self, training_data):
        assert not any(np.isnan(e["target"]).any() for e in training_data)
        residuals = [e["target"] - e["target"].mean() for e in training_data]
        hours = [
            (e["start"].hour + np.arange(len(e["target"]))) % 24
            for e in training_data
        ]
        residual, hour = np.concatenate(residuals), np.concatenate(hours)
        usual = [float(residual[hour == h].mean()) for h in range(24)]
        spread = float((residual - np.array(usual)[hour]).std())
        return DayPredictor(self.prediction_length, usual, spread)


def tree():
    """Trees that do not learn everything by heart."""
    rotbaum = pytest.importorskip("gluonts.ext.rotbaum")
    pytest.importorskip("xgboost")
    params = {"n_estimators": 15, "max_depth": 3, "n_jobs": 1}
    return rotbaum.TreeEstimator(
        freq="h",
        prediction_length=1,
        context_length=12,
        max_workers=1,
        model_params={**params, "learning_rate": 0.2},
    )


CASES = {
    "MeanEstimator": lambda: MeanEstimator(2, num_samples=10),
    "TreeEstimator": tree,
    "DayEstimator": lambda: DayEstimator(2),
}


@pytest.fixture(autouse=True)
def quiet():
    logging.getLogger("gluonts.ext").setLevel(logging.ERROR)
    with env._let(use_tqdm=False):
        yield


@lru_cache(maxsize=None)
def trained_on_gaps(name):
    data, _ = dataset("univariate", **TINY)
    return contract.train(CASES[name], contract.with_gaps(data))


@pytest.fixture(params=CASES)
def trained(request):
    return trained_on_gaps(request.param)


@pytest.fixture
def complete():
    return list(dataset("univariate", seed=1, **TINY)[0])


def test_the_posterior_is_a_probability_for_each_point(trained):
    contract.check_posterior(trained)
    contract.check_posterior_is_what_detect_says(trained)


def test_there_are_a_few_rounds(trained):
    contract.check_history(trained)

    epochs = [record.epoch for record in trained.output.history]
    assert epochs == list(range(1, NUM_ROUNDS + 1))


@pytest.mark.parametrize("name", ["TreeEstimator", "DayEstimator"])
def test_forecasts_are_finite_and_in_order(name, complete):
    """MeanEstimator's begin where the series does: GluonTS's own mistake."""
    trained = trained_on_gaps(name)

    contract.check_forecasts(trained, complete)
    contract.check_forecasts(trained, trained.data)


def test_forecasts_are_like_those_of_the_wrapped_estimator(trained, complete):
    contract.check_forecasts_are_of_the_same_kind(trained, complete)


@pytest.mark.parametrize("name", ["MeanEstimator", "DayEstimator"])
def test_a_model_is_the_same_after_a_trip_to_disk(name, tmp_path):
    contract.check_serialisation(trained_on_gaps(name), tmp_path)


def test_nothing_of_the_callers_is_touched(trained):
    contract.check_data_are_untouched(trained)
    contract.check_estimator_is_untouched(trained)
    contract.check_callers_chance_is_untouched(trained)


def test_training_again_gives_an_equal_model(trained):
    contract.check_training_again_gives_an_equal_model(
        trained, lambda: np.random.random(3)
    )


@pytest.mark.parametrize("name", CASES)
def test_spikes_rank_above_other_points(name):
    data, labels = dataset("univariate", rate=0.05, length=240)

    output = LAIEstimator(CASES[name](), seed=1).train_model(data)

    assert contract.spike_auc(output, labels) > 0.9
    assert output.history[-1].share_flagged < 0.15


def test_each_training_is_on_data_with_fewer_spikes():
    """By the last one, most of them are gone."""
    data, labels = dataset("univariate", rate=0.05, length=300)
    seen = []

    class Spy(DayEstimator):
        def train(self, training_data):
            seen.append([entry["target"].copy() for entry in training_data])
            return super().train(training_data)

    LAIEstimator(Spy(1), seed=1).train(data)

    # Two halves in each round, and all of it in the end.
    assert len(seen) == 2 * NUM_ROUNDS + 1
    raw = [entry["target"] for entry in data]
    for target, second, first in zip(raw, *seen[:2]):
        np.testing.assert_array_equal(np.r_[first, second], target)
    left = sum(
        (shown[label == 1] == target[label == 1]).sum()
        for target, shown, label in zip(raw, seen[-1], labels)
    )
    assert left < sum(label.sum() for label in labels) / 2


def test_calibration_can_be_turned_off():
    data, _ = dataset("univariate", **TINY)

    estimator = LAIEstimator(DayEstimator(2), calibration=False, seed=0)

    profiles = estimator.train(data).profiles
    assert profiles.typical.widening == profiles.typical.tail == 1.0
    for profile in profiles.known.values():
        assert profile.widening == profile.tail == 1.0


def test_window_scaling_is_refused():
    data, _ = dataset("univariate", **TINY)
    estimator = LAIEstimator(DayEstimator(2), window_scaling=True)

    with pytest.raises(ValueError, match="can be seen, got DayEstimator"):
        estimator.train(data)


def test_validation_data_are_handed_on():
    data, _ = dataset("univariate", **TINY)
    got = []

    class Validated(DayEstimator):
        def train(self, training_data, validation_data=None):
            got.append(validation_data)
            return super().train(training_data)

    LAIEstimator(Validated(2), seed=0).train(data, validation_data=data)

    assert [g is not None for g in got] == [False] * 2 + [True] * (
        2 * NUM_ROUNDS - 1
    )
    assert [e["item_id"] for e in got[-1]] == [e["item_id"] for e in data]


def test_an_estimator_that_refuses_data_is_named():
    start = pd.Period("2024-01-01", "h")
    vectors = [{"start": start, "target": np.zeros((1, 60))}]
    mean = MeanEstimator(prediction_length=1, num_samples=8)

    with pytest.raises(ValueError, match="MeanEstimator can be trained on"):
        LAIEstimator(mean, seed=0).train(vectors)
