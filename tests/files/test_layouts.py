"""
What each column is taken for.
"""

import numpy as np
import pandas as pd
import pytest

from gluonts_lai.files import read_series

from .written import hours, read, starts, targets


def test_a_single_series_is_named_after_its_file(tmp_path):
    file = read(tmp_path, "timestamp,value\n" + hours(3), "pump.7.csv")

    assert targets(file) == {"pump.7": [0.5, 1.5, 2.5]}
    assert starts(file) == {"pump.7": "2024-01-01 00:00"}
    assert file.freq == "h" and file.notes == []
    assert file.entries[0]["target"].dtype == np.float32
    assert file.entries[0]["start"] == pd.Period("2024-01-01", "h")


def test_series_keep_their_order_and_their_names(tmp_path):
    text = "unique_id,ds,y\n" + "".join(
        f"{name},2024-01-0{day},{day}\n"
        for name in ("012", "007", "1")
        for day in (1, 2)
    )
    file = read(tmp_path, text)

    assert list(targets(file)) == ["012", "007", "1"]
    assert file.guesses.item_id == "unique_id"
    assert file.guesses.layout == "long"


def test_a_wide_table_has_a_series_in_each_column(tmp_path):
    text = (
        "Date,a,b,none\n"
        "2024-01-01,1,,\n"
        "2024-01-02,,5,\n"
        "2024-01-03,3,6,\n"
        "2024-01-04,4,,\n"
    )
    file = read(tmp_path, text)

    assert file.guesses.layout == "wide"
    np.testing.assert_equal(
        targets(file), {"a": [1, np.nan, 3, 4], "b": [5, 6]}
    )
    assert starts(file) == {"a": "2024-01-01", "b": "2024-01-02"}
    assert file.notes == ["1 series without any value are left out: 'none'."]


def test_labels_of_a_long_table_go_along(tmp_path):
    text = "time,value,Is Anomaly\n2024-01-01,1,0\n2024-01-02,2,True\n"
    file = read(tmp_path, text + "2024-01-03,3,\n2024-01-05,3,1\n")

    label = file.entries[0]["label"]
    np.testing.assert_array_equal(label, [0, 1, np.nan, np.nan, 1])
    assert "labels in 'Is Anomaly'" in file.summary()


def test_labels_of_a_wide_table_are_no_series(tmp_path):
    text = "time,a,b,label\n2024-01-01,1,2,0\n2024-01-02,2,3,1\n"
    file = read(tmp_path, text)

    assert list(targets(file)) == ["a", "b"]
    assert "label" not in file.entries[0]
    assert "not read: 'label'" in file.summary()

    named = read(tmp_path, text, label="label")
    assert named.entries[1]["label"].tolist() == [0, 1]


def test_the_user_names_columns(tmp_path):
    text = "a,b,c,d\nx,2024-01-01,1,5\nx,2024-01-02,2,6\n"
    options = {"item_id": "a", "timestamp": "b"}

    one = read(tmp_path, text, value="d", **options)
    both = read(tmp_path, text, value=["c", "d"], **options)
    wide = read(tmp_path, text, timestamp="b", value=["c", "d"])

    assert targets(one) == {"x": [5, 6]}
    assert targets(both) == {"x/c": [1, 2], "x/d": [5, 6]}
    assert targets(wide) == {"c": [1, 2], "d": [5, 6]}
    assert one.guesses.left_out == ("c",)


@pytest.mark.parametrize(
    "header, row, names",
    [
        ("timestamp,temp,status", "{},1,ok", ["pump"]),  # no numbers
        ("id,timestamp,temp", "{i},{},1", ["pump"]),  # counts the lines
        (",timestamp,a,b", "{i},{},1,2", ["a", "b"]),  # as pandas writes it
        (",a,b", "{},1,2", ["a", "b"]),
        ("timestamp,sensor", "{},1", ["pump"]),  # is the value
        ("timestamp,month,value", "{},1,2", ["pump"]),
        ("When,Value (kW),quality", "{},1,2", ["pump"]),
        ("timestamp,x,y,z", "{},1,2,3", ["x", "y", "z"]),
    ],
)
def test_columns_are_known_by_name_and_content(tmp_path, header, row, names):
    times = ["2024-01-01", "2024-01-02", "2024-01-03"]
    rows = [row.format(time, i=i) for i, time in enumerate(times)]
    file = read(tmp_path, "\n".join([header, *rows]))
    assert list(targets(file)) == names
    assert all(len(target) == 3 for target in targets(file).values())


def test_what_was_guessed_is_said_in_a_line(tmp_path):
    text = "sensor,ds,y,room\na,2024-01-01,1,5\na,2024-01-02,2,5\n"
    summary = read(tmp_path, text).summary()
    assert summary == (
        "1 series, 2 points; long, one point each D; time in 'ds'; values in "
        "'y'; series by 'sensor'; not read: 'room'"
    )


def test_entries_come_back_from_a_table(tmp_path):
    rng = np.random.default_rng(0)
    series = {}
    for i in range(5):
        start = pd.Timestamp("2024-01-01") + pd.Timedelta(hours=3 * i)
        values = rng.normal(size=20 + i).astype(np.float32)
        values[3] = np.nan
        times = pd.date_range(start, periods=len(values), freq="h")
        series[f"s{i}"] = pd.Series(values, times)
    wide = pd.DataFrame(series)
    wide.index.name = "time"
    long = wide.melt(ignore_index=False, var_name="item_id").reset_index()
    inside = pd.concat(
        long[long["item_id"] == name].set_index("time").loc[s.index]
        for name, s in series.items()
    ).reset_index()

    for frame, name in ((wide.reset_index(), "wide"), (inside, "long")):
        # In any order of rows.
        mixed = frame.sample(frac=1, random_state=0)
        mixed.to_csv(tmp_path / f"{name}.csv", index=False)
        frame.to_parquet(tmp_path / f"{name}.parquet")
        for ending in ("csv", "parquet"):
            file = read_series(tmp_path / f"{name}.{ending}")
            assert file.guesses.layout == name
            assert len(file.entries) == 5
            for entry in file.entries:
                given = series[entry["item_id"]]
                np.testing.assert_array_equal(entry["target"], given)
                start = pd.Period(given.index[0], "h")
                assert entry["start"] == start


def test_parquet_keeps_its_index_and_its_types(tmp_path):
    times = pd.date_range("2024-01-01", periods=2, freq="h")
    index = pd.MultiIndex.from_product(
        [["a", "b"], times], names=["item_id", "timestamp"]
    )
    values = pd.array([1, None, 3, 4], dtype="Int64")
    frame = pd.DataFrame({"value": values}, index=index)
    file = read(tmp_path, frame, "x.parquet")
    np.testing.assert_equal(targets(file), {"a": [1, np.nan], "b": [3, 4]})

    frame = frame.reset_index().astype({"item_id": "category"})
    again = read(tmp_path, frame, "y.pq")
    np.testing.assert_equal(targets(again), targets(file))


def test_parquet_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setattr("gluonts_lai.files.parquet.find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"pip install 'gluonts-lai\[parqu"):
        read_series(path)
