import json

import numpy as np
import pandas as pd
import pytest

from gluonts_lai.dataset import read_nab

FILES = {
    # Out of order, one point twice, one left out, a clock that was put on.
    "realKnownCause/b": (
        "2014-01-01 00:02:00,1\n2014-01-01 00:12:00,3\n"
        "2014-01-01 00:07:00,2\n2014-01-01 00:12:00,5\n"
        "2014-01-01 00:22:00,6\n2014-01-01 00:28:00,7\n"
    ),
    "realAdExchange/a": (
        "2011-07-01 00:15:01,1\n2011-07-01 01:15:01,2\n"
        "2011-07-01 04:15:01,3\n2011-07-01 05:15:01,4\n"
    ),
    "artificialNoAnomaly/c": "2014-01-01,1\n2014-01-02,2\n",
}
WINDOWS = {
    "realKnownCause/b.csv": [
        ["2014-01-01 00:07:00.000000", "2014-01-01 00:11:59.000000"],
        ["2014-01-01 00:13:00.000000", "2014-01-01 00:22:00.000000"],
    ],
    "realAdExchange/a.csv": [
        ["2011-07-01 01:15:02.000000", "2011-07-01 03:15:01.000000"]
    ],
    "artificialNoAnomaly/c.csv": [],
}


@pytest.fixture
def folder(tmp_path):
    for name, rows in FILES.items():
        path = tmp_path / f"nab/data/{name}.csv"
        path.parent.mkdir(parents=True)
        path.write_text("timestamp,value\n" + rows)
    (tmp_path / "nab/labels").mkdir()
    write_windows(tmp_path, WINDOWS)
    return tmp_path


def write_windows(folder, windows):
    path = folder / "nab/labels/combined_windows.json"
    path.write_text(json.dumps(windows))


def names(entries):
    return [entry["item_id"] for entry in entries]


def test_irregular_times_are_put_onto_a_grid_and_labelled(folder):
    (entry,) = read_nab(folder, groups="realKnownCause")

    assert entry["item_id"] == "realKnownCause/b"
    assert entry["start"] == pd.Period("2014-01-01 00:02", "5min")
    assert entry["start"] + 1 == pd.Period("2014-01-01 00:07", "5min")
    np.testing.assert_array_equal(entry["target"], [1, 2, 4, np.nan, 6, 7])
    np.testing.assert_array_equal(entry["label"], [0, 1, 0, 1, 1, 0])
    assert entry["target"].dtype == np.float64
    assert entry["label"].dtype == np.uint8


def test_hours_need_not_begin_on_the_hour(folder):
    (entry,) = read_nab(folder, groups="realAdExchange")

    assert entry["start"] == pd.Period("2011-07-01 00:00", "h")
    gap = [np.nan, np.nan]
    np.testing.assert_array_equal(entry["target"], [1, 2, *gap, 3, 4])
    # The window begins a second after the second point.
    np.testing.assert_array_equal(entry["label"], [0, 0, 1, 1, 0, 0])


def test_groups_are_chosen_by_name_or_by_pattern(folder):
    everything = ["artificialNoAnomaly/c", "realAdExchange/a"]
    everything += ["realKnownCause/b"]
    assert names(read_nab(folder)) == everything
    assert names(read_nab(folder, ["real*"])) == everything[1:]
    assert names(read_nab(folder, ["real*", "realK*"])) == everything[1:]
    both = ["realKnownCause", "artificialNoAnomaly"]
    assert names(read_nab(folder, both)) == [everything[0], everything[2]]
    message = "got 'fake.'; choose from: artificialNoAnomaly, realAdExchange"
    with pytest.raises(ValueError, match=message.replace("fake.", r"fake\*")):
        read_nab(folder, ["real*", "fake*"])


def test_a_folder_is_given_or_named_by_the_environment(folder, monkeypatch):
    assert len(read_nab(str(folder / "nab"))) == 3
    monkeypatch.setenv("GLUONTS_LAI_DATA", str(folder))
    assert len(read_nab()) == 3


def test_a_file_without_windows_is_named(folder):
    write_windows(folder, {"realAdExchange/a.csv": []})
    with pytest.raises(ValueError, match="none for realKnownCause/b.csv; add"):
        read_nab(folder, ["real*"])
