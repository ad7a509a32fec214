"""
Entries transformed once are what a predictor would see at any time.
"""

import numpy as np
import pandas as pd
import pytest
from gluonts.time_feature import day_of_week, month_of_year
from gluonts.transform import (
    AddAgeFeature,
    AddObservedValuesIndicator,
    AddTimeFeatures,
    AsNumpyArray,
    Chain,
    VstackFeatures,
)
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai.nominal.prepared import Prepared, extended
from gluonts_lai.nominal.scaling import series_scale, series_scales
from gluonts_lai.nominal.treated import Treated
from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table
from gluonts_lai.transform import Clean, Treatment

HORIZON, CONTEXT = 3, 5
LENGTHS = [20, 12, 20]
TRANSFORMATION = Chain(
    [
        AddObservedValuesIndicator("target", "observed_values"),
        AddTimeFeatures(
            "start",
            "target",
            "time_feat",
            [day_of_week, month_of_year],
            pred_length=HORIZON,
        ),
        AddAgeFeature("target", "age", pred_length=HORIZON),
        VstackFeatures("time_feat", ["time_feat", "age", "feat_dynamic_real"]),
        AsNumpyArray("feat_static_cat", expected_ndim=1),
    ]
)


@pytest.fixture
def entries():
    rng = np.random.default_rng(0)
    entries = [
        {
            "start": pd.Period("2024-01-30", "D"),
            "target": rng.normal(5, 2, n).astype(np.float32),
            "feat_dynamic_real": rng.normal(size=(2, n + HORIZON)),
            "feat_static_cat": np.array([1, 2]),
            "item_id": f"{n}",
        }
        for n in LENGTHS
    ]
    entries[0]["target"][4] = np.nan
    entries[2]["target"][:] = np.nan
    return entries


def prepared_of(entries, scaling=False):
    panel = Panel.of(entries)
    scales = series_scales(panel.values, CONTEXT)
    prepared = Prepared.of(panel, TRANSFORMATION, scales, HORIZON, scaling)
    return panel, prepared


def test_each_series_is_one_horizon_longer(entries):
    _, prepared = prepared_of(entries)

    assert prepared.has_observed
    for entry, n in zip(prepared.entries, LENGTHS):
        for name in ("target", "observed_values", "time_feat"):
            assert entry[name].shape[-1] == n + HORIZON
        assert (entry["observed_values"][n:] == 0).all()


def test_what_is_known_of_the_future_is_kept(entries):
    _, prepared = prepared_of(entries)

    for entry, old in zip(prepared.entries, entries):
        features = entry["time_feat"][-2:]
        assert_allclose(features, old["feat_dynamic_real"], rtol=1e-6)


def test_the_callers_entries_are_left_as_they_were(entries):
    before = [{k: np.copy(v) for k, v in entry.items()} for entry in entries]

    panel, prepared = prepared_of(entries)
    prepared.context(0, np.zeros(20))
    Treated(prepared, Clean.as_observed(panel.values))

    for entry, old in zip(entries, before):
        assert set(entry) == set(old)
        for name in ("target", "feat_dynamic_real", "feat_static_cat"):
            assert_array_equal(entry[name], old[name])


@pytest.mark.parametrize("end", [6, 12])
def test_at_any_time_an_entry_is_what_a_predictor_would_see(entries, end):
    _, prepared = prepared_of(entries)
    target = np.nan_to_num(entries[0]["target"])

    seen = prepared.until(prepared.context(0, target), end)

    history = {
        **entries[0],
        "target": target[:end],
        "feat_dynamic_real": entries[0]["feat_dynamic_real"][
            :, : end + HORIZON
        ],
    }
    (expected,) = TRANSFORMATION(iter([history]), is_train=False)
    assert set(seen) == set(expected)
    for name, field in expected.items():
        assert_array_equal(seen[name], field, err_msg=name)


@pytest.mark.parametrize("scaling", [False, True])
def test_a_context_is_looked_back_on(entries, scaling):
    panel, prepared = prepared_of(entries, scaling)
    context = np.arange(20.0)

    entry = prepared.context(0, context)

    if scaling:
        scale = series_scale(panel.values.entries[0], CONTEXT)
        context = scale.apply(context)
    assert_allclose(entry["target"][:20], context, rtol=1e-6)  # float32
    assert_array_equal(entry["target"][20:], [0] * HORIZON)
    assert_array_equal(entry["observed_values"], [1] * 20 + [0] * HORIZON)
    # The next one is made from the entries as they were.
    assert prepared.entries[0]["observed_values"][4] == 0


@pytest.mark.parametrize("scaling", [False, True])
def test_training_sees_clean_series_in_their_own_length(entries, scaling):
    panel, prepared = prepared_of(entries[:2], scaling)
    path = Table.of([np.arange(n) % 7 == 5 for n in LENGTHS[:2]], np.uint8)
    clean = Treatment.of(panel.values, "mask").clean(panel.values, path)

    treated = Treated(prepared, clean)

    for i, (entry, n) in enumerate(zip(treated, LENGTHS)):
        target = clean.targets.entries[i]
        if scaling:
            target = series_scale(panel.values.entries[i], CONTEXT).apply(
                target
            )
        assert_allclose(entry["target"], target, rtol=1e-6)
        assert_array_equal(entry["observed_values"], clean.observed.entries[i])
        assert entry["time_feat"].shape[-1] == n
        assert_array_equal(entry["feat_static_cat"], [1, 2])


def test_series_without_any_value_are_not_trained_on(entries):
    panel, prepared = prepared_of(entries)

    treated = Treated(prepared, Clean.as_observed(panel.values))

    assert [entry["item_id"] for entry in treated] == ["20", "12"]


def test_what_is_not_known_ahead_stays():
    target = np.array([[1.0, 2.0, 3.0]])
    entry = {
        "target": target,
        "known": np.array([[1, 2, 3, 4]]),
        "label": [0, 1, 0],
        "feat_static_real": np.array([9.0, 8.0, 7.0, 6.0]),
        "short": np.array([1.0]),
        "item_id": "a longer name",
    }

    longer = extended(entry, target, horizon=2)

    assert_array_equal(longer["target"], [[1, 2, 3, np.nan, np.nan]])
    assert_array_equal(longer["known"], [[1, 2, 3, 4, 4]])
    assert_array_equal(longer["label"], [0, 1, 0, 0, 0])
    for name in ("feat_static_real", "short", "item_id"):
        assert longer[name] is entry[name]
    assert entry["target"] is target and target.shape == (1, 3)
