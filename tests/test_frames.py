"""
A frame of readings goes in, a frame of what was found comes out.
"""

import os
import shutil

import numpy as np
import pandas as pd
import pytest
from gluonts.model.seasonal_naive import SeasonalNaivePredictor
from pandas.testing import assert_frame_equal

from gluonts_lai import LAIPredictor, detect_frame
from gluonts_lai.frames import loaded
from tests.readings import COLUMNS, ITEM_IDS, long_frame, naive_predictor

KINDS = "duplicates must be one of 'mean', 'first', 'last', got '(sum|avera)"


@pytest.fixture(scope="module")
def predictor():
    return naive_predictor()


@pytest.fixture(scope="module")
def folder(predictor, tmp_path_factory):
    path = tmp_path_factory.mktemp("model")
    predictor.serialize(path)
    return path


@pytest.fixture
def frame():
    return long_frame()


def test_each_row_has_its_row(frame, predictor):
    shuffled = frame.sample(frac=1, random_state=0)

    found = detect_frame(shuffled, predictor, mode="smooth", threshold=0.4)

    assert list(found) == COLUMNS
    assert_frame_equal(found[COLUMNS[:3]], shuffled)
    for item_id, rows in found.sort_index().groupby("item_id"):
        entry = {
            "item_id": item_id,
            "start": pd.Period("2024-01-01", "h"),
            "target": rows.value.to_numpy(),
        }
        (detection,) = predictor.detect([entry], mode="smooth", threshold=0.4)
        for name in COLUMNS[3:-1]:
            np.testing.assert_array_equal(
                rows[name], getattr(detection, name).astype(float)
            )
        at = 100 + ITEM_IDS.index(item_id)
        assert np.flatnonzero(rows.is_anomaly) == [at]


def test_a_counter_of_bytes_is_judged_by_its_last_digits(frame):
    """Which single precision does not have: it would be a constant."""
    pump = frame[frame.item_id == "pump"]
    high = pump.assign(value=1.7e9 + pump.value)
    start, target = pd.Period("2024-01-01", "h"), high.value.to_numpy()
    entry = {"item_id": "pump", "start": start, "target": target}
    naive = SeasonalNaivePredictor(1, season_length=4)
    predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)

    found = detect_frame(high, predictor)

    (detection,) = predictor.detect([entry])
    assert found.is_anomaly[100] and found.is_anomaly.sum() < 5
    for name in COLUMNS[2:-1]:
        np.testing.assert_array_equal(found[name], getattr(detection, name))


def test_groups_find_what_the_whole_finds(frame, predictor):
    whole = detect_frame(frame, predictor)

    groups = frame.groupby("item_id", group_keys=False, sort=False)
    parts = [detect_frame(group, predictor) for _, group in groups]

    assert_frame_equal(pd.concat(parts), whole)


@pytest.mark.parametrize("kind", ["category", "int", "time zone"])
def test_a_frame_without_rows_has_the_same_columns(frame, folder, kind):
    if kind == "category":
        frame["item_id"] = frame.item_id.astype("category")
    elif kind == "int":
        frame["item_id"] = frame.item_id.map(ITEM_IDS.index)
        frame["value"] = frame.value.round().astype(int)
    else:
        frame["timestamp"] = frame.timestamp.dt.tz_localize("Asia/Tokyo")

    found = detect_frame(frame, folder)
    empty = detect_frame(frame.iloc[:0], "no model is looked at")

    assert found.dtypes.equals(empty.dtypes)
    assert found.item_id.equals(frame.item_id)
    assert found.timestamp.equals(frame.timestamp)


def test_readings_may_be_missing(frame, predictor):
    gone = frame.drop(index=[50, 51, 300])
    frame.loc[[50, 51, 300], "value"] = np.nan
    frame.loc[frame.item_id == "fan", "value"] = np.nan
    gone = gone[gone.item_id != "fan"]

    found = detect_frame(frame, predictor)

    fan = found[found.item_id == "fan"]
    assert fan.probability.notna().all() and not fan.is_anomaly.any()
    rest = found.loc[gone.index]
    assert_frame_equal(detect_frame(gone, predictor), rest)


@pytest.mark.parametrize(
    "form", ["%Y-%m-%d %H:%M:%S UTC", "%Y-%m-%d %I:%M %p +00:00"]
)
def test_times_may_be_texts_with_a_zone(frame, predictor, form):
    expected = detect_frame(frame, predictor).drop(columns="timestamp")
    frame["timestamp"] = frame.timestamp.dt.strftime(form)

    found = detect_frame(frame, predictor)

    assert found.timestamp.equals(frame.timestamp)
    assert_frame_equal(found.drop(columns="timestamp"), expected)


@pytest.mark.parametrize("kind", ["h", "min", object])
def test_times_may_be_periods(frame, predictor, kind):
    expected = detect_frame(frame, predictor)
    if kind is object:
        periods = frame.timestamp.dt.to_period("h").astype(object)
    else:
        periods = frame.timestamp.dt.to_period(kind)

    found = detect_frame(frame.assign(timestamp=periods), predictor)

    assert found.timestamp.equals(periods)
    rest = [name for name in COLUMNS if name != "timestamp"]
    assert_frame_equal(found[rest], expected[rest])


def test_a_single_reading_has_the_frequency_of_training(frame, predictor):
    found = detect_frame(frame.iloc[:1], predictor)

    assert found.probability.between(0, 1).all()


def test_columns_may_have_other_names(frame, predictor):
    names = {"item_id": "sensor", "timestamp": "ds", "value": "y"}

    found = detect_frame(frame.rename(columns=names), predictor, **names)

    expected = detect_frame(frame, predictor).rename(columns=names)
    assert_frame_equal(found, expected)


def test_a_folder_is_read_once_until_it_is_written_again(
    frame, predictor, folder, tmp_path
):
    path = shutil.copytree(folder, tmp_path / "model")
    loaded.cache_clear()
    expected = detect_frame(frame, predictor)

    for model in (path, str(path)):
        assert_frame_equal(detect_frame(frame, model), expected)
    assert loaded.cache_info().misses == 1

    os.utime(path / "gluonts-config.json", ns=(0, 0))
    detect_frame(frame, path)
    assert loaded.cache_info().misses == 2


def test_what_is_wrong_is_said(frame, predictor, tmp_path):
    twice = pd.concat([frame, frame.iloc[3:4]])
    text = frame.astype({"value": object})
    text.loc[7, "value"] = "broken"
    for wrong, model, kwargs, message in (
        (twice, predictor, {}, "'pump' of the frame must have one reading a"),
        (text, predictor, {}, "'value' of the frame must hold numbers, got "),
        (frame, predictor, {"value": "y"}, "must have a column 'y', got"),
        (frame, predictor, {"duplicates": "average"}, KINDS),
        (frame.iloc[:0], predictor, {"duplicates": "sum"}, KINDS),
        (frame, tmp_path, {}, "a folder to which one was serialised, got"),
        (
            frame.rename(columns={"value": "score"}),
            predictor,
            {"value": "score"},
            "must not be called 'score'",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            detect_frame(wrong, model, **kwargs)
    with pytest.raises(TypeError, match="got SeasonalNaivePredictor; train"):
        detect_frame(frame, predictor.base)
    assert len(detect_frame(twice, predictor, duplicates="mean")) == len(twice)
