"""
Every p⁻ is a density, everywhere, whatever the series was.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.stats import cauchy, norm

from gluonts_lai import AnomalousModel, Gaussian, GaussianMixture, Uniform
from gluonts_lai.anomalous import CauchyFloor
from gluonts_lai.indicator import IndicatorChain, smooth_chain
from gluonts_lai.value import Value

rng = np.random.default_rng(0)
SERIES = {
    "ordinary": np.append(rng.normal(10, 2, 300), [40.0, 41.0, -7.0, np.nan]),
    "constant": np.full(20, 5.0),
    "constant zero": np.zeros(20),
    "single point": np.array([-3.0]),
    "one of many": np.array([np.nan, 2.0, np.nan]),
    "tiny": 1e-140 * rng.normal(size=50),
    "tiny constant": np.full(5, 1e-200),
    "huge": 1e149 * rng.normal(size=50),
    "integers": rng.poisson(3, 100),
    "with infinities": np.array([1.0, np.inf, 2.0, -np.inf, 4.0]),
}
OPEN = [
    Uniform(),
    Uniform(width=3.0),
    Gaussian(),
    Gaussian(fixed=True),
    GaussianMixture(),
    GaussianMixture(num_components=5),
    GaussianMixture(fixed=True),
]
PARTLY_GIVEN = [Uniform(low=-50.0), Gaussian(mean=3.0), Gaussian(sd=4.0)]
RECIPES = OPEN + PARTLY_GIVEN


def weights_of(values):
    """The two largest values of a series are taken for anomalous."""
    weights = np.zeros(len(values))
    weights[np.argsort(np.nan_to_num(values, nan=-np.inf))[-2:]] = 0.8
    return weights


@pytest.fixture(
    params=[
        (recipe, name)
        for recipe in RECIPES
        for name in SERIES
        if recipe in OPEN or name == "ordinary"
    ],
    ids=str,
)
def model(request):
    """Every recipe, fitted to every series; given numbers where they fit."""
    recipe, name = request.param
    return recipe.fit(SERIES[name], weights_of(SERIES[name]))


def integral(model, middle, scale, edges=()):
    """Of the density, over all numbers; t in (-1, 1) runs through them."""

    def density(t):
        x = middle + scale * np.tan(t * np.pi / 2)
        slope = scale * np.pi / 2 / np.cos(t * np.pi / 2) ** 2
        return float(np.exp(model.log_prob(np.array([x])))[0] * slope)

    at = [2 / np.pi * np.arctan((x - middle) / scale) for x in edges]
    bounds = sorted({-1.0, *at, 1.0})
    return sum(
        quad(density, a, b, limit=200)[0] for a, b in zip(bounds, bounds[1:])
    )


def landmarks(model):
    """Where a density lies, how far it reaches, its edges and its peaks."""
    if isinstance(model, Uniform):
        low, high = model.domain
        return low + (high - low) / 2, high - low, model.domain
    bodies = [model.body] if isinstance(model, Gaussian) else model.components
    edges = [
        mean + k * sd for _, mean, sd in bodies for k in (-8, -1, 0, 1, 8)
    ]
    return *model.floor, edges


def test_a_density_integrates_to_one(model):
    # What numerical integration of a density with edges is good for.
    assert integral(model, *landmarks(model)) == pytest.approx(1, abs=1e-6)


def test_a_density_is_nowhere_zero(model):
    largest = np.finfo(float).max
    far = 10.0 ** np.arange(-300, 308, 20.0)
    anywhere = np.concatenate([-far, [0.0], far, [-largest, largest]])

    log_density = model.log_prob(anywhere)

    assert np.isfinite(log_density).all()


def test_missing_values_have_no_density(model):
    log_density = model.log_prob(np.array([np.nan, np.inf, -np.inf, 0.0]))

    assert_array_equal(np.isnan(log_density), [True, True, True, False])


@pytest.mark.parametrize("recipe", RECIPES, ids=repr)
def test_a_point_a_million_standard_deviations_away_is_anomalous(recipe):
    values = SERIES["ordinary"]
    far = np.array([10.0, 10.0 + 2e6, 10.0])
    log_anomalous = recipe.fit(values, weights_of(values)).log_prob(far)

    # Even a Student-t with two degrees of freedom does not explain it.
    from scipy.stats import t

    log_normal = t.logpdf(far, df=2, loc=10, scale=2)

    chain = IndicatorChain()
    assert smooth_chain(chain, log_normal, log_anomalous).smoothed[1] > 0.99


def test_a_uniform_has_the_density_of_the_paper():
    model = Uniform(width=1.0).fit(np.array([2.0, 10.0, 6.0]))

    density = np.exp(model.log_prob(np.array([2.0, 5.0, 10.0, 10.1, 1.9])))

    floor = 0.01 * cauchy.pdf([2.0, 5.0, 10.0, 10.1, 1.9], loc=6, scale=8)
    assert_allclose(density, [0.99 / 8] * 3 + [0, 0] + floor, rtol=1e-12)


def test_a_gaussian_has_the_density_of_its_parameters():
    x = np.linspace(-30, 30, 13)

    log_density = Gaussian(mean=1.0, sd=2.0).log_prob(x)

    body, floor = norm.pdf(x, 1, 2), cauchy.pdf(x, loc=1, scale=2)
    assert_allclose(
        np.exp(log_density), 0.99 * body + 0.01 * floor, rtol=1e-12
    )


@pytest.mark.parametrize("recipe", RECIPES, ids=repr)
def test_single_precision_stays_single(recipe):
    values = SERIES["ordinary"].astype(np.float32)
    model = recipe.fit(values, weights_of(values))

    single = model.log_prob(values)

    assert single.dtype == np.float32
    double = model.log_prob(values.astype(float))
    assert_allclose(single, double, rtol=np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Dropout(Value, AnomalousModel):
    """A user's own: anomalies are dropouts to near zero."""

    scale: float = 1.0

    def fit(self, values, weights=None):
        return Dropout(scale=float(np.nanstd(values)) / 10)

    def log_prob(self, values):
        body = norm.logpdf(values, scale=self.scale)
        return CauchyFloor(0.0, 10 * self.scale).mix(body, values)


