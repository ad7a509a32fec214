"""
Rare states are our subject: what is far out must stay exact.
"""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gluonts_lai import IndicatorChain
from gluonts_lai.indicator import (
    expected_transitions,
    filter_chain,
    sample_paths,
    smooth_chain,
)
from tests import naive

ROUNDING = 1e-13
# What double precision leaves of exp(x), with x in the thousands.
DIGITS = 1e-11


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("scale", [1e3, 1e6])
def test_densities_far_out_keep_their_log_odds(seed, scale):
    rng = np.random.default_rng(seed)
    chain = IndicatorChain(*rng.uniform(0.01, 0.99, size=3))
    problem = chain, *-scale * rng.random((2, 6))

    assert_allclose(
        filter_chain(*problem).log_odds,
        naive.filter_chain(*problem)[1],
        rtol=ROUNDING,
    )
    smoothed = smooth_chain(*problem)
    assert_allclose(
        smoothed.log_odds, naive.smooth_chain(*problem)[1], rtol=ROUNDING
    )
    assert_allclose(
        smoothed.transitions,
        naive.expected_transitions(*problem),
        rtol=DIGITS,
        atol=1e-300,
    )


@pytest.mark.parametrize("seed", range(40))
def test_tiny_probabilities_are_not_rounded_to_zero(seed):
    rng = np.random.default_rng(seed)
    chain = IndicatorChain(*rng.choice([1e-300, 1e-200, 0.01], size=3))
    problem = chain, *rng.normal(scale=500, size=(2, 6))

    smoothed = smooth_chain(*problem)

    probability, log_odds = naive.smooth_chain(*problem)
    assert_allclose(smoothed.log_odds, log_odds, rtol=ROUNDING)
    assert_allclose(smoothed.smoothed, probability, rtol=DIGITS, atol=1e-30)
    assert_allclose(
        filter_chain(*problem).log_odds,
        naive.filter_chain(*problem)[1],
        rtol=ROUNDING,
    )
    assert_allclose(
        smoothed.transitions,
        naive.expected_transitions(*problem),
        rtol=DIGITS,
        atol=1e-30,  # a count this small changes no chain
    )


@pytest.mark.parametrize("p_stay", [1e-307, 1 - 1e-16])
@pytest.mark.parametrize("p_enter", [1e-307, 1 - 1e-16])
def test_the_most_extreme_chains_have_finite_answers(p_enter, p_stay):
    chain = IndicatorChain(1e-307, p_enter, p_stay)
    certain = np.array([0.0, -np.inf, 0.0, -1e6, 0.0, 0.0, -np.inf])
    problem = chain, certain, certain[::-1]

    smoothed = smooth_chain(*problem)

    assert not np.isnan(smoothed.log_odds).any()
    assert ((smoothed.smoothed >= 0) & (smoothed.smoothed <= 1)).all()
    assert smoothed.transitions.sum() == pytest.approx(6)


def test_evidence_of_minus_infinity_is_certainty():
    log_normal, log_anomalous = np.zeros(5), np.zeros(5)
    log_normal[1] = log_anomalous[3] = -np.inf
    problem = IndicatorChain(0.1, 0.1, 0.6), log_normal, log_anomalous

    smoothed = smooth_chain(*problem)

    assert smoothed.smoothed[1] == 1 and smoothed.log_odds[1] == np.inf
    assert smoothed.smoothed[3] == 0 and smoothed.log_odds[3] == -np.inf
    probability = naive.posterior_over_paths(*problem)[1]
    paths = naive.posterior_over_paths(*problem)[0]
    assert_allclose(
        smoothed.smoothed,
        [float(p) for p in probability] @ paths,
        rtol=ROUNDING,
    )
    drawn = sample_paths(*problem, 500, np.random.default_rng(0))
    assert drawn[:, 1].all() and not drawn[:, 3].any()


