"""
Every point of a data set has two densities, and labels overrule them.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai.evidence import Evidence
from gluonts_lai.indicator import (
    IndicatorChain,
    condition_on_labels,
    smooth_chain,
)
from gluonts_lai.panel.table import Table

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
    smoothed = [s.smoothed for s in evidence.smooth(chains)]

    smoothed = evidence.log_normal.with_blocks(smoothed)
    for i, chain in enumerate(chains):
        pair = [log_density.entries[i] for log_density in evidence]
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
