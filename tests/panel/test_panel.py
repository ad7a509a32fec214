"""
Whatever is wrong with a data set is said in one sentence.
"""

import numpy as np
import pandas as pd
import pytest
from gluonts.dataset.common import ListDataset
from numpy.testing import assert_array_equal

from gluonts_lai.panel import Panel, training_panel

GOOD = np.array([1.0, np.nan, 3.0, 2.0])
START = pd.Period("2024-01-01", "D")


def make(target=GOOD, **fields):
    return {"start": START, "target": target, **fields}


def test_a_panel_holds_targets_and_labels_in_order():
    data = ListDataset(
        [
            {"start": "2020", "target": [1.0, np.nan], "item_id": "a"},
            {"start": "2020", "target": [1.0, 2.0, 3.0], "known": [0, 1, 0.5]},
        ],
        freq="D",
    )

    panel = Panel.of(data, label_field="known")

    assert_array_equal(panel.values.entries[0], [1.0, np.nan])
    assert_array_equal(panel.values.entries[1], [1.0, 2.0, 3.0])
    assert_array_equal(panel.labels.entries[0], [np.nan, np.nan])
    assert_array_equal(panel.labels.entries[1], [0, 1, 0.5])
    assert panel.item_ids() == ["a", None]
    assert panel.names() == ["entry 0 ('a')", "entry 1"]


def test_nothing_of_the_caller_is_written_to():
    target = GOOD.copy()
    panel = Panel.of([make(target)])

    panel.values.entries[0][...] = 0

    assert_array_equal(target, GOOD)
    assert Panel.of([make(target)]).labels is None


@pytest.mark.parametrize(
    "dtypes, expected",
    [("f", "f"), ("ff", "f"), ("fd", "d"), ("i", "d"), ("?", "d")],
)
def test_single_precision_is_kept_where_all_have_it(dtypes, expected):
    data = [make(np.ones(3, dtype)) for dtype in dtypes]

    assert Panel.of(data).values.blocks[0].dtype == np.dtype(expected)


def test_masked_points_are_missing():
    target = np.ma.masked_array([1.0, 2.0], [True, False])

    (entry,) = Panel.of([make(target)]).values.entries

    assert_array_equal(entry, [np.nan, 2.0])


def test_an_entry_has_values_if_each_dimension_has_one():
    nan = np.nan
    single = [GOOD, [nan, nan], []]
    double = [[[1, nan], [nan, nan]], [[1, nan], [nan, 1]]]

    one, two = (
        Panel.of([make(np.array(t, float)) for t in targets])
        for targets in (single, double)
    )

    assert_array_equal(one.has_values(), [True, False, False])
    assert_array_equal(two.has_values(), [False, True])


def test_entries_are_remembered_by_name_or_by_position():
    entries = [make(GOOD), make(GOOD)]
    entries[1].pop("item_id", None)
    entries[0]["item_id"] = "a"

    assert Panel.of(entries).keys() == ["a", "#1"]
    assert Panel.of(entries, first=128).keys() == ["a", "#129"]


def test_targets_have_the_same_dimensions():
    entries = [make(GOOD), make(np.ones((2, 5)))]

    with pytest.raises(ValueError, match=r"got shape \(2, 5\) in entry 1"):
        Panel.of(entries)


@pytest.mark.parametrize(
    "entry, message",
    [
        ({"start": START}, "a mapping with a target, got none in entry 1"),
        (None, "a mapping with a target, got none in entry 1"),
        (
            {"target": GOOD},
            "must have a start, got none in entry 1; give the pandas.Period",
        ),
        (
            make(np.array([0, np.inf]), item_id="x"),
            r"target of entry 1 \('x'\) must be finite, or NaN .*got inf at "
            "time 1; replace infinite values by NaN",
        ),
        (
            make(np.array([[0, 0], [-np.inf, 0]])),
            r"target of entry 1 must be finite.*got \[  0. -inf\] at time 0",
        ),
        (
            make(np.zeros((2, 2, 2))),
            r"entry 1 must have shape \(time,\) or \(dim, time\), got "
            r"\(2, 2, 2\)",
        ),
        (make(np.array(3.0)), r"\(time,\) or \(dim, time\), got \(\)"),
        (make(np.zeros((0, 5))), r"or \(dim, time\), got \(0, 5\)"),
        (
            make(np.array([1, 4e38])),
            r"target of entry 1 must lie within ±3.4e\+38, got 1 to 4e\+38; "
            "give it in larger units",
        ),
        (
            make([1, 10**400]),
            "target of entry 1 must be an array of real numbers, got",
        ),
        (
            make(GOOD, feat_dynamic_real=np.zeros((1, 1, 4))),
            r"field 'feat_dynamic_real' of entry 1 must have shape \(time,\) "
            r"or \(number, time\), got \(1, 1, 4\)",
        ),
        (
            make(["a", "b"]),
            "target of entry 1 must be an array of real numbers, got",
        ),
        (
            make(np.array([1j])),
            "target of entry 1 must be an array of real.*got dtype complex",
        ),
    ],
)
def test_a_target_must_be_a_series(entry, message):
    with pytest.raises(ValueError, match=message):
        Panel.of([make(GOOD), entry])


