"""
What each command finds, and in what form it says so.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from .conftest import SPIKES, run, series

COLUMNS = (
    "item_id timestamp value probability score expected lower upper cleaned "
    "is_anomaly"
).split()


def flagged(frame):
    """Where the flagged points of each series are."""
    return {
        name: np.flatnonzero(group.is_anomaly).tolist()
        for name, group in frame.groupby("item_id")
    }


def test_detect_finds_the_outliers(readings, model, tmp_path):
    done = run("detect", readings, "--model", model, "--out", "found.csv")

    assert done.exit_code == 0 and done.stdout == ""
    assert "They are in found.csv." in done.stderr
    frame = pd.read_csv("found.csv")
    assert list(frame) == COLUMNS and len(frame) == 480
    found = flagged(frame)
    for name, spikes in SPIKES.items():
        assert set(spikes) <= set(found[name])
        assert len(found[name]) < len(spikes) + 12
    np.testing.assert_allclose(frame.value[:240], series("a").value, rtol=1e-6)
    assert frame.timestamp[1] == "2024-01-01 01:00:00"
    assert [path.name for path in tmp_path.iterdir()] == ["found.csv"]


def test_all_forms_hold_the_same(readings, naive):
    detect = ["detect", readings, "--model", naive, "--quiet"]
    for name in ("found.csv", "found.json", "found.jsonl", "found.parquet"):
        assert run(*detect, "--out", name).exit_code == 0
    table = pd.read_csv("found.csv")

    said = run(*detect).stdout
    document = json.loads(run(*detect, "--json").stdout)

    with open("found.csv") as file:
        assert file.read() == said
    for other in (
        pd.read_json("found.json", convert_dates=False),
        pd.read_json("found.jsonl", lines=True, convert_dates=False),
        pd.read_parquet("found.parquet"),
        pd.DataFrame(document),
    ):
        pd.testing.assert_frame_equal(
            other.astype({"is_anomaly": int}), table, check_dtype=False
        )
    assert document[0]["expected"] is None  # JSON knows no NaN
    assert document[100]["is_anomaly"] is True
    values = pd.read_csv(readings).value.tolist()
    assert [point["value"] for point in document] == values


def test_numbers_have_the_digits_that_tell_them_apart(tmp_path):
    """Of a counter of bytes, the last ones; single precision has others."""
    high = pd.concat([series("a"), series("b/c")])
    high["value"] = (1.7e9 + high.value + 300 * high.label).round(3)
    high = high.drop(columns="label")
    high.to_csv("bytes.csv", index=False)
    train = ["--estimator", "seasonal-naive", "--prediction-length", "6"]
    run("train", "bytes.csv", "--out", "model", *train)

    forms = ("found.csv", "found.json", "found.parquet")
    for name in forms:
        run("detect", "bytes.csv", "--model", "model", "--out", name)
    done = run("clean", "bytes.csv", "--model", "model")

    for frame in (
        pd.read_csv("found.csv"),
        pd.read_json("found.json", convert_dates=False),
        pd.read_parquet("found.parquet"),
    ):
        assert frame.value.tolist() == high.value.tolist()
        for name, spikes in SPIKES.items():
            assert set(spikes) <= set(flagged(frame)[name])
    rows = done.stdout.splitlines()
    before = open("bytes.csv").read().splitlines()
    changed = [i - 1 for i in range(481) if rows[i] != before[i]]
    assert {100, 200, 201, 240 + 150} <= set(changed) and len(changed) < 20


def test_segments_are_whole_anomalies(readings, naive):
    done = run("detect", readings, "--model", naive, "--segments")

    rows = done.stdout.splitlines()
    assert rows[0] == "item_id,start,end,length,peak_probability"
    two = "a,2024-01-09 08:00:00,2024-01-09 09:00:00,2,"
    assert any(row.startswith(two) for row in rows)
    assert f"in {len(rows) - 1} segments." in done.stderr


def test_labels_are_handed_on_and_not_looked_at(labelled, readings, tmp_path):
    train = ["train", labelled, "--out", "model", "--estimator"]
    done = run(*train, "seasonal-naive", "--prediction-length", 6)
    assert "Known beforehand: 4 points are anomalous" in done.stderr
    told = pd.read_csv(labelled)
    told["label"] = 1 - told["label"]
    told.to_csv("wrong.csv", index=False)

    run("detect", labelled, "--model", "model", "--out", "a.csv")
    run("detect", "wrong.csv", "--model", "model", "--out", "b.csv")

    found, other = pd.read_csv("a.csv"), pd.read_csv("b.csv")
    assert (found.label == 1 - other.label).all()
    columns = COLUMNS[2:]
    pd.testing.assert_frame_equal(found[columns], other[columns])


def test_forecasts_go_on_where_series_end(readings, model):
    done = run("forecast", readings, "--model", model, "--quantiles", "0.1,.9")

    assert done.exit_code == 0
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert rows[0] == ["item_id", "timestamp", "mean", "0.1", ".9"]
    assert len(rows) == 1 + 2 * 6
    assert rows[1][:2] == ["a", "2024-01-11 00:00:00"]
    for row in rows[1:]:
        mean, low, high = map(float, row[2:])
        assert low <= high and 0 < mean < 20


def test_clean_replaces_anomalies_and_nothing_else(readings, naive):
    run("clean", readings, "--model", naive, "--out", "clean.csv")

    with open(readings) as before, open("clean.csv") as after:
        pairs = list(zip(before, after, strict=True))
    changed = [i - 1 for i, (old, new) in enumerate(pairs) if old != new]
    assert {100, 200, 201, 240 + 150} <= set(changed)
    assert len(changed) < 20
    clean = pd.read_csv("clean.csv").value
    assert clean.max() < 18 < pd.read_csv(readings).value.max()


def test_wide_stays_wide(naive):
    a, b = series("a"), series("b/c", 200)
    wide = pd.DataFrame(
        {"Time": a.timestamp, "a": a.value, "b/c": b.value, "note": "x"}
    )
    wide.to_csv("wide.csv", index=False)

    done = run("clean", "wide.csv", "--model", naive)

    assert done.exit_code == 0, done.stderr
    rows = done.stdout.splitlines()
    assert rows[0] == "Time,a,b/c,note" and len(rows) == 241
    before = open("wide.csv").read().splitlines()
    changed = [i for i in range(241) if rows[i] != before[i]]
    assert {101, 151, 201, 202} <= set(changed) and len(changed) < 20
    assert rows[240].split(",")[2] == ""


def test_clean_keeps_numbers_to_their_last_digit(naive):
    values = series("a").value.tolist()
    values[10:13] = 10.446632996632997, 11.649999999999999, 12.000000000000002
    rows = [f"{x!r}\n" for x in values]
    times = pd.date_range("2024-01-01", periods=240, freq="h")
    with open("digits.csv", "w") as file:
        file.write("timestamp,value\n")
        file.writelines(f"{time},{row}" for time, row in zip(times, rows))

    done = run("clean", "digits.csv", "--model", naive)

    assert done.exit_code == 0, done.stderr
    clean = [row.split(",")[1] for row in done.stdout.splitlines()[1:]]
    same = [float(x) == y for x, y in zip(clean, values)]
    assert all(same[10:13]) and not same[100] and sum(same) > 230
    assert len(clean[100]) < 12  # no digits that nobody knows


def test_jsonl_stays_jsonl(naive):
    line = {
        "item_id": "a",
        "start": "2024-01-01",
        "target": series("a").value.tolist(),
        "unit": "bar",
    }
    line["target"][99] += 1.23456789e-9
    with open("data.jsonl", "w") as file:
        file.write(json.dumps(line) + "\n")

    done = run("clean", "data.jsonl", "--freq", "h", "--model", naive)

    assert done.exit_code == 0, done.stderr
    (clean,) = map(json.loads, done.stdout.splitlines())
    assert clean["item_id"] == "a" and len(clean["target"]) == 240
    assert clean["target"][100] < 15 < line["target"][100]
    assert clean["target"][99] == line["target"][99]
    assert clean["start"] == "2024-01-01" and clean["unit"] == "bar"


def test_evaluate_takes_labels_from_either_file(labelled, readings, naive):
    run("detect", labelled, "--model", naive, "--out", "found.csv")
    run("detect", readings, "--model", naive, "--out", "blank.csv")

    one = run("evaluate", "found.csv", "--json")
    two = run("evaluate", "blank.csv", labelled, "--json")
    table = run("evaluate", "found.csv")

    assert one.exit_code == two.exit_code == 0, one.stderr + two.stderr
    assert one.stdout == two.stdout
    metrics = {row["metric"]: row for row in json.loads(one.stdout)}
    assert metrics["recall"]["mean"] == 1.0
    assert metrics["auc_pr"]["mean"] > metrics["auc_pr"]["random"]
    assert "vus_pr" in table.stdout and "480 points" in table.stderr


def test_one_series_is_itself_by_any_name(naive):
    series("a").to_csv("truth.csv", index=False)
    told = series("a").drop(columns=["label", "item_id"])
    told.to_csv("sensor.csv", index=False)
    run("detect", "sensor.csv", "--model", naive, "--out", "found.csv")

    done = run("evaluate", "found.csv", "truth.csv")

    assert done.exit_code == 0 and "3 of them anomalous" in done.stderr


def test_pictures_have_names_that_any_file_system_takes(readings, naive):
    pytest.importorskip("matplotlib")
    done = run("detect", readings, "--model", naive, "--plot", "seen", "-q")

    assert done.exit_code == 0 and done.stderr == ""
    names = sorted(path.name for path in Path("seen").iterdir())
    assert names == ["a.png", "b_c.png"]
    done = run(
        "forecast",
        readings,
        "--model",
        naive,
        "--plot",
        "seen",
        "--max-pictures",
        1,
    )
    assert done.exit_code == 0
    assert len(list(Path("seen").glob("*-forecast.png"))) == 1


def test_each_dimension_has_its_rows():
    pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    both = rng.normal(size=(2, 120)).round(3)
    both[1, 80] = 50
    line = {"item_id": "m", "start": "2024-01-01", "target": both.tolist()}
    Path("two.jsonl").write_text(json.dumps(line) + "\n")
    data = ["two.jsonl", "--freq", "h"]

    done = run(
        *("train", *data, "--out", "model", "--estimator", "itransformer"),
        *("--epochs", 1, "--context-length", 12, "--prediction-length", 4),
    )
    assert done.exit_code == 0, done.stderr
    found = run("detect", *data, "--model", "model", "--json")
    ahead = run("forecast", *data, "--model", "model", "--json")

    rows = pd.DataFrame(json.loads(found.stdout))
    assert rows.dim.tolist() == [0] * 120 + [1] * 120
    np.testing.assert_allclose(rows.value, both.ravel(), rtol=1e-6)
    assert rows.timestamp[0] == rows.timestamp[120]
    dims = [row["dim"] for row in json.loads(ahead.stdout)]
    assert dims == [0] * 4 + [1] * 4


def test_the_report_is_one_page(readings, naive):
    pytest.importorskip("plotly")
    done = run("report", readings, "--model", naive, "--title", "Pumps & co")

    assert done.exit_code == 0, done.stderr
    with open("report.html", encoding="utf-8") as file:
        page = file.read()
    assert "Pumps &amp; co" in page and "readings.csv" in page


def test_a_pipe_of_files_is_as_good_as_one(readings, naive):
    """Parquet in, Parquet out."""
    pytest.importorskip("pyarrow")
    pd.read_csv(readings, parse_dates=["timestamp"]).to_parquet("r.parquet")

    done = run("detect", "r.parquet", "--model", naive)

    assert done.stdout == run("detect", readings, "--model", naive).stdout