@pytest.mark.parametrize(
    "p_start, log_normal",
    [
        (1e-6, [-13.8]),
        (1 - 1e-16, [20.0]),
        (1e-6, [0.0, -13.8]),
        (1 - 1e-16, [20.0, 9.0]),
    ],
)
def test_a_rescaled_message_keeps_the_likelihood(p_start, log_normal):
    chain = IndicatorChain(p_start, 1e-6, 0.5)
    problem = chain, log_normal, [0.0] * len(log_normal)

    ours = filter_chain(*problem).log_likelihood

    exact = float(naive.posterior_over_paths(*problem)[2])
    assert_allclose(ours, exact, rtol=ROUNDING, atol=ROUNDING)


def test_a_small_message_is_rescaled_before_it_meets_a_rare_step():
    chain = IndicatorChain(1 - 1e-11, 1e-307, 0.5)
    problem = chain, [0.0, 0.0], [-2000.0, 0.0]

    assert_allclose(
        filter_chain(*problem).log_odds,
        naive.filter_chain(*problem)[1],
        rtol=ROUNDING,
    )


def test_a_rare_step_between_two_tiny_weights_keeps_its_digits():
    problem = IndicatorChain(1e-298, 1e-20, 0.5), [-686.0, 0.0], [0.0, 0.0]

    assert_allclose(
        expected_transitions(*problem),
        naive.expected_transitions(*problem),
        rtol=DIGITS,
    )


def test_the_largest_odds_from_both_sides_do_not_overflow():
    chain = IndicatorChain(1 - 1e-16, 1e-307, 0.5)
    problem = chain, [0.0, 0.0, -2000.0], [0.0] * 3

    result = smooth_chain(*problem)

    probability, _ = naive.smooth_chain(*problem)
    assert_allclose(result.smoothed, probability, rtol=DIGITS)
    assert result.transitions.sum() == pytest.approx(2)


def test_a_ratio_beyond_all_numbers_is_certainty():
    problem = IndicatorChain(), np.array([-1e308, 0.0]), np.array([1e308, 0.0])

    assert smooth_chain(*problem).log_odds[0] == np.inf


@pytest.fixture(scope="module")
def million():
    rng = np.random.default_rng(3)
    x = np.where(
        rng.random(1_000_000) < 0.02,
        rng.uniform(-99, 99, 1_000_000),
        rng.normal(size=1_000_000),
    )
    return -0.5 * x**2 - 0.9, np.full(1_000_000, -5.0)


def test_a_million_points_lose_no_precision_in_the_likelihood(million):
    chain = IndicatorChain(p_start=0.02, p_enter=0.02, p_stay=0.02)

    ours = filter_chain(chain, *million).log_likelihood

    # Without memory it is a plain sum, which math.fsum rounds only once.
    exact = math.fsum(
        np.logaddexp(np.log(0.98) + million[0], np.log(0.02) + million[1])
    )
    assert_allclose(ours, exact, rtol=1e-15)


def test_far_from_both_ends_a_million_points_are_like_a_few(million):
    chain = IndicatorChain(p_start=0.5, p_enter=0.02, p_stay=0.6)
    begin, end = 499_000, 501_000
    middle = slice(900, 1_100)
    few = [array[begin:end] for array in million]

    for question in filter_chain, smooth_chain:
        whole, part = question(chain, *million), question(chain, *few)

        # A chain forgets at the rate p_stay − p_enter: 0.58 ** 900 is nothing.
        assert_allclose(
            whole.log_odds[begin:end][middle],
            part.log_odds[middle],
            rtol=ROUNDING,
            atol=ROUNDING,
        )


def test_the_two_halves_of_a_million_points_make_the_whole(million):
    chain = IndicatorChain(p_start=0.5, p_enter=0.02, p_stay=0.6)
    whole = filter_chain(chain, *million)
    half = 500_000
    later = IndicatorChain(float(whole.predicted[half]), 0.02, 0.6)

    first = filter_chain(chain, *(array[:half] for array in million))
    second = filter_chain(later, *(array[half:] for array in million))

    assert_allclose(
        whole.log_likelihood,
        first.log_likelihood + second.log_likelihood,
        rtol=1e-15,
    )
    transitions = expected_transitions(chain, *million)
    assert transitions.sum() == pytest.approx(999_999, rel=1e-12)
