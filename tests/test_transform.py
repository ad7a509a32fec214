"""
What training sees: ordinary values, and which of them count.
"""

import numpy as np
import pytest
from gluonts.dataset.common import ListDataset
from gluonts.transform import AddObservedValuesIndicator
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai.panel.table import Table
from gluonts_lai.transform import Clean, Rows, TreatAnomalies, Treatment

from . import naive


@pytest.fixture
def problem():
    """Values with gaps, a path, expectations; of both shapes."""
    rng = np.random.default_rng(0)
    shapes = [(30,), (2, 20), (30,)]
    values = [rng.normal(size=shape) for shape in shapes]
    for value in values:
        value[rng.random(value.shape) < 0.1] = np.nan
    path = [(rng.random(s) < 0.3).astype(np.uint8) for s in shapes]
    expected = [rng.normal(size=shape) for shape in shapes]
    return (
        Table.of(values, float),
        Table.of(path, np.uint8),
        Table.of(expected, float),
    )


def test_targets_and_observed_values_are_exchanged():
    data = ListDataset(
        [
            {"start": "2020-01-01", "target": [1.0, np.nan, 99.0]},
            {"start": "2020-01-01", "target": [5.0, 6.0]},
        ],
        freq="D",
    )
    add = AddObservedValuesIndicator("target", "observed_values")
    entries = list(add(iter(data), is_train=True))
    before = [{k: np.copy(v) for k, v in e.items()} for e in entries]
    targets = [np.array([1.0, 2.0, 3.0]), np.array([5.0, 6.0])]
    observed = [np.array([True, False, False]), np.array([True, True])]

    treated = list(TreatAnomalies(targets, observed)(iter(entries), True))

    for entry, target, seen, old in zip(treated, targets, observed, entries):
        assert_array_equal(entry["target"], target)
        assert_array_equal(entry["observed_values"], seen)
        for name in ("target", "observed_values"):
            assert entry[name].dtype == old[name].dtype
        assert entry["start"] == old["start"]
    for entry, old in zip(entries, before):
        assert_array_equal(entry["target"], old["target"])
        assert_array_equal(entry["observed_values"], old["observed_values"])


def test_a_target_keeps_the_shape_that_the_network_gave_it():
    entry = {"target": np.zeros((1, 2), np.float32)}

    treat = TreatAnomalies([np.array([1.0, 2.0])], [np.ones(2)])

    (treated,) = treat(iter([entry]), is_train=True)
    assert_array_equal(treated["target"], [[1.0, 2.0]])
    assert "observed_values" not in treated


@pytest.mark.parametrize("kind", ["impute", "mask"])
@pytest.mark.parametrize("max_run", [2, np.inf])
def test_series_are_cleaned_in_hindsight(problem, kind, max_run):
    values, path, expected = problem

    clean = Treatment.of(values, kind, max_run).clean(values, path, expected)

    targets, observed = clean.targets.rows(), clean.observed.rows()
    for (i, j, row), (_, _, target), (_, _, seen) in zip(
        values.rows(), targets, observed
    ):
        z = path.entries[i].reshape(-1, row.size)[j].copy()
        for run in naive.runs(z):
            z[[t for n, t in enumerate(run) if n >= max_run]] = 0
        guess = expected.entries[i].reshape(-1, row.size)[j]
        guess = guess[None] if kind == "impute" else None
        filled = naive.fill(row[None], z[None], guess)[0]
        low, high = np.nanmin(row), np.nanmax(row)
        filled = np.clip(filled, 2 * low - high, 2 * high - low)
        assert_allclose(target, filled, rtol=1e-12)
        assert_array_equal(seen, (z == 0) & ~np.isnan(row))


def test_without_hindsight_nothing_is_bridged(problem):
    values, path, expected = problem
    far = expected.map(lambda block: block / 9)  # within what is possible

    targets = Treatment.of(values, "impute").replace(
        values, path, far, bridge=False
    )

    for k, block in enumerate(values.blocks):
        gap = (path.blocks[k] == 1) | np.isnan(block)
        assert_allclose(targets.blocks[k], np.where(gap, far.blocks[k], block))


def test_as_observed_only_missing_values_are_filled(problem):
    values, path, _ = problem

    clean = Clean.as_observed(values)

    for k, block in enumerate(values.blocks):
        nowhere = np.zeros(block.shape)
        assert_array_equal(clean.targets.blocks[k], naive.fill(block, nowhere))
        assert_array_equal(clean.observed.blocks[k], ~np.isnan(block))


def test_replacements_stay_within_reach():
    values = np.array([[-1.5, 0.5, np.nan], [1.5, 4.5, 2.0], [0.5, 0.5, 0.5]])
    guess = np.array([[-9.0, 0.2, 99.0]] * 3)

    confined = Rows.of(values).confine(guess)

    # As far again on either side, but not below 0 where nothing is; nothing
    # beside a constant.
    expected = [[-3.5, 0.2, 2.5], [0, 0.2, 7.5], [0.5, 0.5, 0.5]]
    assert_array_equal(confined, expected)


@pytest.mark.parametrize("unit, is_whole", [(1.0, True), (0.25, False)])
def test_counts_are_replaced_by_counts(unit, is_whole):
    values = unit * np.array([[4.0, 7.0, np.nan, 5.0]])

    confined = Rows.of(values).confine(np.array([[4.4, 4.6, 1.1, 2.0]]) * unit)

    assert (confined == np.rint(confined)).all() == is_whole


def test_a_series_without_any_value_is_zero():
    clean = Clean.as_observed(Table.of([np.full(5, np.nan)], float))

    assert_array_equal(clean.targets.entries[0], np.zeros(5))
