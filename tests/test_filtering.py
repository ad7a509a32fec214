"""
Filtering all points at once comes to the same as one after the other.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai.filtering import Filter, unseen_steps
from gluonts_lai.fronts import accept, hold_back, is_settled, reached
from gluonts_lai.indicator import IndicatorChain
from gluonts_lai.panel import Panel
from gluonts_lai.table import Table
from gluonts_lai.transform import Treatment

from . import naive

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
        **settings,
    )


def assert_same_as_point_by_point(filter, settled):
    values = filter.panel.values
    probability = values.with_blocks([f.filtered for f in settled.filtered])
    num_replaced = 0
    rows = zip(
        values.rows(),
        probability.rows(),
        settled.targets.rows(),
        filter.log_anomalous.rows(),
    )
    for (i, j, x), (_, _, p), (_, _, target), (_, _, log_anomalous) in rows:
        expected = naive.settle(
            filter.nominal,
            x,
            filter.chains[i],
            log_anomalous,
            filter.treatment.kind,
            filter.threshold,
            filter.treatment.max_run,
        )
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
def test_a_filter_comes_to_the_same_as_point_by_point(
    kind, max_run, horizon, lead_time
):
    rng = np.random.default_rng([horizon, lead_time])
    targets = [troubled(rng, length) for length in [80, 120] * 22]
    targets += [targets[0][:10]]
    forecaster = autoregression(24, horizon, lead_time)

    threshold = 0.9 if max_run == 6 else 0.5
    filter = filter_of(targets, forecaster, kind, max_run, threshold=threshold)
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

    (filtered,) = filter.settle().filtered

    p = [chain.p_start]
    while len(p) < 24:
        p.append(chain.p_enter + (chain.p_stay - chain.p_enter) * p[-1])
    assert_allclose(filtered.filtered[0, :24], p, rtol=1e-6)  # float32


def test_what_lasts_longer_than_the_bound_is_how_the_series_is_now():
    x = np.random.default_rng(6).normal(10, 0.3, 120)
    x[60:] += 8
    locked = filter_of([x], autoregression(24), "impute", np.inf).settle()
    bound = filter_of([x], autoregression(24), "impute", 5).settle()

    assert (locked.targets.entries[0][60:] < 14).all()
    assert (bound.targets.entries[0][60:65] < 14).all()
    assert_array_equal(bound.targets.entries[0][65:89], x[65:89])
    assert bound.filtered[0].filtered[0, 100:].max() < 0.5


def test_labels_are_never_overruled():
    x = np.random.default_rng(7).normal(10, 0.3, 80)
    x[40:43] += 9
    labels = np.full(80, np.nan)
    labels[41], labels[60] = 0, 1

    filter = filter_of([x], autoregression(24), "impute", 5, [labels])
    settled = filter.settle()

    p = settled.filtered[0].filtered[0]
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
    expected = settled.scores.expected.entries[0][None]
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

    (filtered,) = filter.settle().filtered

    assert_allclose(filtered.filtered[0], [0.02] * length, rtol=1e-6)


def test_a_series_without_any_value_stays_finite():
    targets = [np.full(40, np.nan), np.ones(40)]
    filter = filter_of(targets, autoregression(4), "impute", 3)

    assert np.isfinite(filter.settle().targets.entries[0]).all()


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
        assert np.isnan(settled.scores.expected.entries[0][6])
        assert np.isnan(settled.scores.log_normal.entries[0][6])
        assert np.isfinite(settled.scores.log_normal.entries[0][7:]).all()


@pytest.mark.parametrize("reach", [1, 3, 10, 100])
def test_a_change_reaches_the_points_after_it(reach):
    changed = np.random.default_rng(reach).random((20, 40)) < 0.05

    expected = [
        [row[max(0, t - reach) : t].any() for t in range(40)]
        for row in changed
    ]
    assert_array_equal(reached(changed, reach), expected)


def test_each_point_seen_halves_what_there_is_to_guess():
    unseen = np.array([[0, 1, 1, 0, 0, 1, 0]], bool)

    assert_array_equal(unseen_steps(unseen), [[0, 0, 1, 2, 1, 0.5, 1.5]])


def test_the_spread_counts_missing_and_replaced_points():
    x = np.array([1.0, np.nan, 2.0, 3.0, 4.0])
    filter = filter_of([x], autoregression(4), "impute", 3)
    flags = Table.of([np.array([0, 0, 1, 0, 0])], np.uint8)

    variance = [[1, 1, 2, 3, 2]]
    assert_allclose(np.square(filter.spread(flags).blocks[0]), variance)
    none = filter.spread(Table.of([np.zeros(5)], np.uint8)).blocks[0]
    assert_allclose(np.square(none), [[1, 1, 2, 1.5, 1.25]])


def test_all_densities_may_be_wider_than_the_forecaster_says():
    x = troubled(np.random.default_rng(9), 80)
    forecaster = autoregression(24)
    filter = filter_of([x], forecaster, "impute", 5, widening=1.7)
    settled = filter.settle()

    wider = filter._replace(nominal=forecaster._replace(sd=1.7 * 0.4))

    assert_same_as_point_by_point(wider, settled)


def test_long_runs_wait_for_what_is_before_them():
    flags = np.zeros((4, 12), bool)
    flags[:, 1:4] = flags[:, 6:10] = True  # one of 3, one of 4
    is_moving = np.zeros((4, 12), bool)
    is_moving[0] = is_moving[1, 6] = True  # where scores are to change
    is_moving[2, 7:] = True

    waiting = hold_back(flags, is_moving)

    assert_array_equal(waiting, [6, 6, 12, 12])
    assert flags[:, 1:4].all()
    assert_array_equal(flags[:, 6:10].all(1), [False, False, True, True])
    assert_array_equal(flags.sum(1), [3, 3, 7, 7])


def test_runs_are_accepted_one_at_a_time_and_only_if_they_stand_still():
    shape = (4, 20)
    flags = np.zeros(shape, bool)
    flags[:3, 2:7] = flags[:3, 12:17] = True  # rows 0 to 2: two runs of 5
    flags[3, 2:4] = True  # as many as are replaced
    fronts = [np.array([20, 3, 4, 20])]  # up to where each row has settled
    accepted = np.zeros(shape, np.uint8)

    num = accept(as_table(accepted), as_table(flags), fronts, 2, 4)

    expected = np.zeros(shape)
    expected[[0, 2], 4:8] = 1
    assert_array_equal(accepted, expected)
    assert num == 2


def as_table(block):
    return Table.of(list(block), block.dtype).with_blocks([block])


def test_a_data_set_has_settled_once_all_its_rows_have():
    values = Table.of([np.zeros(3), np.zeros(5), np.zeros(5)], float)

    assert is_settled([np.array([3]), np.array([5, 5])], values)
    assert not is_settled([np.array([3]), np.array([5, 4])], values)
