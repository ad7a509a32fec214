"""
How sure of itself a forecaster may be.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai.calibration import (
    BURN_IN,
    MIN_POINTS,
    TAILS,
    WIDENINGS,
    Shape,
    calibrate,
    first_of,
    log_likelihoods,
    tails,
    unknown_points,
)
from gluonts_lai.filtering import Filter
from gluonts_lai.indicator import IndicatorChain
from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table
from gluonts_lai.transform import Treatment
from tests import naive

START = pd.Period("2024-01-01", "h")
OTHERWISE = Shape(1.3, 2.0)


def look(targets, sd=1.0, df=4.0, held_out=None):
    """A forecaster that knows that there is nothing but noise."""
    panel = Panel.of([{"start": START, "target": x} for x in targets])
    forecaster = naive.Autoregression(np.zeros(5), sd, df=df)
    values = panel.values
    filter = Filter(
        forecaster,
        panel,
        forecaster.prepare(panel),
        [IndicatorChain.from_prior(0.02)] * len(targets),
        values.map(lambda block: np.full(block.shape, -np.log(30))),
        Treatment.of(values, "impute"),
        [1.0] * len(targets),
        [np.inf] * len(targets),
    )
    if held_out is None:
        held_out = values.like(1, bool)
    return filter, held_out


def noise(rng, length, sd=1.0, spikes=0):
    x = rng.normal(0, sd, length)
    x[rng.choice(length, size=spikes, replace=False)] += 15.0 * sd
    return x


def beside(widening):
    """The nearest of those that are tried, and those beside it."""
    nearest = int(np.argmin(np.abs(np.log(np.array(WIDENINGS) / widening))))
    return WIDENINGS[max(0, nearest - 1) : nearest + 2]


@pytest.mark.parametrize("spikes", [0, 40])
@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0, 5.0])
def test_a_spread_that_is_wrong_is_found_out(factor, spikes):
    """Also where anomalies would have it many times as wide."""
    x = noise(np.random.default_rng(0), 1_200, factor, spikes)

    found = calibrate([look([x], df=1e8)], OTHERWISE)

    assert found.pooled.widening in beside(factor)
    assert found.each[0].widening in beside(factor)


def test_tails_that_are_too_heavy_are_found_out():
    x = noise(np.random.default_rng(1), 2_000)

    found = calibrate([look([x], df=2.5)], OTHERWISE)

    assert found.pooled.tail == max(TAILS)
    rng = np.random.default_rng(2)
    right = calibrate([look([rng.standard_t(2.5, 2_000)], df=2.5)], OTHERWISE)
    assert right.pooled.tail == 1.0


def test_each_series_has_its_own_factor():
    rng = np.random.default_rng(3)
    sds = [0.5, 1.0, 3.0]
    looks = [
        look([noise(rng, 800, sds[0]), noise(rng, 500, sds[1])], df=1e8),
        look([noise(rng, 800, sds[2])], df=1e8),
    ]

    found = calibrate(looks, OTHERWISE)

    for shape, sd in zip(found.each, sds, strict=True):
        assert shape.widening in beside(sd)


def test_a_series_with_too_few_points_has_the_factor_of_all():
    rng = np.random.default_rng(4)
    few = MIN_POINTS + 4  # five of them are the first context
    looks = [look([noise(rng, 800, 2.0), noise(rng, few, 0.4)], df=1e8)]

    found = calibrate(looks, OTHERWISE)

    assert found.each[1] == found.pooled
    assert found.pooled.widening in beside(2.0)


def test_all_too_few_points_change_nothing():
    x = noise(np.random.default_rng(5), 20)

    found = calibrate([look([x])], OTHERWISE)

    assert found.pooled == OTHERWISE and found.each == [OTHERWISE]


def test_few_points_are_not_taken_at_their_word():
    """The fewer there are, the nearer to what was known before."""
    rng = np.random.default_rng(4)
    found = [
        calibrate([look([noise(rng, length, 0.4)], df=1e8)], OTHERWISE)
        for length in (80, 8_000)
    ]

    few, many = (found.pooled.widening for found in found)
    assert many in beside(0.4)
    # By themselves 75 points would say so in three draws of a thousand.
    assert 0.4 * 1.25 < few < OTHERWISE.widening


@pytest.mark.parametrize("lengths", [(4_000, 3_000), (1_200, 150)])
def test_what_lies_far_back_does_not_matter_to_held_out_points(lengths):
    """Runs go on where judging begins, and where points were held out."""
    rng = np.random.default_rng(7)
    targets = [noise(rng, length, spikes=length // 50) for length in lengths]
    for x in targets:
        for first in (0.9 * len(x) - BURN_IN, 0.9 * len(x)):
            x[max(0, int(first) - 6) : max(0, int(first)) + 6] += 9.0
    filter, _ = look(targets)
    sticky = IndicatorChain(0.02, p_enter=0.01, p_stay=0.95)
    filter = filter._replace(chains=[sticky] * len(targets))
    held_out = tails(filter.panel.values)
    scores = filter.settle().scores
    firsts = [first_of(block) for block in held_out.blocks]

    whole = log_likelihoods(filter, scores, held_out)
    ends = log_likelihoods(
        *(thing.since(firsts) for thing in (filter, scores, held_out))
    )

    assert max(firsts) > 0
    # Much wider than that, and p⁺ is as flat as p⁻: nothing tells them apart,
    # and what was believed of points far back may stay so.
    sane = np.array(WIDENINGS) < 2.9
    assert_allclose(ends[..., sane], whole[..., sane], rtol=1e-9)
    assert_array_equal(ends.argmax(-1), whole.argmax(-1))


def test_only_held_out_points_count():
    rng = np.random.default_rng(6)
    x = np.append(noise(rng, 600, 5.0), noise(rng, 600, 1.0))
    held_out = Table.of([np.arange(1_200) >= 600], bool)

    found = calibrate([look([x], df=1e8, held_out=held_out)], OTHERWISE)

    assert found.each[0].widening in beside(1.0)


def test_tails_are_a_tenth_of_each_series():
    values = Table.of([np.zeros(100), np.zeros((2, 30)), np.zeros(3)], float)

    flags = tails(values)

    assert_array_equal(np.flatnonzero(flags.entries[0]), np.arange(90, 100))
    assert_array_equal(flags.entries[1].sum(1), [3, 3])
    assert flags.entries[2].sum() == 0


def test_points_after_those_of_training_are_new():
    def panel(*entries):
        return Panel.of(
            [
                {"item_id": name, "start": start, "target": np.zeros(length)}
                for name, start, length in entries
            ]
        )

    training = panel(("a", START, 10), ("b", START + 5, 10))
    later = panel(
        ("a", START, 14),
        ("b", START + 12, 8),
        ("c", START, 4),
        ("a", START, 7),
    )

    new = unknown_points(later, training).entries

    assert_array_equal(np.flatnonzero(new[0]), [10, 11, 12, 13])
    assert_array_equal(np.flatnonzero(new[1]), [3, 4, 5, 6, 7])
    assert new[2].all() and not new[3].any()


def test_series_without_a_name_are_told_apart_by_their_position():
    training, later = (
        Panel.of([{"start": START, "target": np.zeros(n)} for n in lengths])
        for lengths in ((10, 6), (12, 6, 3))
    )

    new = unknown_points(later, training).entries

    assert_array_equal(np.flatnonzero(new[0]), [10, 11])
    assert not new[1].any() and new[2].all()