def test_a_part_of_a_data_set_keeps_its_positions():
    labels = [0, 0, 0, 7]

    for wrong in (make(np.array([np.inf])), make(known=labels)):
        with pytest.raises(ValueError, match="of entry 130"):
            Panel.of([make(), make(), wrong], "known", first=128)


@pytest.mark.parametrize(
    "labels, message",
    [
        (
            [0.0, 1.0],
            r"field 'known' of entry 0 \('x'\) must have one label for each "
            r"point, got shape \(2,\) for a target of shape \(4,\); use NaN",
        ),
        ([[0, 0, 0, 0]], r"one label for each point, got shape \(1, 4\)"),
        (
            [0, np.nan, 2, -3],
            r"'known' of entry 0 .*must be 1 \(anomalous\), 0 \(nominal\), "
            r"between them or NaN \(unknown\), got -3 to 2",
        ),
        ([0, 0, 0, -0.5], "between them or NaN .*, got -0.5 to 0"),
        ([0, 0, 0, np.inf], "between them or NaN .*, got 0 to inf"),
        ([0, 0, 0, "x"], "'known' of entry 0 .*an array of real numbers"),
    ],
)
def test_labels_must_be_shares_one_for_each_point(labels, message):
    data = [make(GOOD, known=labels, item_id="x")]

    with pytest.raises(ValueError, match=message):
        Panel.of(data, "known")


def test_training_data_must_be_read_more_than_once():
    with pytest.raises(TypeError, match="length .*, got generator; make it a"):
        training_panel((make(GOOD) for _ in "a"), None, 1)


def test_training_data_must_not_be_empty():
    with pytest.raises(ValueError, match="at least one series, got an empty"):
        training_panel([], None, 1)


def test_training_data_must_have_a_value_somewhere():
    data = [make(np.full(3, np.nan), item_id=f"{i}") for i in range(7)]

    with pytest.raises(
        ValueError,
        match=r"one series with values, got 7 without any: entry 0 \('0'\), "
        r".*entry 4 \('4'\) and 2 more\.",
    ):
        training_panel(data, None, 1)


def test_a_label_field_must_be_there():
    data = [make(GOOD, known=GOOD * 0)]

    with pytest.raises(
        ValueError,
        match=r"label_field must name a field of the entries, got 'knwon'; "
        r"they have \['known', 'start', 'target'\]",
    ):
        training_panel(data, "knwon", 1)


def test_one_entry_with_labels_is_enough():
    labels = np.array([0, 1, np.nan, 0])
    data = [make(GOOD), make(GOOD, known=labels)]

    panel = training_panel(data, "known", 1)

    assert_array_equal(panel.labels.entries[1], labels)


@pytest.mark.parametrize(
    "entries, message",
    [
        (
            [make(np.full(9, np.nan), item_id="x")],
            r"^1 series without any value are left out of training: "
            r"entry 1 \('x'\)\.$",
        ),
        (
            [make(GOOD[:3]), make(GOOD[:3])],
            r"^2 series shorter than 4 points .*: entry 1, entry 2\.$",
        ),
        (
            [make(np.array([7.0, 7.0, np.nan, 7.0]))],
            "^1 series that never change teach nothing.*: entry 1",
        ),
        (
            [make(GOOD, item_id="a")] * 3,
            "^item_ids should be unique in training data, got 2 repeated",
        ),
    ],
)
def test_what_teaches_little_is_said(entries, message):
    with pytest.warns(UserWarning, match=message) as caught:
        training_panel([make(GOOD), *entries], None, 4)

    assert len(caught) == 1


def test_there_is_nothing_to_say_about_good_data(recwarn):
    changing = np.array([[1.0, 2.0, 1.0, 2.0], [1.0, 1.0, 1.0, 1.0]])

    training_panel([make(GOOD)], None, 4)
    training_panel([make(changing)], None, 4)

    assert not recwarn
