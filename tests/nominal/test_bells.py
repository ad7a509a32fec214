"""
What a density says of a point is kept so that it can be widened.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.stats import laplace, norm, t

from gluonts_lai.nominal.bells import (
    GAUSSIAN_DF,
    MOST_FALL,
    MOST_SQUARE,
    Bells,
    lighter,
    usual_deviation,
)
from gluonts_lai.nominal.densities import Piecewise, StudentT
from tests import naive

SPREADS = [0.5, 1.0, 1.5, 4.0]


def log_density(bells, spread=1.0):
    fall = np.log1p((bells.distance / spread) ** 2 / bells.df)
    return bells.log_height - np.log(spread) - (bells.df + 1) / 2 * fall


class Laplace(naive.Bell):
    """A density that is no bell, wherever it is asked."""

    def log_prob(self, values):
        return laplace.logpdf(values, self.mean, self.sd)


@pytest.mark.parametrize("df", [2.1, 4.0, 30.0])
@pytest.mark.parametrize("spread", SPREADS)
def test_a_student_stays_one_when_it_is_widened(df, spread):
    x = np.linspace(-40, 60, 101)
    density = StudentT(np.full(101, df), np.full(101, 2.0), np.full(101, 1.5))

    told = log_density(Bells.of(density, x), spread)

    assert_allclose(told, t.logpdf(x, df, 2, 1.5 * spread), rtol=1e-10)


@pytest.mark.parametrize("spread", SPREADS)
def test_a_gaussian_is_a_student_with_many_degrees_of_freedom(spread):
    x = np.linspace(-30, 30, 61)
    density = StudentT(GAUSSIAN_DF, np.full(61, 2.0), np.full(61, 1.5))

    told = log_density(Bells.of(density, x), spread)

    # At 40 sds, 1e8 degrees of freedom are not yet infinitely many.
    assert_allclose(told, norm.logpdf(x, 2, 1.5 * spread), rtol=1e-4)


@pytest.mark.parametrize("kind", [naive.Bell, Laplace])
def test_any_density_is_exact_where_it_is_not_widened(kind):
    x = np.linspace(-20, 20, 81)
    density = kind(np.full(81, 1.0), np.full(81, 0.5))

    told = log_density(Bells.of(density, x))

    assert_allclose(told, density.log_prob(x), rtol=1e-10)


def test_quantiles_give_a_bell_with_their_band():
    levels = np.array([0.025, 0.3, 0.5, 0.7, 0.975])
    knots = np.array([[-3.0], [0.0], [1.0], [2.0], [9.0]])
    density = Piecewise.of(levels, knots)

    bells = Bells.of(density, np.array([5.0]))

    assert_allclose(bells.expected, 1.0)
    assert_allclose(bells.expected - bells.below, -3.0)
    assert_allclose(bells.expected + bells.above, 9.0)
    assert_allclose(log_density(bells), density.log_prob(np.array([5.0])))


def test_a_point_may_be_likelier_than_what_was_expected():
    density = Piecewise.of(
        np.array([0.1, 0.4, 0.6, 0.9]), np.array([[0.0], [1], [9], [10]])
    )

    bells = Bells.of(density, np.array([0.5]))

    assert bells.distance == 0
    assert_allclose(log_density(bells), density.log_prob(np.array([0.5])))


def test_no_bell_falls_without_end():
    density = naive.Bell(np.zeros(1), np.full(1, 1e-3))

    told = log_density(Bells.of(density, np.array([1e6])))

    assert_allclose(told, norm.logpdf(0, 0, 1e-3) - MOST_FALL)


@pytest.mark.parametrize("df", [2.5, 4.0, 10.0, GAUSSIAN_DF])
def test_the_band_holds_95_percent(df):
    density = StudentT(df, np.array([7.0]), np.array([2.0]))

    bells = Bells.of(density, np.array([7.0]))

    low, high = 7.0 - bells.below, 7.0 + bells.above
    share = t.cdf(high, df, 7, 2) - t.cdf(low, df, 7, 2)
    assert_allclose(share, 0.95, atol=1e-4)  # of tables, between two entries


@pytest.mark.parametrize("df", [2.5, 4.0, 10.0, 1e6])
def test_squares_in_units_of_the_usual_deviation_are_one_on_average(df):
    unit = usual_deviation(df)

    def integrand(x):
        return min((x / unit) ** 2, MOST_SQUARE) * t.pdf(x, df)

    edge = unit * np.sqrt(MOST_SQUARE)
    inner = quad(integrand, -edge, edge)[0]
    outer = MOST_SQUARE * 2 * t.sf(edge, df)
    # Found from 1,000 quantiles.
    assert inner + outer == pytest.approx(1.0, abs=0.005)
    density = StudentT(df, np.zeros(1), np.ones(1))
    assert Bells.of(density, np.ones(1)).deviation == pytest.approx(
        unit, rel=0.005
    )


def test_missing_points_have_an_expectation_and_a_band():
    density = StudentT(4.0, np.array([3.0]), np.array([1.0]))

    bells = Bells.of(density, np.array([np.nan]))

    assert np.isnan(bells.distance)
    assert bells.expected == 3.0 and bells.below > 0


@pytest.mark.parametrize("tail", [1.0, 2.0, 8.0])
def test_lighter_tails_are_those_of_more_degrees_of_freedom(tail):
    rng = np.random.default_rng(0)
    df, loc, x = 2 + rng.random(20), rng.normal(size=20), rng.normal(size=20)

    lighter_ones = lighter(Bells.of(StudentT(df, loc, np.ones(20)), x), tail)

    other = Bells.of(StudentT(tail * df, loc, np.ones(20)), x)
    for one, two in zip(lighter_ones, other):
        assert_allclose(one, two, rtol=1e-12)


def test_only_students_have_tails_to_lighten():
    bells = Bells.of(naive.Bell(np.zeros(3), np.ones(3)), np.arange(3.0))

    for one, two in zip(lighter(bells, 4.0), bells):
        assert_allclose(one, two, rtol=1e-12)
