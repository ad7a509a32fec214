import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai import IndicatorChain
from gluonts_lai.indicator import (
    condition_on_labels,
    expected_transitions,
    filter_chain,
    smooth_chain,
)
from tests import naive

# A few dozen roundings of double precision.
ROUNDING = 1e-13


def densities(*shape, seed=0):
    """Log densities with some clear anomalies."""
    rng = np.random.default_rng(seed)
    x = np.where(
        rng.random(shape) < 0.05,
        rng.uniform(-9, 9, shape),
        rng.normal(size=shape),
    )
    return -0.5 * x**2 - 0.9, np.full(shape, -3.0)


def test_filtering_agrees_with_enumeration(problem):
    probability, log_odds = naive.filter_chain(*problem)

    result = filter_chain(*problem)

    assert_allclose(result.filtered, probability, rtol=ROUNDING)
    assert_allclose(result.log_odds, log_odds, rtol=ROUNDING, atol=ROUNDING)
    assert_allclose(
        result.predicted, naive.predict_chain(*problem), rtol=ROUNDING
    )


def test_smoothing_agrees_with_enumeration(problem):
    probability, log_odds = naive.smooth_chain(*problem)

    result = smooth_chain(*problem)

    assert_allclose(result.smoothed, probability, rtol=ROUNDING)
    assert_allclose(result.log_odds, log_odds, rtol=ROUNDING, atol=ROUNDING)


def test_likelihood_agrees_with_enumeration(problem):
    _, _, log_likelihood = naive.posterior_over_paths(*problem)

    for result in filter_chain(*problem), smooth_chain(*problem):
        assert_allclose(
            result.log_likelihood,
            float(log_likelihood),
            rtol=ROUNDING,
            atol=ROUNDING,
        )


def test_expected_transitions_agree_with_enumeration(problem):
    assert_allclose(
        expected_transitions(*problem),
        naive.expected_transitions(*problem),
        rtol=ROUNDING,
        atol=ROUNDING,
    )


@pytest.mark.parametrize("num_times", [1, 2])
def test_the_shortest_series_agree_with_enumeration(num_times):
    problem = IndicatorChain(0.2, 0.1, 0.7), *densities(num_times)

    smoothed = smooth_chain(*problem)

    probability, _ = naive.smooth_chain(*problem)
    assert_allclose(smoothed.smoothed, probability, rtol=ROUNDING)
    assert smoothed.transitions.sum() == pytest.approx(num_times - 1)
    assert_allclose(
        filter_chain(*problem).filtered[-1], probability[-1], rtol=ROUNDING
    )


def test_without_memory_points_are_independent():
    chain = IndicatorChain(p_start=0.1, p_enter=0.1, p_stay=0.1)
    log_normal, log_anomalous = densities(4, 50)

    smoothed = smooth_chain(chain, log_normal, log_anomalous).smoothed

    weight = 0.1 * np.exp(log_anomalous)
    mixture = weight + 0.9 * np.exp(log_normal)
    assert_allclose(smoothed, weight / mixture, rtol=ROUNDING)
    filtered = filter_chain(chain, log_normal, log_anomalous)
    assert_allclose(filtered.filtered, smoothed, rtol=ROUNDING)
    assert_allclose(
        filtered.log_likelihood, np.log(mixture).sum(-1), rtol=ROUNDING
    )


def test_without_evidence_the_posterior_is_the_prior():
    chain = IndicatorChain(p_start=0.3, p_enter=0.05, p_stay=0.8)
    same = densities(40)[0]

    prior = [chain.p_start]
    for _ in range(39):
        prior.append(prior[-1] * 0.8 + (1 - prior[-1]) * 0.05)
    for densities_ in (same, same), (np.full(40, np.nan),) * 2:
        assert_allclose(
            smooth_chain(chain, *densities_).smoothed, prior, rtol=ROUNDING
        )
        assert_allclose(
            filter_chain(chain, *densities_).filtered, prior, rtol=ROUNDING
        )
    assert filter_chain(chain, *densities_).log_likelihood == pytest.approx(
        0.0, abs=ROUNDING
    )


