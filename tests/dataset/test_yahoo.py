"""
On files that these tests write themselves, in the layout of Yahoo's.
"""

import numpy as np
import pandas as pd
import pytest

from gluonts_lai.dataset import read_yahoo

HOUR = 3_600
FIRST = 1_416_726_000 // HOUR  # 2014-11-23 07:00
GENERATED = "trend,noise,seasonality1,seasonality2,seasonality3".split(",")


def write(path, columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(columns).to_csv(path, index=False, quoting=2)


def measured(folder, number, times=(1, 2, 3), values=(5, 6, 7)):
    """A series as those of A1."""
    columns = {"timestamp": times, "value": values, "is_anomaly": [0, 1, 0]}
    write(folder / f"A1Benchmark/real_{number}.csv", columns)


def generated(folder, subset, number):
    """A series as those of A3 and A4."""
    columns = {
        "timestamps": HOUR * (FIRST + np.arange(4)),
        "value": [1.5, 2.5, 3.5, 4.5],
        "anomaly": [0, 1, 0, 0],
        "changepoint": [0, 0, 0, 1],
        **{name: [9.0] * 4 for name in GENERATED},
    }
    name = f"{subset}Benchmark"
    write(folder / name / f"{name}-TS{number}.csv", columns)


def test_measured_series_count_their_hours(tmp_path):
    measured(tmp_path, 1)

    (entry,) = read_yahoo(tmp_path)

    assert entry.keys() == {"item_id", "start", "target", "label"}
    assert entry["item_id"] == "A1Benchmark/real_1"
    assert entry["start"] == pd.Period("1970-01-01 01:00", "h")
    np.testing.assert_array_equal(entry["target"], [5, 6, 7])
    np.testing.assert_array_equal(entry["label"], [0, 1, 0])
    assert entry["target"].dtype == np.float64
    assert entry["label"].dtype == np.uint8


def test_synthetic_series_have_dates(tmp_path):
    times = HOUR * (FIRST + np.arange(3))
    columns = {"timestamp": times, "value": [5, 6, 7], "is_anomaly": [1, 0, 0]}
    write(tmp_path / "A2Benchmark/synthetic_4.csv", columns)

    (entry,) = read_yahoo(tmp_path, "A2")

    assert entry["item_id"] == "A2Benchmark/synthetic_4"
    assert entry["start"] == pd.Period("2014-11-23 07:00", "h")
    np.testing.assert_array_equal(entry["label"], [1, 0, 0])


@pytest.mark.parametrize("subset", ["A3", "A4"])
def test_what_the_generator_knew_is_not_read(tmp_path, subset):
    generated(tmp_path, subset, 7)

    (entry,) = read_yahoo(tmp_path, subset)

    assert entry.keys() == {"item_id", "start", "target", "label"}
    assert entry["item_id"] == f"{subset}Benchmark/{subset}Benchmark-TS7"
    assert entry["start"] == pd.Period("2014-11-23 07:00", "h")
    np.testing.assert_array_equal(entry["target"], [1.5, 2.5, 3.5, 4.5])
    np.testing.assert_array_equal(entry["label"], [0, 1, 0, 0])


def test_change_points_are_labelled_if_that_is_wanted(tmp_path):
    generated(tmp_path, "A4", 1)
    (entry,) = read_yahoo(tmp_path, "A4", changepoints=True)
    np.testing.assert_array_equal(entry["label"], [0, 1, 0, 1])


@pytest.mark.parametrize("subset", ["A1", "A2"])
def test_some_subsets_have_no_change_points(tmp_path, subset):
    message = f"False for {subset}, got True; only A3 and A4 have change"
    with pytest.raises(ValueError, match=message):
        read_yahoo(tmp_path, subset, changepoints=True)


def test_series_come_by_number_and_summaries_not_at_all(tmp_path):
    for number in (10, 2, 1):
        generated(tmp_path, "A3", number)
    for name in ("_all.csv", "-TS3_old.csv", "-TS4.csv.zip"):
        path = tmp_path / "A3Benchmark" / f"A3Benchmark{name}"
        path.write_text("no series")

    names = [entry["item_id"] for entry in read_yahoo(tmp_path, "A3")]

    ends = [name.split("-")[1] for name in names]
    assert ends == ["TS1", "TS2", "TS10"]


def test_hours_that_are_missing_are_missing(tmp_path):
    measured(tmp_path, 1, times=(1, 3, 4))

    (entry,) = read_yahoo(tmp_path)

    np.testing.assert_array_equal(entry["target"], [5, np.nan, 6, 7])
    np.testing.assert_array_equal(entry["label"], [0, 0, 1, 0])


def test_a_folder_is_given_or_named_by_the_environment(tmp_path, monkeypatch):
    measured(tmp_path / "yahoo", 1)
    assert len(read_yahoo(str(tmp_path / "yahoo"))) == 1
    monkeypatch.setenv("GLUONTS_LAI_DATA", str(tmp_path))
    assert len(read_yahoo()) == 1


def test_who_has_no_copy_is_told_where_to_ask(tmp_path):
    measured(tmp_path, 1)
    message = (
        'must hold A3Benchmark, got .*copy of "S5 - A Labeled Anomaly '
        'Detection Dataset", which may not be distributed here: Yahoo gives '
        "it, in its Webscope programme, to those who sign its agreement"
    )
    with pytest.raises(FileNotFoundError, match=message):
        read_yahoo(tmp_path, "A3")
    (tmp_path / "A2Benchmark").mkdir()
    message = "A2Benchmark must hold series such as synthetic_1.csv, got none;"
    with pytest.raises(FileNotFoundError, match=message):
        read_yahoo(tmp_path, "A2")


def test_an_unknown_subset_is_named(tmp_path):
    with pytest.raises(ValueError, match="one of 'A1', .*, got 'A5'"):
        read_yahoo(tmp_path, "A5")


def test_points_must_be_hours(tmp_path):
    measured(tmp_path, 1, times=(60, 120, 180))
    message = "'timestamp' of .*real_1.csv must count hours, .* got 60 betw"
    with pytest.raises(ValueError, match=message):
        read_yahoo(tmp_path)


def test_a_broken_value_is_named(tmp_path):
    measured(tmp_path, 1, values=("5", "six", "7"))
    message = "'value' of .*real_1.csv must hold numbers, got 'six' in row 2"
    with pytest.raises(ValueError, match=message):
        read_yahoo(tmp_path)
