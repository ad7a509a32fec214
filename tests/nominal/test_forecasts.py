"""
A forecast of any kind becomes the density it was made from.
"""

import numpy as np
import pandas as pd
import pytest
from gluonts.model.forecast import Forecast, QuantileForecast, SampleForecast
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from gluonts_lai.nominal.densities import StudentT
from gluonts_lai.nominal.forecasts import LEVELS, density_of
from gluonts_lai.nominal.scoring import Points

START = pd.Period("2024-01-01", "D")
MEANS = np.array([[0.0, 5.0, -3.0], [9.0, 1.0, 2.0]])  # (window, lead)
SDS = np.array([[1.0, 2.0, 0.5], [3.0, 1.0, 7.0]])


def assert_close_to_the_gaussians(density, means=MEANS, sds=SDS, atol=0.1):
    for deviations in (0.0, -1.0, 2.0):
        x = means + deviations * sds
        told = density.log_prob(x)
        assert told.shape == x.shape
        assert_allclose(told, norm.logpdf(x, means, sds), atol=atol)
    assert_allclose((density.mean - means) / sds, 0 * means, atol=atol)


def samples(shape, means, sds, num=20_000):
    rng = np.random.default_rng(0)
    return means + sds * rng.normal(size=(num,) + shape)


def test_samples_become_the_density_that_they_came_from():
    forecasts = [
        SampleForecast(samples((3,), mean, sd), START)
        for mean, sd in zip(MEANS, SDS)
    ]

    # Five standard errors of moments of 20,000 samples, two sds away, and the
    # little that 100 degrees of freedom leave.
    assert_close_to_the_gaussians(density_of(forecasts))


def test_samples_of_vectors_have_a_density_for_each_dimension():
    means = np.stack([MEANS, MEANS + 1, MEANS * 2, -MEANS], -1)
    sds = np.stack([SDS, SDS + 1, SDS * 2, SDS], -1)
    forecasts = [
        SampleForecast(samples((3, 4), mean, sd), START)
        for mean, sd in zip(means, sds)
    ]

    assert_close_to_the_gaussians(density_of(forecasts), means, sds)


def quantile_forecasts(levels, keys):
    """Of the Gaussians; what is called the mean is far from it."""
    rows = {
        key: norm.ppf(level, MEANS, SDS) for key, level in zip(keys, levels)
    }
    rows["mean"] = MEANS + 1_000
    order = np.random.default_rng(0).permutation(sorted(rows))
    return [
        QuantileForecast(
            np.stack([rows[key][i] for key in order]),
            start_date=START,
            forecast_keys=list(order),
        )
        for i in range(len(MEANS))
    ]


def test_many_quantiles_become_nearly_the_density():
    levels = np.arange(1, 100) / 100

    density = density_of(quantile_forecasts(levels, map(str, levels)))

    # Constant between quantiles and exponential beyond them.
    assert_close_to_the_gaussians(density, atol=0.15)


def test_few_quantiles_become_nearly_the_density():
    density = density_of(
        quantile_forecasts([0.1, 0.5, 0.9], ["p10", "p50", "p90"])
    )

    assert_close_to_the_gaussians(density, atol=0.03)


@pytest.mark.parametrize("key, level", [("0.5", 0.5), ("p90", 0.9)])
def test_a_single_quantile_is_a_point_forecast(key, level):
    density = density_of(quantile_forecasts([level], [key]))

    assert isinstance(density, Points)
    assert_array_equal(density.mean, norm.ppf(level, MEANS, SDS))
    assert np.isnan(density.log_prob(MEANS)).all()


def test_a_mean_alone_is_a_point_forecast():
    forecasts = [
        QuantileForecast(mean[None], start_date=START, forecast_keys=["mean"])
        for mean in MEANS
    ]

    density = density_of(forecasts)

    assert isinstance(density, Points)
    assert_array_equal(density.mean, MEANS)


def test_a_single_sample_is_a_point_forecast():
    density = density_of([SampleForecast(mean[None], START) for mean in MEANS])

    assert isinstance(density, Points)
    assert_array_equal(density.mean, MEANS)


# Single precision has seven digits, and rounding takes the last one.
@pytest.mark.parametrize("spread", [0.0, 1e-8])
def test_points_among_samples_have_no_width_and_the_others_keep_theirs(spread):
    drawn = np.stack([samples((3,), m, s, 50) for m, s in zip(MEANS, SDS)])
    idle = np.array([[False, True, True], [False, False, True]])
    rows = drawn.swapaxes(1, 2)
    rows[idle] = 10.1 + spread * rows[idle]

    density = density_of([SampleForecast(each, START) for each in drawn])

    assert_allclose(density.mean[idle], 10.1, rtol=1e-7)
    assert np.isnan(density.log_prob(MEANS)[idle]).all()
    own = StudentT.from_samples(drawn, axis=1)
    for mixed, alone in zip(density, own):
        assert_array_equal(mixed[~idle], alone[~idle])


def test_samples_that_never_differ_are_a_point_forecast():
    equal = np.repeat(MEANS[:, None], 100, axis=1)

    density = density_of([SampleForecast(each, START) for each in equal])

    assert isinstance(density, Points)
    assert_allclose(density.mean, MEANS, rtol=1e-15)


class Unknown(Forecast):
    """A Gaussian that tells nothing but its quantiles."""

    def __init__(self, mean, sd):
        self.loc, self.sd = mean, sd

    def quantile(self, q):
        return norm.ppf(q, self.loc, self.sd)


def test_a_forecast_of_unknown_kind_is_asked_for_its_quantiles():
    density = density_of([Unknown(*pair) for pair in zip(MEANS, SDS)])

    for level in LEVELS:
        expected = norm.ppf(level, MEANS, SDS)
        assert_allclose(
            density.quantile(level), expected, rtol=1e-6, atol=1e-6
        )
