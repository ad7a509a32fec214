import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import chisquare

from gluonts_lai import IndicatorChain
from gluonts_lai.indicator import (
    count_transitions,
    sample_paths,
    sampling,
    smooth_chain,
)
from gluonts_lai.indicator.evidence import Problem
from tests import naive

NUM_PATHS = 100_000
# Twenty tests of this level: a right sampler fails one in 50,000 times.
LEVEL = 1e-6


def p_value(paths, problem):
    """Of a chi-square test that paths come from the joint posterior."""
    every_path, probability, _ = naive.posterior_over_paths(*problem)
    expected = len(paths) * np.array([float(p) for p in probability])
    place = paths @ (1 << np.arange(paths.shape[1])[::-1])
    count = np.bincount(place, minlength=len(every_path))
    # Paths expected fewer than ten times share one cell, as the test asks.
    rare = expected < 10
    count = np.append(count[~rare], count[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    present = expected > 0
    return chisquare(count[present], expected[present]).pvalue


def test_paths_are_drawn_from_the_joint_posterior(problem):
    rng = np.random.default_rng(1)

    paths = sample_paths(*problem, NUM_PATHS, rng)

    assert p_value(paths, problem) > LEVEL


def test_points_drawn_one_by_one_would_be_found_out(problem):
    rng = np.random.default_rng(1)
    smoothed = smooth_chain(*problem).smoothed

    points = rng.random((NUM_PATHS, 7)) < smoothed

    assert p_value(points, problem) < LEVEL


def test_counted_transitions_agree_with_the_twin(problem):
    paths = sample_paths(*problem, 50, np.random.default_rng(0))

    assert_array_equal(
        count_transitions(paths), naive.count_transitions(paths)
    )


def test_counts_in_paths_average_to_the_expected_counts(problem):
    paths = sample_paths(*problem, NUM_PATHS, np.random.default_rng(2))

    counts = count_transitions(paths)

    # Six standard errors in each of 80 comparisons: fails by chance with a
    # probability of 2e-7. The constant serves counts that are never seen.
    error = 6 * counts.std(0) / np.sqrt(NUM_PATHS) + 20 / NUM_PATHS
    expected = smooth_chain(*problem).transitions
    assert (abs(counts.mean(0) - expected) < error).all()


def batch(*shape):
    rng = np.random.default_rng(7)
    return rng.normal(size=shape) - 1, np.full(shape, -2.0)


def test_the_same_generator_gives_the_same_paths():
    draws = [
        sample_paths(
            IndicatorChain(), *batch(4, 30), 5, np.random.default_rng(3)
        )
        for _ in range(2)
    ]

    assert_array_equal(*draws)
    assert draws[0].dtype == np.uint8 and draws[0].shape == (5, 4, 30)


def test_series_that_follow_do_not_change_those_before():
    chain, pair = IndicatorChain(), batch(4, 30)

    whole = sample_paths(chain, *pair, 5, np.random.default_rng(3))
    first = sample_paths(
        chain, *(array[:2] for array in pair), 5, np.random.default_rng(3)
    )

    assert_array_equal(whole[:, :2], first)


def test_paths_do_not_depend_on_how_many_are_held_at_a_time(monkeypatch):
    chain, pair = IndicatorChain(), batch(2, 3, 30)
    whole = sample_paths(chain, *pair, 5, np.random.default_rng(3))

    for num_draws in (1, 70, 400):
        monkeypatch.setattr(sampling, "NUM_DRAWS", num_draws)
        parts = sample_paths(chain, *pair, 5, np.random.default_rng(3))
        assert_array_equal(parts, whole)


def test_each_series_keeps_its_chain_however_many_are_held(monkeypatch):
    chains = [
        IndicatorChain(p, p, p_stay)
        for p, p_stay in ((0.9, 0.9), (0.01, 0.1), (0.5, 0.5))
    ]
    pair = np.zeros((2, 3, 200))
    whole = sample_paths(chains, *pair, 5, np.random.default_rng(3))

    monkeypatch.setattr(sampling, "NUM_DRAWS", 1)
    parts = sample_paths(chains, *pair, 5, np.random.default_rng(3))

    assert_array_equal(parts, whole)


def test_paths_of_a_table_of_series_are_those_of_its_rows():
    pair = batch(2, 3, 30)

    table = sample_paths(IndicatorChain(), *pair, 5, np.random.default_rng(1))

    rows = [array.reshape(6, 30) for array in pair]
    expected = sample_paths(
        IndicatorChain(), *rows, 5, np.random.default_rng(1)
    )
    assert_array_equal(table.reshape(5, 6, 30), expected)


def test_single_precision_is_drawn_as_if_it_were_double():
    single = [array.astype(np.float32) for array in batch(4, 30)]
    double = [array.astype(float) for array in single]

    ours, reference = (
        sampling.look_back(
            Problem.of(IndicatorChain(), *pair).part(slice(None))
        )
        for pair in (single, double)
    )

    assert_array_equal(ours, reference)


def test_series_and_paths_are_drawn_independently():
    chain, pair = IndicatorChain(0.5, 0.5, 0.5), np.zeros((2, 3, 10_000))

    paths = sample_paths(chain, *pair, 3, np.random.default_rng(0))

    bits = paths.reshape(9, -1) - 0.5
    correlation = np.corrcoef(bits)[np.triu_indices(9, 1)]
    # Five standard errors in each of 36 comparisons: 2e-5 by chance.
    assert abs(correlation).max() < 5 / np.sqrt(10_000)


@pytest.mark.parametrize("rng", [0, None, np.random.RandomState(0)])
def test_randomness_must_be_a_generator(rng):
    with pytest.raises(TypeError, match="use np.random.default_rng"):
        sample_paths(IndicatorChain(), *batch(3), 1, rng)


@pytest.mark.parametrize("num_paths", [0, -1, 1.5, "2", True])
def test_there_must_be_a_whole_number_of_paths(num_paths):
    with pytest.raises(ValueError, match="num_paths must be a whole number"):
        sample_paths(
            IndicatorChain(), *batch(3), num_paths, np.random.default_rng(0)
        )


@pytest.mark.parametrize("paths", [[0.5, 1.0], [0, 2], 1, [np.nan, 0], ["a"]])
def test_paths_must_be_bits(paths):
    with pytest.raises(ValueError, match="paths must hold zeros and ones"):
        count_transitions(paths)
