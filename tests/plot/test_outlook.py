"""
Every kind of forecast gives a middle, and the bands that it knows.
"""

from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from gluonts.model.forecast import Forecast, QuantileForecast, SampleForecast
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from gluonts_lai.plot.outlook import NUM_SAMPLES, outlook_of

START = pd.Period("2024-01-01", "D")
LEVEL = np.linspace(3.0, 5.0, 6)
LEVELS = {0.9: (0.05, 0.95), 0.5: (0.25, 0.75)}


def quantile_forecast(*keys, shape=(6,)):
    """A forecast of so many days, whose quantiles are their own levels."""
    arrays = [np.full(shape, -1 if k == "mean" else float(k)) for k in keys]
    return QuantileForecast(np.array(arrays), START, list(keys))


def test_bands_hold_their_share_of_the_samples():
    samples = np.random.default_rng(0).gamma(1.0, size=(4_001, 6))

    outlook = outlook_of(SampleForecast(samples, START))

    assert outlook.name == "median"
    assert_array_equal(outlook.middle, [np.median(samples, axis=0)])
    assert [band.share for band in outlook.bands] == [0.9, 0.5]
    for share, lower, upper in outlook.bands:
        inside = (lower <= samples) & (samples <= upper)
        assert_allclose(inside.mean(axis=0), share, atol=1 / 4_001)


def test_dimensions_come_first():
    samples = np.random.default_rng(0).normal(size=(300, 6, 2)) + [0, 100]

    outlook = outlook_of(SampleForecast(samples, START))

    assert outlook.middle.shape == outlook.bands[0].lower.shape == (2, 6)
    assert (outlook.middle[1] > 99).all()


def test_a_single_sample_has_no_bands():
    outlook = outlook_of(SampleForecast(LEVEL[None], START))

    assert outlook.name == "forecast"
    assert outlook.bands == []
    assert_array_equal(outlook.middle, [LEVEL])


@pytest.mark.parametrize(
    "keys, name, middle, shares",
    [
        (["0.1", "0.5", "0.9"], "median", 0.5, [0.8, 0.5]),
        (["0.10", "mean", "0.90"], "median", 0.5, [0.8, 0.5]),
        (["0.95", "0.5", "0.05"], "median", 0.5, [0.9, 0.5]),
        (["0.01", "0.99"], "median", 0.5, [0.9, 0.5]),
        (["0.3", "0.6"], "median", 0.5, [0.2]),
        (["0.5"], "median", 0.5, []),
        (["mean"], "mean", -1, []),
        (["mean", "0.9"], "mean", -1, []),
        (["0.9", "0.7"], "quantile 0.7", 0.7, []),
    ],
    ids=str,
)
@pytest.mark.parametrize("shape", [(6,), (6, 2)])
def test_bands_end_with_the_quantiles_that_are_known(
    keys, name, middle, shares, shape
):
    outlook = outlook_of(quantile_forecast(*keys, shape=shape))

    assert outlook.name == name
    assert outlook.middle.shape == (2 if len(shape) == 2 else 1, 6)
    assert_allclose(outlook.middle, middle)
    assert [band.share for band in outlook.bands] == pytest.approx(shares)
    for share, lower, upper in outlook.bands:
        assert_allclose(lower, (1 - share) / 2)
        assert_allclose(upper, (1 + share) / 2)


def test_a_forecast_that_only_knows_a_mean_has_no_bands():
    class Point(Forecast):
        mean = LEVEL

    outlook = outlook_of(Point())

    assert outlook.name == "forecast"
    assert_array_equal(outlook.middle, [LEVEL])
    assert outlook.bands == []


def torch_forecasts():
    import torch
    from gluonts.torch.model.forecast import DistributionForecast

    level, one = torch.tensor(LEVEL), torch.ones(6, dtype=torch.float64)
    normal = torch.distributions.Normal(level, one)
    student = torch.distributions.StudentT(5 * one, level, one)
    pair = torch.distributions.Independent(
        torch.distributions.Normal(level[:, None], torch.ones(6, 2)), 1
    )
    for distribution in (normal, student, pair):
        yield DistributionForecast(distribution, START)


def mx_forecasts():
    import mxnet as mx
    from gluonts.mx.distribution import (
        Gaussian,
        MultivariateGaussian,
        StudentT,
    )
    from gluonts.mx.model.forecast import DistributionForecast

    level, one = mx.nd.array(LEVEL), mx.nd.ones(6)
    pair = MultivariateGaussian(
        mx.nd.stack(level, level, axis=1),
        mx.nd.stack(*[mx.nd.eye(2)] * 6, axis=0),
    )
    for distribution in (
        Gaussian(level, one),
        StudentT(level, one, 5 * one),
        pair,
    ):
        yield DistributionForecast(distribution, START)


@pytest.mark.parametrize(
    "framework, forecasts",
    [("torch", torch_forecasts), ("mxnet", mx_forecasts)],
)
def test_a_distribution_has_bands_even_without_a_quantile_function(
    framework, forecasts
):
    if find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed here")
    laws = stats.norm(), stats.t(5), stats.norm()
    for forecast, law in zip(forecasts(), laws):
        outlook = outlook_of(forecast)

        assert_quantile(outlook.middle, law, 0.5)
        for share, lower, upper in outlook.bands:
            assert_quantile(lower, law, LEVELS[share][0])
            assert_quantile(upper, law, LEVELS[share][1])


def assert_quantile(found, law, level):
    """As near as that many draws can come."""
    quantile = law.ppf(level)
    sd = np.sqrt(level * (1 - level) / NUM_SAMPLES) / law.pdf(quantile)
    assert_allclose(
        found, np.broadcast_to(LEVEL + quantile, found.shape), atol=5 * sd
    )


def test_drawing_leaves_the_chance_of_others_alone():
    torch = pytest.importorskip("torch")
    _, student, _ = torch_forecasts()
    before = torch.get_rng_state(), np.random.get_state()[1]

    first, second = outlook_of(student), outlook_of(student)

    assert torch.equal(torch.get_rng_state(), before[0])
    assert_array_equal(np.random.get_state()[1], before[1])
    assert_array_equal(first.middle, second.middle)
