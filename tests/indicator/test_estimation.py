from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gluonts_lai import IndicatorChain
from gluonts_lai.indicator import (
    count_transitions,
    estimate_chain,
    estimate_chains,
    expected_transitions,
    sample_paths,
    smooth_chain,
)

PRIOR = IndicatorChain.from_prior(anomaly_rate=0.02, anomaly_length=3.0)


def simulate(chain, *shape, seed):
    """A series of points that the chain chose, seen through two densities."""
    rng = np.random.default_rng(seed)
    free = np.zeros(shape)
    z = sample_paths(chain, free, free, 1, rng)[0]
    x = np.where(z, rng.uniform(-12, 12, shape), rng.normal(size=shape))
    return (
        -0.5 * x**2 - 0.5 * np.log(2 * np.pi),
        np.full(shape, -np.log(24)),
        z,
    )


@pytest.mark.parametrize("seed", range(10))
def test_em_on_the_chain_never_lowers_the_likelihood(seed):
    rng = np.random.default_rng(seed)
    *densities, _ = simulate(
        IndicatorChain(0.05, 0.05, 0.7), 3, 200, seed=seed
    )
    chain = IndicatorChain(*rng.uniform(0.01, 0.99, size=3))

    likelihood = []
    for _ in range(30):
        result = smooth_chain(chain, *densities)
        likelihood.append(result.log_likelihood.sum())
        # Steps say nothing of the start: it stays, and the theorem holds.
        chain = estimate_chain(result.transitions, chain, num_prior_points=0)

    rounding = 1e-12 * abs(likelihood[0])
    assert (np.diff(likelihood) >= -rounding).all()
    assert likelihood[-1] > likelihood[0]


def test_em_stands_still_at_the_maximum():
    *densities, _ = simulate(IndicatorChain(0.05, 0.05, 0.7), 4, 500, seed=0)
    chain = IndicatorChain()
    for _ in range(200):
        counts = expected_transitions(chain, *densities)
        chain = estimate_chain(counts, chain, num_prior_points=0)

    best = smooth_chain(chain, *densities).log_likelihood.sum()
    for name in ("p_enter", "p_stay"):
        for factor in (0.95, 1.05):
            other = replace(chain, **{name: getattr(chain, name) * factor})
            assert smooth_chain(other, *densities).log_likelihood.sum() < best


@pytest.mark.parametrize("form", ["expected", "sampled"])
def test_the_chain_that_made_the_series_is_found_again(form):
    truth = IndicatorChain(0.03, 0.03, 0.7)
    rng = np.random.default_rng(5)
    *densities, _ = simulate(truth, 20, 2_000, seed=5)

    chain = PRIOR
    for _ in range(40):
        if form == "expected":
            counts = expected_transitions(chain, *densities)
        else:
            paths = sample_paths(chain, *densities, 3, rng)
            counts = count_transitions(paths).mean(0)
        chain = estimate_chain(counts, PRIOR)

    # Some 1,100 runs of 3.3 points were drawn: five standard errors of the
    # two rates, were every bit seen (1.5 times that, since they are not).
    assert chain.p_enter == pytest.approx(truth.p_enter, abs=1.5 * 5 * 0.0009)
    assert chain.p_stay == pytest.approx(truth.p_stay, abs=1.5 * 5 * 0.0076)


def test_counts_and_pseudo_counts_are_added():
    counts, prior = np.array([[90, 10], [6, 4]]), np.array([[9, 1], [2, 8]])

    chain = estimate_chain(counts, prior)

    assert chain.p_enter == pytest.approx(11 / 110)
    assert chain.p_stay == pytest.approx(12 / 20)
    assert_allclose(chain.transition_matrix.sum(-1), 1, rtol=1e-15)


def test_a_chain_is_its_own_estimate_under_itself_as_prior():
    chain = estimate_chain(np.zeros((2, 2)), replace(PRIOR, p_start=0.3))

    assert_allclose(
        chain.transition_matrix, PRIOR.transition_matrix, rtol=1e-14
    )
    assert chain.p_start == 0.3