def test_a_users_own_density_works():
    values = np.random.default_rng(0).normal(50, 5, 100)
    values[[20, 60, 61]] = 0.01

    model = Dropout().fit(values)
    smoothed = smooth_chain(
        IndicatorChain(), norm.logpdf(values, 50, 5), model.log_prob(values)
    ).smoothed

    assert set(np.flatnonzero(smoothed > 0.5)) == {20, 60, 61}
    assert integral(model, 0.0, 1.0, [0.0]) == pytest.approx(1, abs=1e-6)


def test_a_floor_does_not_overflow():
    far = CauchyFloor(1.6e308, 1.0).log_prob(np.array([-1.7e308]))

    assert np.isfinite(far).all()


def test_a_floor_is_computed_in_double_precision():
    values = np.array([1e8, 1e8 + 64], np.float32)
    floor = CauchyFloor(1e8 + 1, 1.0)

    assert_allclose(
        floor.log_prob(values),
        floor.log_prob(values.astype(float)),
        rtol=1e-12,
    )


def test_a_floor_takes_any_numbers():
    floor = CauchyFloor(0.0, 1.0)

    from_list = floor.mix(np.zeros(3), [0, 1, 2])

    assert_array_equal(from_list, floor.mix(np.zeros(3), np.arange(3.0)))
    assert_array_equal(from_list, floor.mix(np.zeros(3), np.arange(3)))


def test_a_density_without_its_two_answers_is_abstract():
    class Nothing(AnomalousModel):
        pass

    with pytest.raises(TypeError, match="abstract method"):
        Nothing()
