"""
Chains are re-estimated from transitions, and none gets out of hand.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai import indicator
from gluonts_lai.evidence import Evidence
from gluonts_lai.indicator import IndicatorChain, estimate_chain
from gluonts_lai.panel.table import Table
from gluonts_lai.transitions import (
    chains_of,
    expected_transitions,
    guarded,
    most_entering,
    not_longer,
    sampled_transitions,
)

from . import naive

SHAPES = [(8,), (3, 6), (8,), (1,)]
CHAINS = [IndicatorChain(0.1, 0.2, 0.5 + i / 10) for i in range(4)]
# What sums of a few products lose to rounding.
ROUNDING = 1e-12


@pytest.fixture
def evidence():
    rng = np.random.default_rng(0)
    return Evidence(
        *(Table.of([rng.normal(0, 2, s) for s in SHAPES], float) for _ in "pq")
    )


def test_sampled_transitions_are_counted_for_each_entry():
    rng = np.random.default_rng(1)
    paths = [
        Table.of([rng.integers(0, 2, s) for s in SHAPES], np.uint8)
        for _ in range(3)
    ]

    counts = sampled_transitions(paths)

    for i in range(len(SHAPES)):
        rows = np.stack([np.atleast_2d(path.entries[i]) for path in paths])
        by_hand = naive.count_transitions(rows.reshape(-1, rows.shape[-1]))
        assert_allclose(counts[i], by_hand.sum(0) / 3, rtol=ROUNDING)


def test_transitions_are_expected_for_each_entry(evidence):
    counts = expected_transitions(evidence, CHAINS)

    for i, chain in enumerate(CHAINS):
        pair = [log_density.entries[i] for log_density in evidence]
        alone = indicator.expected_transitions(chain, *pair)
        total = alone.reshape(-1, 2, 2).sum(0)
        assert_allclose(counts[i], total, rtol=ROUNDING)


def test_sampled_transitions_are_the_expected_ones_on_average(evidence):
    rng, n = np.random.default_rng(2), 800
    paths = [evidence.sample(CHAINS, rng) for _ in range(n)]

    sampled = sampled_transitions(paths)

    each = np.array([sampled_transitions([path]) for path in paths])
    five_sigma = 5 * each.std(0) / np.sqrt(n) + ROUNDING
    expected = expected_transitions(evidence, CHAINS)
    assert (abs(sampled - expected) <= five_sigma).all()


def test_one_chain_serves_a_data_set_or_each_series_has_its_own():
    counts = np.random.default_rng(3).uniform(0, 99, (4, 2, 2))
    prior = IndicatorChain(0.3, 0.01, 0.6)

    one = chains_of(counts, prior, "dataset")
    each = chains_of(counts, prior, "series")

    whole = estimate_chain(counts.sum(0), prior)
    assert one == [whole] * (1 + 4)
    assert each == [whole, *(estimate_chain(c, prior) for c in counts)]


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("p_stay", [0.01, 0.5, 0.99])
def test_no_chain_believes_in_more_than_a_share(share, p_stay):
    chains = [IndicatorChain(0.1, p, p_stay) for p in (1e-5, 0.3, 0.999)]

    bound = guarded(chains, share)

    for chain, held in zip(chains, bound):
        rate = min(share, chain.anomaly_rate)
        assert held.anomaly_rate == pytest.approx(rate, rel=ROUNDING)
        assert (held.p_start, held.p_stay) == (chain.p_start, chain.p_stay)
        if chain.anomaly_rate < share:
            assert held == chain


def test_anomalies_last_no_longer_than_a_context_on_average():
    chains = [IndicatorChain(0.1, 0.2, p) for p in (0.5, 0.9, 0.99)]

    short = not_longer(chains, 10.0)

    assert [chain.p_stay for chain in short] == [0.5, 0.9, 0.9]
    assert short[:2] == chains[:2]


def test_the_bound_itself_is_reached():
    chain = IndicatorChain(0.1, 0.5, 0.75)

    assert most_entering(chain, 0.2) == pytest.approx(0.25 * 0.25)


def test_one_chain_for_all_stays_one():
    chain = IndicatorChain(0.1, 0.9, 0.5)

    bound = guarded([chain] * 3, 0.2)

    assert all(held is bound[0] for held in bound)
    assert_array_equal(chain.p_enter, 0.9)