def test_an_impossible_anomaly_leaves_the_plain_likelihood():
    log_normal, _ = densities(3, 30)
    chain = IndicatorChain(p_start=1e-200, p_enter=1e-200, p_stay=0.5)

    result = smooth_chain(chain, log_normal, np.full((3, 30), -3.0))

    assert result.smoothed.max() < 1e-150
    assert_allclose(result.log_likelihood, log_normal.sum(-1), rtol=ROUNDING)


def test_transitions_tell_the_same_as_the_posterior():
    chain = IndicatorChain(0.2, 0.1, 0.7)

    result = smooth_chain(chain, *densities(6, 80))

    steps, smoothed = result.transitions, result.smoothed
    assert_allclose(steps.sum((-2, -1)), 79, rtol=ROUNDING)
    assert_allclose(
        steps[:, 1].sum(-1), smoothed[:, :-1].sum(-1), rtol=ROUNDING
    )
    assert_allclose(
        steps[..., 1].sum(-1), smoothed[:, 1:].sum(-1), rtol=ROUNDING
    )


def test_series_of_a_batch_never_interact():
    chain = IndicatorChain(0.2, 0.1, 0.7)
    batch = densities(2, 3, 25)

    together = filter_chain(chain, *batch), smooth_chain(chain, *batch)

    assert together[0].filtered.shape == (2, 3, 25)
    assert together[1].transitions.shape == (2, 3, 2, 2)
    for i, j in np.ndindex(2, 3):
        alone = [array[i, j] for array in batch]
        for whole, part in zip(
            together,
            (filter_chain(chain, *alone), smooth_chain(chain, *alone)),
        ):
            for a, b in zip(whole, part):
                assert_array_equal(a[i, j], b)


def test_each_series_may_have_its_own_chain():
    chains = [IndicatorChain(0.1, 0.1, p_stay) for p_stay in (0.2, 0.5, 0.9)]
    batch = densities(3, 25)

    together = smooth_chain(chains, *batch)

    for i, chain in enumerate(chains):
        alone = smooth_chain(chain, batch[0][i], batch[1][i])
        assert_array_equal(together.smoothed[i], alone.smoothed)
        assert_array_equal(together.transitions[i], alone.transitions)
        assert together.log_likelihood[i] == alone.log_likelihood


def test_a_table_of_series_may_have_a_table_of_chains():
    rng = np.random.default_rng(0)
    chains = [
        [IndicatorChain(*rng.uniform(0.1, 0.9, 3)) for _ in range(3)]
        for _ in range(2)
    ]
    pair = rng.normal(size=(2, 2, 3, 9))

    each = smooth_chain(chains, *pair).smoothed
    column = [[row[0]] for row in chains]
    rows = smooth_chain(column, *pair).smoothed

    for i, j in np.ndindex(2, 3):
        alone = pair[0, i, j], pair[1, i, j]
        for whole, chain in (each, chains[i][j]), (rows, chains[i][0]):
            assert_array_equal(
                whole[i, j], smooth_chain(chain, *alone).smoothed
            )


@pytest.mark.parametrize("which", [0, 1])
def test_of_two_precisions_the_better_one_counts(which):
    pair = list(densities(9))
    pair[which] = pair[which].astype(np.float32)

    ours = filter_chain(IndicatorChain(), *pair)

    double = filter_chain(IndicatorChain(), *(a.astype(float) for a in pair))
    for a, b in zip(ours, double):
        assert a.dtype == float
        assert_array_equal(a, b)


def test_single_precision_stays_single_and_is_as_good():
    chain = IndicatorChain()
    single = [array.astype(np.float32) for array in densities(5, 300)]
    double = [array.astype(float) for array in single]

    for question in filter_chain, smooth_chain:
        ours, reference = question(chain, *single), question(chain, *double)
        assert ours[0].dtype == ours.log_odds.dtype == np.float32
        assert ours.log_likelihood.dtype == np.float64
        # Only the results are rounded: half a unit in the last place.
        rounding = np.finfo(np.float32).eps / 2
        assert_allclose(ours[0], reference[0], rtol=rounding)
        assert_allclose(ours.log_odds, reference.log_odds, rtol=rounding)
        assert_array_equal(ours.log_likelihood, reference.log_likelihood)
    assert_array_equal(ours.transitions, reference.transitions)


