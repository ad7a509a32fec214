"""
What one estimator is enough to show.
"""

import mxnet as mx
import numpy as np
import pandas as pd
import pytest
from gluonts.env import env
from gluonts.evaluation import make_evaluation_predictions
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai import LAIEstimator
from tests.series import dataset

from . import probes, zoo

pytestmark = [
    pytest.mark.filterwarnings("ignore:max_anomaly_share should not"),
    pytest.mark.filterwarnings("ignore:the forecaster should explain"),
]
START = pd.Period("2024-01-01 00", freq="h")


@pytest.fixture(autouse=True)
def no_progress_bar():
    with env._let(use_tqdm=False):
        yield


def day(offset, num_points=300, seed=0):
    """A day in hours, with a little noise."""
    noise = np.random.default_rng(seed).normal(size=num_points) * 0.1
    return offset + np.sin(np.arange(num_points) * 2 * np.pi / 24) + noise


def trained(entries, name="SimpleFeedForward", **settings):
    make = zoo.CASES[name].make
    estimator = make(epochs=6, num_batches_per_epoch=20, learning_rate=0.01)
    return LAIEstimator(estimator, seed=0, **settings).train_model(entries)


@pytest.mark.parametrize("name", zoo.CASES)
def test_networks_may_be_hybridized_as_they_are_by_default(name):
    case = zoo.CASES[name]
    data, _ = dataset(case.data, num_series=2, length=72)
    estimator = case.make(hybridize=True, num_batches_per_epoch=2)

    output = LAIEstimator(estimator, seed=0, num_paths=1).train_model(data)

    assert len(output.history) >= 2  # one while it trained, one at the end
    for forecast in output.predictor.predict(data):
        assert np.isfinite(forecast.mean).all()


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
def test_a_level_is_nothing_that_a_network_has_to_learn(offset):
    x = day(offset)
    x[200] += 20.0
    output = trained([{"start": START, "target": x, "item_id": "a"}])

    detection = next(
        output.predictor.detect(
            [{"start": START, "target": x, "item_id": "a"}], mode="smooth"
        )
    )

    assert detection.probability[200] > 0.9
    # A few times the noise: it has hardly been trained.
    assert abs(detection.cleaned[200] - x[200] + 20.0) < 1.0
    forecast = next(output.predictor.predict([{"start": START, "target": x}]))
    assert abs(forecast.mean - offset).max() < 2.0


def test_a_flat_window_does_not_depend_on_its_batch():
    flat, other = day(10.0), day(500.0, seed=1)
    flat[100:150] = 10.0
    entries = [
        {"start": START, "target": x, "item_id": f"{i}"}
        for i, x in enumerate([flat, other])
    ]
    predictor = trained(entries).predictor

    alone, beside = (
        next(iter(predictor.detect(part))) for part in (entries[:1], entries)
    )

    # Sums in single precision, in another order.
    assert_allclose(alone.log_density, beside.log_density, atol=1e-4)
    assert_allclose(alone.probability, beside.probability, atol=1e-4)


@pytest.mark.parametrize("ripple", [0.0, 1e-6])
@pytest.mark.parametrize("name", ["SimpleFeedForward", "DeepAR"])
def test_a_flat_window_is_not_divided_by_next_to_nothing(name, ripple):
    entry = {"start": START, "target": day(10.0), "item_id": "stuck"}
    entry["target"][100:150] = 10.0 + ripple * np.resize([1, -1], 50)
    predictor = trained([entry], name).predictor
    assert predictor.scaling

    (detection,) = predictor.detect([entry])

    # The noise has a density of e¹: e⁶ is more than a hundred times as sure.
    # Divided by the ripple, it is e¹⁰ and more.
    inside = detection.log_density[130:150]
    assert np.isfinite(inside).all() and inside.max() < 6


def test_series_without_a_name_are_not_taken_for_others():
    small, large = day(10.0), 1_000 * day(10.0, seed=1)
    small[250] += 20.0
    entries = [{"start": START, "target": x} for x in (small, large)]
    predictor = trained(entries).predictor

    first, _ = predictor.detect(entries)
    _, last = predictor.detect(entries[::-1])

    # Sums in single precision, in another order.
    assert_allclose(first.probability, last.probability, atol=1e-4)
    assert first.probability[250] > 0.9


@pytest.mark.parametrize("name", ["MQCNN", "MQRNN", "DeepState"])
def test_what_looks_at_the_ends_of_series_may_learn_from_them(name):
    data, _ = dataset(zoo.CASES[name].data, num_series=2, length=72)
    network = zoo.CASES[name].make(epochs=2)
    weights = []

    for em in (True, False):  # all epochs on the data as they are
        estimator = LAIEstimator(network, num_warmup_epochs=2, seed=0, em=em)
        trained_net = estimator.train(data).base.prediction_net
        weights.append(probes.weights_of(trained_net))

    assert_array_equal(*weights)


def test_the_context_of_mxnet_stays_what_it_was():
    # Members of an ensemble forecast in turns, each in a context of its own.
    case = zoo.CASES["NBEATSEnsemble"]
    data, _ = dataset(case.data, num_series=2, length=72)
    before = mx.current_context()

    predictor = LAIEstimator(case.make(epochs=1)).train(data)
    list(predictor.predict(data))
    list(predictor.detect(data))

    assert mx.current_context() is before


def test_labels_may_go_on_after_the_target_in_a_backtest():
    entry = {"start": START, "target": day(10.0), "item_id": "a"}
    entry["known"] = np.full(300, np.nan)
    predictor = trained([entry], label_field="known").predictor

    forecasts, _ = make_evaluation_predictions([entry], predictor)

    assert np.isfinite(next(forecasts).mean).all()


def test_what_cannot_be_masked_is_imputed():
    data, _ = dataset("univariate", num_series=2, length=72)
    make = zoo.CASES["DeepFactor"].make

    with pytest.warns(UserWarning, match="got DeepFactorEstimator; its anom"):
        output = LAIEstimator(make(), treatment="mask").train_model(data)

    assert output.predictor.treatment == "impute"


def test_a_network_that_explains_nothing_masks_nothing():
    x = day(10.0)
    entries = [{"start": START, "target": x, "item_id": "a"}]
    make = zoo.CASES["DeepFactor"].make  # it never sees the past of a window

    with pytest.warns(UserWarning, match="should explain at least 80%"):
        output = LAIEstimator(make(), seed=0).train_model(entries)

    assert output.history[-1].share_flagged > 0.2
    assert output.predictor.chain == output.predictor.chain.from_prior()
