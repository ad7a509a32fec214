"""
Filtering all points at once comes to the same as one after the other.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai.filtering import COARSE, FINE, Filter, reached
from gluonts_lai.indicator import IndicatorChain
from gluonts_lai.panel import Panel
from gluonts_lai.transform import Treatment
from tests import naive

# What the design promises of probabilities.
PROMISED = 1e-5
START = pd.Period("2024-01-01", "D")


def troubled(rng, length):
    """A series with spikes, runs, changes of level and missing values."""
    x = 10 + np.cumsum(rng.normal(0, 0.05, length))
    x += rng.normal(0, 0.3, length)
    for most, longest in ((5, 1), (3, 8), (2, length)):
        for _ in range(rng.integers(most)):
            begin, jump = rng.integers(1, length), rng.uniform(1, 6)
            end = begin + (longest > 1) + rng.integers(longest)
            x[begin : end + 1] += rng.choice([-1, 1]) * jump
    for _ in range(rng.integers(4)):
        begin = rng.integers(1, length)
        x[begin : begin + rng.integers(1, 5)] = np.nan
    return x


def autoregression(context_length, horizon=1, lead_time=0):
    weights = np.linspace(1, 2, context_length)
    return naive.Autoregression(
        weights / weights.sum(), 0.4, horizon, lead_time
    )


def filter_of(targets, forecaster, kind, max_run, labels=None, **settings):
    entries = [{"target": target, "start": START} for target in targets]
    if labels is not None:
        for entry, label in zip(entries, labels):
            entry["label"] = label
    panel = Panel.of(entries, None if labels is None else "label")
    log_anomalous = panel.values.map(
        lambda block: np.where(np.isnan(block), np.nan, -np.log(15))
    )
    return Filter(
        forecaster,
        panel,
        forecaster.prepare(panel),
        [settings.pop("chain", IndicatorChain(0.02, 0.02, 0.6))]
        * len(panel[0]),
        log_anomalous,
        Treatment.of(panel.values, kind, max_run),
        [settings.pop("widening", 1.0)] * len(panel[0]),
        [max_run] * len(panel[0]),
        **settings,
    )


def assert_same_as_point_by_point(filter, settled):
    values = filter.panel.values
    probability = settled.verdicts.probability
    num_replaced = 0
    rows = zip(
        values.rows(),
        probability.rows(),
        settled.targets.rows(),
        filter.log_anomalous.rows(),
    )
    for (i, j, x), (_, _, p), (_, _, target), (_, _, log_anomalous) in rows:
        expected = naive.settle(filter, i, x, log_anomalous)
        name = f"row {j} of entry {i}"
        assert_allclose(
            p, expected.probability, rtol=0, atol=PROMISED, err_msg=name
        )
        # In sds of the series, and a forecaster's mean passes them on.
        atol = 2 * PROMISED * np.std(expected.targets)
        assert_allclose(target, expected.targets, atol=atol, err_msg=name)
        assert_array_equal(
            p > filter.threshold, expected.probability > filter.threshold
        )
        num_replaced += expected.replaced.sum()
    return num_replaced


@pytest.mark.parametrize("kind", ["impute", "mask"])
@pytest.mark.parametrize("max_run", [3, 6, np.inf])
@pytest.mark.parametrize("horizon, lead_time", [(1, 0), (3, 0), (2, 2)])
@pytest.mark.parametrize("recalibrates", [False, True])
def test_a_filter_comes_to_the_same_as_point_by_point(
    kind, max_run, horizon, lead_time, recalibrates
):
    rng = np.random.default_rng([horizon, lead_time])
    targets = [troubled(rng, length) for length in [80, 120] * 22]
    targets += [targets[0][:10]]
    forecaster = autoregression(24, horizon, lead_time)

    threshold = 0.9 if max_run == 6 else 0.5
    filter = filter_of(
        targets,
        forecaster,
        kind,
        max_run,
        threshold=threshold,
        recalibrates=recalibrates,
    )
    num_replaced = assert_same_as_point_by_point(filter, filter.settle())

    assert num_replaced > 2 * len(targets)


def test_each_dimension_is_filtered_by_itself():
    rng = np.random.default_rng(0)
    targets = [
        np.stack([troubled(rng, length) for _ in range(3)])
        for length in (80, 120, 120)
    ]
    filter = filter_of(targets, autoregression(24), "impute", 4)

    assert_same_as_point_by_point(filter, filter.settle())


@pytest.mark.parametrize("kind", ["impute", "mask"])
def test_a_filter_with_a_short_context_comes_to_the_same(kind):
    rng = np.random.default_rng(1)
    targets = [troubled(rng, 80) for _ in range(20)]
    filter = filter_of(targets, autoregression(4), kind, 3)

    assert_same_as_point_by_point(filter, filter.settle())


def test_a_replacement_that_changes_nothing_widens_what_follows():
    x = np.rint(np.random.default_rng(2).normal(10, 0.3, 60))
    x[30] = x[40] = 25.0
    x[31] = np.rint(np.mean(x[10:30]))  # flagged with its neighbour
    chain = IndicatorChain(0.02, 0.02, 0.9999)
    forecaster = naive.Autoregression(np.full(24, 1 / 24), 1.0)
    filter = filter_of([x], forecaster, "impute", 6, chain=chain)

    assert_same_as_point_by_point(filter, filter.settle())


@pytest.mark.parametrize("kind", ["impute", "mask"])
def test_a_filter_with_the_least_bound_comes_to_the_same(kind):
    rng = np.random.default_rng(3)
    targets = [troubled(rng, 120) for _ in range(200)]
    filter = filter_of(targets, autoregression(24), kind, 1)

    assert_same_as_point_by_point(filter, filter.settle())


@pytest.mark.parametrize("kind", ["impute", "mask"])
def test_the_end_does_not_depend_on_the_beginning(kind):
    rng = np.random.default_rng(4)
    targets = [troubled(rng, 100) for _ in range(20)]
    filter = filter_of(targets, autoregression(24), kind, 4)
    elsewhere = filter.panel.values.map(
        lambda block: rng.normal(10, 3, block.shape)
    )

    settled = filter.settle(elsewhere)

    assert_same_as_point_by_point(filter, settled)


def test_points_before_the_first_context_have_the_chain_alone():
    x = troubled(np.random.default_rng(5), 60)
    chain = IndicatorChain(0.3, 0.02, 0.6)
    filter = filter_of([x], autoregression(24), "impute", 3, chain=chain)

    p = [chain.p_start]
    while len(p) < 24:
        p.append(chain.p_enter + (chain.p_stay - chain.p_enter) * p[-1])
    found = filter.settle().verdicts.probability.entries[0]
    assert_allclose(found[:24], p, rtol=1e-12)


@pytest.mark.parametrize("bound", [1, 3, 6])
@pytest.mark.parametrize("seed", range(5))
def test_a_level_that_stays_is_accepted(bound, seed):
    """Within a context and twice the bound, though it is 5 sds away."""
    x = np.random.default_rng(seed).normal(10, 0.3, 160)
    x[60:] += 5 * 0.4
    settled = filter_of([x], autoregression(24), "impute", bound).settle()

    replaced = settled.verdicts.replaced.entries[0]
    p = settled.verdicts.probability.entries[0]
    assert replaced[60]
    assert max(map(len, naive.runs(replaced))) <= bound
    assert p[60 + 24 + 2 * bound :].max() < 0.5
    assert not replaced[60 + 24 + 2 * bound :].any()


@pytest.mark.parametrize("length", [1, 2, 5])
def test_a_run_that_is_not_longer_than_the_bound_is_not_accepted(length):
    x = np.random.default_rng(6).normal(10, 0.3, 120)
    x[60 : 60 + length] += 5 * 0.4
    settled = filter_of([x], autoregression(24), "impute", 5).settle()

    replaced = settled.verdicts.replaced.entries[0]
    assert_array_equal(np.flatnonzero(replaced), 60 + np.arange(length))
    assert (settled.targets.entries[0][60 : 60 + length] < 11).all()


def test_without_a_bound_a_filter_locks_itself_out():
    x = np.random.default_rng(6).normal(10, 0.3, 120)
    x[60:] += 8
    locked = filter_of([x], autoregression(24), "impute", np.inf).settle()

    assert (locked.targets.entries[0][60:] < 14).all()


def test_the_chain_starts_again_where_points_are_accepted():
    x = np.random.default_rng(6).normal(10, 0.3, 120)
    x[60:] += 8
    chain = IndicatorChain(0.02, 0.02, 0.999)
    filter = filter_of([x], autoregression(24), "impute", 3, chain=chain)
    settled = filter.settle()

    # Of the first point that is accepted, the next one knows nothing.
    verdicts = settled.verdicts
    evidence = filter.log_anomalous.entries[0] - verdicts.log_normal.entries[0]
    believed = (verdicts.log_odds.entries[0] - evidence)[64]
    assert believed == pytest.approx(np.log(0.02 / 0.98))


def test_labels_are_never_overruled():
    x = np.random.default_rng(7).normal(10, 0.3, 80)
    x[40:43] += 9
    labels = np.full(80, np.nan)
    labels[41], labels[60] = 0, 1

    filter = filter_of([x], autoregression(24), "impute", 5, [labels])
    settled = filter.settle()

    p = settled.verdicts.probability.entries[0]
    assert_array_equal(p[[40, 41, 60]] > 0.5, [True, False, True])
    replaced = settled.targets.entries[0] != x
    assert_array_equal(replaced[[40, 41, 60]], [True, False, True])


def test_in_hindsight_gaps_are_bridged():
    x = np.sin(np.arange(120) / 9) + 10
    x[60:66] += 6
    filter = filter_of([x], autoregression(24), "impute", 24)
    settled = filter.settle()

    behind = filter.look_back(settled).targets.entries[0]

    flags = np.zeros((1, 120))
    flags[0, 60:66] = 1
    expected = settled.scores.bells.expected.entries[0][None]
    bridged = naive.fill(x[None], flags, expected)[0]
    ahead = settled.targets.entries[0]
    assert abs(ahead - bridged)[60:66].max() > 0.1
    # Expectations after the gap have moved a little meanwhile.
    assert_allclose(behind[60:66], bridged[60:66], atol=0.2)


@pytest.mark.parametrize(
    "length",
    [
        0,
        1,
    ],
)
@pytest.mark.filterwarnings("ignore:(Degrees|invalid value|Mean of)")
def test_a_series_that_is_too_short_has_the_chain_alone(length):
    filter = filter_of([np.zeros(length)], autoregression(4), "impute", 3)

    found = filter.settle().verdicts.probability.entries[0]

    assert_allclose(found, [0.02] * length, rtol=1e-6)


def test_a_series_without_any_value_stays_finite():
    targets = [np.full(40, np.nan), np.ones(40)]
    filter = filter_of(targets, autoregression(4), "impute", 3)

    assert np.isfinite(filter.settle().targets.entries[0]).all()


@pytest.mark.parametrize("tolerance", [FINE, COARSE])
@pytest.mark.parametrize("size", [1e3, 1e8])
def test_one_enormous_value_does_not_blur_the_rest(size, tolerance):
    x = np.random.default_rng(9).normal(10, 0.3, 200)
    x[130:132] += 3.0
    hit = x.copy()
    hit[60] = size

    one, two = (
        filter_of(
            [series], autoregression(8), "impute", 3, tolerance=tolerance
        ).settle()
        for series in (x, hit)
    )

    assert two.verdicts.replaced.entries[0][[60, 130, 131]].all()
    later = [settled.targets.entries[0][100:] for settled in (one, two)]
    # The forecaster looks back on eight points.
    assert_allclose(*later, atol=tolerance)


def test_a_filter_does_not_look_ahead():
    x = np.random.default_rng(8).normal(10, 0.3, 40)
    x[:6] = np.nan
    other = x.copy()
    other[6] += 20  # the first value is scored in the light of itself

    one, two = (
        filter_of([series], autoregression(4), "mask", 3).settle()
        for series in (x, other)
    )

    for settled in (one, two):
        assert np.isnan(settled.scores.bells.expected.entries[0][6])
        log_normal = settled.verdicts.log_normal.entries[0]
        assert np.isnan(log_normal[6])
        assert np.isfinite(log_normal[7:]).all()


@pytest.mark.parametrize("reach", [1, 3, 10, 100])
def test_a_change_reaches_the_points_after_it(reach):
    changed = np.random.default_rng(reach).random((20, 40)) < 0.05

    expected = [
        [row[max(0, t - reach) : t].any() for t in range(40)]
        for row in changed
    ]
    assert_array_equal(reached(changed, reach), expected)


def test_the_spread_counts_missing_and_replaced_points():
    x = np.array([1.0, 1.0, 1.0, 1.0, np.nan, 99.0, 1.0, 1.0, 1.0])
    filter = filter_of([x], autoregression(4), "impute", 3, widening=1.7)

    spread = filter.settle().verdicts.spread.entries[0]

    # Each point seen halves what there is to guess.
    variance = np.array([1, 1, 1, 1, 1, 2, 3, 2, 1.5])
    assert_allclose(spread, 1.7 * np.sqrt(variance), rtol=1e-12)


def test_all_densities_may_be_wider_than_the_forecaster_says():
    x = troubled(np.random.default_rng(9), 80)
    forecaster = autoregression(24)
    filter = filter_of([x], forecaster, "impute", 5, widening=1.7)

    assert_same_as_point_by_point(filter, filter.settle())
    wider = filter_of(
        [x], forecaster._replace(sd=1.7 * 0.4), "impute", 5
    ).settle()
    assert_allclose(
        filter.settle().verdicts.probability.entries[0],
        wider.verdicts.probability.entries[0],
        atol=PROMISED,
    )


def test_tails_may_be_lighter_than_the_forecaster_says():
    x = troubled(np.random.default_rng(10), 80)
    heavy = autoregression(24)._replace(df=3.0)
    filter = filter_of([x], heavy, "impute", 5, tails=[4.0])
    light = filter_of([x], heavy._replace(df=12.0), "impute", 5)

    assert_same_as_point_by_point(light, filter.settle())


def test_recalibration_follows_a_forecaster_that_is_too_sure():
    rng = np.random.default_rng(11)
    x = rng.normal(10, 3 * 0.4, 2_000)
    sure = filter_of([x], autoregression(24), "impute", 3)
    followed = sure._replace(recalibrates=True).settle().verdicts

    before = sure.settle().verdicts
    assert np.mean(before.probability.entries[0] > 0.5) > 0.05
    assert np.mean(followed.probability.entries[0][500:] > 0.5) < 0.005
    # Three times as wide; a mean of about 200 squares has an error of 10 %.
    spread = np.median(followed.spread.entries[0][500:])
    assert spread == pytest.approx(3.0, rel=0.2)


def test_recalibration_leaves_a_forecaster_that_is_right_alone():
    rng = np.random.default_rng(12)
    forecaster = naive.Autoregression(np.full(24, 1e-9), 0.4, df=4.0)
    x = 0.4 * rng.standard_t(4, 4_000)
    x[0] = -3.5  # so that nothing is confined
    filter = filter_of(
        [x], forecaster, "mask", 3, recalibrates=True, threshold=1 - 1e-9
    )

    spread = filter.settle().verdicts.spread.entries[0][500:]

    # Forgetting 1 %, its sd is about that of the mean of 200 squares.
    assert np.mean(spread) == pytest.approx(1.0, abs=0.05)
    assert np.std(spread) < 0.12


def test_a_filter_tells_how_many_passes_it_took(caplog):
    x = troubled(np.random.default_rng(13), 120)

    with caplog.at_level("DEBUG", logger="gluonts_lai.filtering"):
        filter_of([x], autoregression(24), "impute", 3).settle()

    assert "settled in" in caplog.text


def test_troubled_series_settle_in_few_passes(caplog):
    """Not in one for each point, as a wave through them would need."""
    rng = np.random.default_rng(14)
    targets = [troubled(rng, 600) for _ in range(50)]

    with caplog.at_level("DEBUG", logger="gluonts_lai.filtering"):
        settled = filter_of(targets, autoregression(24), "impute", 3).settle()

    num_passes = int(caplog.text.split("settled in ")[1].split()[0])
    num_replaced = settled.verdicts.replaced.map(np.atleast_2d).total()
    assert num_passes < 60 < num_replaced
    assert settled.spent < 3