def test_pseudo_counts_are_those_of_a_long_series():
    counts = IndicatorChain.from_prior(0.02, 4.0).pseudo_counts(100)

    for axis in (-1, -2):  # as many points are left as are reached
        assert_allclose(counts.sum(axis), [98, 2], rtol=1e-12)


def test_single_precision_counts_are_added_in_double():
    counts = np.array([[97, 3], [1, 2]], np.float32) / np.float32(3)

    assert estimate_chain(counts) == estimate_chain(counts.astype(float))


def test_a_prior_weighs_as_many_points_as_it_says():
    assert PRIOR.pseudo_counts(250).sum() == pytest.approx(250)
    data = IndicatorChain(0.3, 0.3, 0.3).pseudo_counts(100)

    for num_points, chain in (
        (100, estimate_chain(data, PRIOR)),
        (7, estimate_chain(data, PRIOR, num_prior_points=7)),
        (7, estimate_chains(data[None], PRIOR, num_prior_points=7)[0]),
    ):
        both = estimate_chain(data + PRIOR.pseudo_counts(num_points))
        assert_allclose(
            chain.transition_matrix, both.transition_matrix, rtol=1e-14
        )
        assert chain.p_start == PRIOR.p_start


def test_series_may_share_a_chain_or_have_their_own():
    counts = np.array([[[90, 10], [6, 4]], [[50, 0], [0, 0]]])

    shared, own = estimate_chain(counts, PRIOR), estimate_chains(counts, PRIOR)

    assert shared == estimate_chain(counts.sum(0), PRIOR)
    assert own == [estimate_chain(table, PRIOR) for table in counts]


def test_what_was_never_seen_stays_possible():
    chain = estimate_chain([[10, 0], [0, 10]])

    assert 0 < chain.p_enter < 1e-300 and 1 - 1e-15 < chain.p_stay < 1


@pytest.mark.parametrize("counts", [[[0, 9], [0, 9]], [[9, 0], [9, 0]]])
def test_counts_of_one_kind_make_a_chain_all_the_same(counts):
    chain = estimate_chain(counts)

    assert chain.p_start == pytest.approx(counts[0][1] / 9)


def test_without_a_prior_a_series_starts_as_it_goes_on():
    for counts in ([[80, 20], [20, 20]], [[1000, 0], [0, 1]]):
        chain = estimate_chain(counts)

        assert chain.p_start == pytest.approx(chain.anomaly_rate)


@pytest.mark.parametrize(
    "counts, message",
    [
        ([[0, 0], [1, 1]], "none from the normal state; give a prior"),
        ([[5, 5], [0, 0]], "none from the anomalous state; give a prior"),
        ([1, 2], r"tables of two by two, got an array of shape \(2,\)"),
        ([[1, 2, 3]] * 2, "tables of two by two"),
        ([[1, -2], [1, 1]], "counts must be finite and not negative"),
        ([[1, np.nan], [1, 1]], "counts must be finite and not negative"),
        ([[1, np.inf], [1, 1]], "counts must be finite .* got inf"),
        ([["a", "b"], ["c", "d"]], "counts must be an array of real numbers"),
    ],
)
def test_counts_that_cannot_be_counts_are_refused(counts, message):
    with pytest.raises(ValueError, match=message):
        estimate_chain(counts)


def test_one_chain_each_needs_one_table_each():
    for counts in (np.ones((2, 2)), np.ones((5, 3, 2, 2))):
        with pytest.raises(ValueError, match="take the mean over sampled"):
            estimate_chains(counts)


def test_a_prior_must_be_one_table():
    with pytest.raises(ValueError, match="prior must be one table of two by"):
        estimate_chain([[1, 1], [1, 1]], prior=np.ones((3, 2, 2)))
