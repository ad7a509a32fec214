"""
Every point of a data set has two densities, and labels overrule them.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import cauchy

from gluonts_lai.anomalous import AnomalousModel, Gaussian, Uniform
from gluonts_lai.evidence import (
    Evidence,
    anomalous_densities,
    fit_anomalous,
)
from gluonts_lai.indicator import (
    IndicatorChain,
    condition_on_labels,
    filter_chain,
    smooth_chain,
)
from gluonts_lai.table import Table

SHAPES = [(8,), (2, 5), (8,), (5,)]
CHAINS = [IndicatorChain(0.1 + i / 10, 0.2, 0.5 + i / 10) for i in range(4)]


def table(rng, mean=0.0):
    return Table.of([rng.normal(mean, 2, shape) for shape in SHAPES], float)


@pytest.fixture
def evidence():
    rng = np.random.default_rng(0)
    return Evidence.of(table(rng, -3), table(rng, -4))


@pytest.mark.parametrize("chains", [CHAINS, CHAINS[:1] * 4])
def test_each_entry_is_inferred_with_its_own_chain(evidence, chains):
    filtered = [f.filtered for f in evidence.filter(chains)]
    smoothed = [s.smoothed for s in evidence.smooth(chains)]

    filtered = evidence.log_normal.with_blocks(filtered)
    smoothed = evidence.log_normal.with_blocks(smoothed)
    for i, chain in enumerate(chains):
        pair = [log_density.entries[i] for log_density in evidence]
        alone = filter_chain(chain, *pair).filtered
        assert_array_equal(filtered.entries[i], alone)
        alone = smooth_chain(chain, *pair).smoothed
        assert_array_equal(smoothed.entries[i], alone)


def test_labels_overrule_densities(evidence):
    rng = np.random.default_rng(1)
    labels = table(rng).map(
        lambda block: rng.choice([0, 1, 0.3, np.nan], block.shape)
    )

    overruled = Evidence.of(*evidence, labels)

    for i, label in enumerate(labels.entries):
        expected = condition_on_labels(
            evidence[0].entries[i], evidence[1].entries[i], label
        )
        for table_, array in zip(overruled, expected):
            assert_array_equal(table_.entries[i], array)
    probability = labels.with_blocks(
        [smoothed.smoothed for smoothed in overruled.smooth(CHAINS)]
    )
    for p, label in zip(probability.entries, labels.entries):
        known = (label == 0) | (label == 1)
        assert_allclose(p[known], label[known], rtol=1e-15)


def test_without_labels_the_densities_stay(evidence):
    assert Evidence.of(*evidence).log_normal is evidence.log_normal


def test_paths_are_drawn_from_the_posterior(evidence):
    rng, n = np.random.default_rng(2), 2_000
    count = evidence.log_normal.like(0, float)
    for _ in range(n):
        path = evidence.sample(CHAINS, rng)
        for total, z in zip(count.blocks, path.blocks):
            total += z

    for smoothed, total in zip(evidence.smooth(CHAINS), count.blocks):
        p = smoothed.smoothed
        five_sigma = 5 * np.sqrt(n * p * (1 - p)) + 5
        assert (abs(total - n * p) <= five_sigma).all()


class Box(AnomalousModel):
    """One, from 0 to 1: zero elsewhere."""

    def fit(self, values, weights=None):
        return self

    def log_prob(self, values):
        inside = (values >= 0) & (values <= 1)
        density = np.where(inside, 0.0, -np.inf)
        return np.where(np.isnan(values), np.nan, density)


def test_an_anomalous_density_of_zero_gets_a_floor():
    values = Table.of([np.array([0.5, 3.0, -1.0, np.nan])], float)

    densities = anomalous_densities([[Box()]], values)

    x = values.entries[0]
    floor = cauchy.pdf(x, loc=1, scale=4)  # from -1 to 3
    expected = np.log(0.99 * np.array([1, 0, 0, np.nan]) + 0.01 * floor)
    assert_allclose(densities.entries[0], expected, rtol=1e-6)  # float32


def test_a_constant_series_outside_a_density_gets_a_floor():
    values = Table.of([np.full(3, 7.0)], float)

    densities = anomalous_densities([[Box()]], values)

    expected = np.log(0.01 * cauchy.pdf(0))
    assert_allclose(densities.entries[0], [expected] * 3, rtol=1e-6)


def test_a_density_that_is_nowhere_zero_is_left_alone():
    x = np.random.default_rng(3).uniform(0, 1, 9)

    densities = anomalous_densities([[Box()]], Table.of([x], float))

    assert_array_equal(densities.entries[0], np.zeros(9))


@pytest.mark.parametrize("model", [Uniform(), Gaussian()])
def test_each_dimension_has_its_own_anomalous_model(model):
    rng = np.random.default_rng(4)
    values = table(rng)
    values.entries[1][1] *= 100
    values.entries[2][...] = np.nan
    weights = values.map(lambda block: rng.random(block.shape))

    models = fit_anomalous(model, values, weights)
    densities = anomalous_densities(models, values)

    assert list(map(len, models)) == [1, 2, 1, 1]
    assert models[2] == [None]
    assert np.isnan(densities.entries[2]).all()
    weighed = {(i, j): row for i, j, row in weights.rows()}
    told = {(i, j): row for i, j, row in densities.rows()}
    for i, j, row in values.rows():
        if i != 2:
            alone = model.fit(row, weighed[i, j])
            assert models[i][j] == alone
            assert_allclose(told[i, j], alone.log_prob(row), rtol=1e-6)


def test_without_weights_a_model_describes_the_whole_series():
    values = table(np.random.default_rng(5))

    models = fit_anomalous(Gaussian(), values)

    for i, j, row in values.rows():
        assert models[i][j] == Gaussian().fit(row)
