"""
What is read of a network is what its forecasts say.
"""

import numpy as np
import pytest
import torch
from gluonts.model.forecast import QuantileForecast

from gluonts_lai.backends import nominal_of
from gluonts_lai.nominal.scaling import series_scales
from gluonts_lai.panel import Panel
from tests import contract
from tests.series import CONTEXT, dataset
from tests.torch import zoo

HORIZON = 3
# Sums in single precision, in another order.
SINGLE = 1e-4


@pytest.fixture(autouse=True)
def somewhere_else(monkeypatch, tmp_path):
    """A plain training leaves checkpoints behind."""
    monkeypatch.chdir(tmp_path)


def trained(name, horizon=HORIZON):
    case = zoo.CASES[name]
    data, _ = dataset(case.data, num_series=1, length=72)
    (entry,) = contract.read_only(data)
    torch.manual_seed(0)
    predictor = case.make(prediction_length=horizon).train([entry])
    return predictor, entry


def scores_of(predictor, entry):
    panel = Panel.of([entry])
    nominal = nominal_of(predictor, CONTEXT, False, 0)
    scales = series_scales(panel.values, CONTEXT)
    prepared = nominal.prepare(panel, scales)
    return nominal, nominal.score(prepared, panel.values)


def log_normal(scores):
    """Log densities of what was observed."""
    bells = scores.bells
    return bells.df.map(
        lambda df, top, distance: top
        - (df + 1) / 2 * np.log1p(distance**2 / df),
        bells.log_height,
        bells.distance,
    )


def forecast_at(predictor, entry, t):
    (forecast,) = predictor.predict([{**entry, "target": entry["target"][:t]}])
    return forecast


@pytest.mark.parametrize(
    "name",
    [
        "SimpleFeedForward",
        "SimpleFeedForwardGaussian",
        "DLinear",
        "PatchTST",
        "LagTST",
        "TiDE",
        "TFTDistribution",
    ],
)
def test_a_density_is_that_of_the_forecast(name):
    predictor, entry = trained(name)
    nominal, scores = scores_of(predictor, entry)
    assert not nominal.is_random

    for start in (CONTEXT, CONTEXT + 2 * HORIZON, CONTEXT + 10 * HORIZON):
        forecast = forecast_at(predictor, entry, start)
        points = slice(start, start + nominal.stride)
        values = np.resize(entry["target"][points], HORIZON)
        log_density = forecast.distribution.log_prob(torch.tensor(values))
        leads = slice(0, nominal.stride)
        np.testing.assert_allclose(
            scores.bells.expected.entries[0][points],
            forecast.mean[leads],
            rtol=SINGLE,
        )
        np.testing.assert_allclose(
            log_normal(scores).entries[0][points],
            log_density[leads],
            rtol=SINGLE,
            atol=SINGLE,
        )


@pytest.mark.parametrize("name", ["SimpleFeedForwardQuantiles", "TFT"])
def test_an_expectation_is_the_median_of_the_forecast(name):
    predictor, entry = trained(name)
    nominal, scores = scores_of(predictor, entry)
    assert not nominal.is_random

    forecast = forecast_at(predictor, entry, 30)

    assert isinstance(forecast, QuantileForecast)
    # Quantiles of a network that has hardly learned may cross.
    ranked = np.sort(forecast.forecast_array, axis=0)
    np.testing.assert_allclose(
        scores.bells.expected.entries[0][30 : 30 + nominal.stride],
        ranked[len(ranked) // 2][: nominal.stride],
        rtol=SINGLE,
    )


@pytest.mark.parametrize("name", ["SimpleFeedForward", "DLinear"])
def test_a_cheap_network_is_read_one_step_ahead(name):
    nominal, _ = scores_of(*trained(name))

    assert nominal.stride == 1


def test_deepar_is_read_one_step_ahead_given_the_points_themselves():
    predictor, entry = trained("DeepAR")
    nominal, scores = scores_of(predictor, entry)
    assert not nominal.is_random
    network = predictor.prediction_net

    # The same, by the model's own log density of a window's future.
    panel = Panel.of([entry])
    prepared = nominal.prepare(panel, series_scales(panel.values, CONTEXT))
    start = CONTEXT + 3 * HORIZON
    context = prepared.context(0, panel.values.entries[0])
    (window,) = predictor.input_transform.transformations[-1](
        iter([prepared.until(context, start)]), is_train=False
    )
    inputs = {
        name: torch.tensor(np.asarray(window[name]))[None]
        for name in predictor.input_names
    }
    network.eval()
    with torch.no_grad():
        total = network.model.log_prob(
            **inputs,
            future_target=torch.tensor(
                entry["target"][start : start + HORIZON]
            )[None],
        )

    told = log_normal(scores).entries[0][start : start + HORIZON]
    np.testing.assert_allclose(told.sum(), total.item(), rtol=1e-3)


def test_a_vector_is_read_dimension_by_dimension():
    predictor, entry = trained("ITransformer")
    nominal, scores = scores_of(predictor, entry)
    assert not nominal.is_random

    (forecast,) = predictor.predict(
        [{**entry, "target": entry["target"][:, :30]}], num_samples=4_000
    )

    middle = scores.bells.expected.entries[0][:, 30 : 30 + HORIZON]
    sd = forecast.samples.std(0).T
    # Five sds of a mean of 4,000: once in a million, for each of nine.
    assert (abs(middle - forecast.mean.T) < 5 * sd / np.sqrt(4_000)).all()