def test_missing_points_are_silent_whichever_density_is_missing():
    chain = IndicatorChain()
    log_normal, log_anomalous = densities(20)
    results = []
    for holes in ([1, 0], [0, 1], [1, 1]):
        pair = log_normal.copy(), log_anomalous.copy()
        for array, hole in zip(pair, holes):
            array[7] = np.nan if hole else array[7]
        results.append(smooth_chain(chain, *pair))

    for result in results[1:]:
        assert_array_equal(result.smoothed, results[0].smoothed)
        assert result.log_likelihood == results[0].log_likelihood


def test_a_label_decides_its_point_and_informs_its_neighbours():
    chain = IndicatorChain(0.1, 0.1, 0.9)
    log_normal, log_anomalous = np.zeros(9), np.zeros(9)
    labels = np.full(9, np.nan)
    labels[2], labels[6] = 1, 0

    smoothed = smooth_chain(
        chain, *condition_on_labels(log_normal, log_anomalous, labels)
    ).smoothed

    assert smoothed[2] == 1 and smoothed[6] == 0
    plain = smooth_chain(chain, log_normal, log_anomalous).smoothed
    assert (smoothed[[1, 3]] > plain[[1, 3]]).all()
    assert (smoothed[[5, 7]] < plain[[5, 7]]).all()


def test_labels_condition_the_joint_posterior():
    chain, labels = IndicatorChain(0.2, 0.1, 0.7), [
        np.nan,
        1,
        np.nan,
        0,
        np.nan,
    ]
    problem = densities(5)
    paths, probability, _ = naive.posterior_over_paths(chain, *problem)
    agree = (paths[:, 1] == 1) & (paths[:, 3] == 0)
    probability = np.array([float(p) for p in probability]) * agree

    smoothed = smooth_chain(chain, *condition_on_labels(*problem, labels))

    assert_allclose(
        smoothed.smoothed,
        probability @ paths / probability.sum(),
        rtol=ROUNDING,
    )


@pytest.mark.parametrize("label", [0.0, 1.0])
@pytest.mark.parametrize("normal", [-np.inf, -1.0, np.nan, np.inf])
@pytest.mark.parametrize("anomalous", [-np.inf, -1.0, np.nan, np.inf])
def test_a_label_outweighs_any_density(label, normal, anomalous):
    densities = condition_on_labels([normal], [anomalous], [label])

    result = smooth_chain(IndicatorChain(), *densities)

    assert result.smoothed == label
    assert np.isfinite(result.log_likelihood)


def test_labels_change_only_their_points_and_no_precision():
    pair = [np.array([-1.0, -2.0, np.nan, -4.0], np.float32)] * 2

    labelled = condition_on_labels(*pair, [np.nan, 1.0, np.nan, 0.0])

    for before, after in zip(pair, labelled):
        assert after.dtype == np.float32
        assert_array_equal(after[[0, 2]], before[[0, 2]])


@pytest.mark.parametrize("hole", [0, 1])
def test_of_a_point_that_is_half_missing_the_label_is_all(hole):
    pair = [[-5.0], [-5.0]]
    pair[hole] = [np.nan]

    result = smooth_chain(
        IndicatorChain(0.3, 0.3, 0.3), *condition_on_labels(*pair, [0.8])
    )

    prior = np.log(0.3 / 0.7)
    assert result.log_odds[0] == pytest.approx(prior + np.log(4))


def test_to_have_no_opinion_is_to_say_nothing():
    problem = densities(6)

    for same, plain in zip(condition_on_labels(*problem, [0.5] * 6), problem):
        assert_array_equal(same, plain)


def test_an_opinion_multiplies_the_odds():
    chain = IndicatorChain(0.3, 0.3, 0.3)
    problem = densities(6)

    opinion = condition_on_labels(*problem, np.full(6, 0.8))

    assert_allclose(
        smooth_chain(chain, *opinion).log_odds,
        smooth_chain(chain, *problem).log_odds + np.log(4),
        rtol=ROUNDING,
        atol=ROUNDING,
    )


def test_a_missing_point_may_have_a_label():
    missing, labels = np.full(3, np.nan), [np.nan, 1.0, np.nan]

    smoothed = smooth_chain(
        IndicatorChain(), *condition_on_labels(missing, missing, labels)
    ).smoothed

    assert smoothed[1] == 1 and 0 < smoothed[0] < smoothed[2] < 1
