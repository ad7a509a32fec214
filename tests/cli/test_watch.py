"""
Points on standard input, readings on standard output.
"""

import itertools
import json
import select
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gluonts_lai import LAIPredictor
from gluonts_lai.cli.arriving import Lines, Point
from gluonts_lai.cli.endings import Stopped, stoppable
from gluonts_lai.cli.models import load_model
from gluonts_lai.cli.streams import LONG_GAP, Streams

from .conftest import run, series

LENGTH = 110  # with an outlier at 100


def readings_of(done):
    assert done.exit_code == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def as_lines(frame, *columns):
    return frame[list(columns)].to_csv(index=False, header=False)


@pytest.fixture
def a():
    return series("a", LENGTH).drop(columns="label")


@pytest.mark.parametrize("backend", ["torch", "naive"])
def test_a_reading_is_what_detect_says(readings, backend, models, a):
    model = models(backend)
    done = run(
        "watch",
        "--model",
        model,
        input=as_lines(a, "item_id", "timestamp", "value"),
    )
    found = run("detect", readings, "--model", model, "--json", "-q")

    watched, whole = readings_of(done), json.loads(found.stdout)[:LENGTH]
    assert len(watched) == LENGTH
    for name in ("probability", "expected", "lower", "upper", "is_anomaly"):
        # Results are written as single numbers, readings as double ones.
        np.testing.assert_allclose(
            np.array([reading[name] for reading in watched], float),
            np.array([row[name] for row in whole], float),
            rtol=1e-3,
            atol=1e-4,
        )
    assert watched[100]["is_anomaly"] and watched[100]["replaced_by"] < 15
    assert watched[0]["item_id"] == "a"
    assert watched[1]["timestamp"] == "2024-01-01 01:00:00"


def test_it_goes_on_from_a_state(naive, a):
    watch = ["watch", "--model", naive, "--state", "state.json"]
    lines = as_lines(a, "item_id", "timestamp", "value")
    whole = readings_of(run("watch", "--model", naive, input=lines))
    first, rest = lines.splitlines(True)[:60], lines.splitlines(True)[60:]

    halves = readings_of(run(*watch, input="".join(first)))
    halves += readings_of(run(*watch, input="".join(rest)))

    assert halves == whole


def test_what_is_said_now_holds_for_series_of_a_state(naive, a):
    watch = ["watch", "--model", naive, "--state", "state.json"]
    lines = as_lines(a, "item_id", "timestamp", "value").splitlines(True)
    run(*watch, input="".join(lines[:100]))
    outlier = run("watch", "--model", naive, input="".join(lines[:101]))
    probability = readings_of(outlier)[100]["probability"]

    above = (1 + probability) / 2
    said = ["--threshold", above, "--max-run", 0]
    lines[101:] = ["new,2024-01-01,3\n"]
    reading, _ = readings_of(run(*watch, *said, input="".join(lines[100:])))

    assert 0.5 < probability < above < 1
    assert reading["probability"] == probability
    assert reading["is_anomaly"] is False and reading["replaced_by"] is None
    assert manners() == dict.fromkeys(["a", "new"], (above, 0))


def test_what_is_not_said_is_as_in_the_state(naive):
    watch = ["watch", "--model", naive, "--state", "state.json"]
    said = ["--threshold", 0.9, "--max-run", 5]

    run(*watch, *said, input="a,2024-01-01,3\n")
    run(*watch, input="b/c,2024-01-01,3\n")
    run(*watch, "--max-run", 7, input="new,2024-01-01,3\n")

    assert manners() == dict.fromkeys(["a", "b/c", "new"], (0.9, 7))


def manners():
    """How each series is looked at from now on, by the state."""
    streams = json.loads(Path("state.json").read_text())["streams"]
    return {
        stream["item_id"]: (manner["threshold"], float(manner["max_run"]))
        for stream in streams
        for manner in [stream["state"]["manner"]]
    }


def test_a_state_recognises_its_model_once_for_all_series(naive, monkeypatch):
    asked, fingerprint = [], LAIPredictor.fingerprint
    monkeypatch.setattr(
        LAIPredictor,
        "fingerprint",
        lambda self: asked.append(1) or fingerprint(self),
    )
    watch = ["watch", "--model", naive, "--state", "state.json"]

    for day in (1, 2):
        lines = [f"{name},2024-01-{day:02},3\n" for name in "abcde"]
        done = run(*watch, "--save-every", 2, input="".join(lines))

        assert len(readings_of(done)) == len(lines)
        assert len(asked) == day


def test_a_history_counts_as_if_it_had_come(naive, a):
    a[:60].to_csv("history.csv", index=False)
    lines = as_lines(a, "timestamp", "value")
    named = as_lines(a, "item_id", "timestamp", "value")
    whole = readings_of(run("watch", "--model", naive, input=named))

    rest = "".join(lines.splitlines(True)[60:])
    done = run(
        "watch", "--model", naive, "--history", "history.csv", input=rest
    )

    assert [r["is_anomaly"] for r in readings_of(done)] == [
        r["is_anomaly"] for r in whole[60:]
    ]
    assert readings_of(done)[0]["item_id"] == "a"


def test_a_history_and_points_may_be_of_a_time_zone(naive, a):
    whole = readings_of(
        run(
            "watch",
            "--model",
            naive,
            input=as_lines(a, "item_id", "timestamp", "value"),
        )
    )
    for zone in ("America/New_York", "Asia/Tokyo"):
        times = a.timestamp.dt.tz_localize("UTC").dt.tz_convert(zone)
        there = a.assign(timestamp=times.map(pd.Timestamp.isoformat))
        there[:60].to_csv("history.csv", index=False)

        done = run(
            "watch",
            "--model",
            naive,
            "--history",
            "history.csv",
            input=as_lines(there[60:], "item_id", "timestamp", "value"),
        )

        readings = readings_of(done)
        for name in ("timestamp", "is_anomaly"):
            assert [r[name] for r in readings] == [r[name] for r in whole[60:]]


def test_series_may_come_in_turns_and_begin_at_any_time(naive, a):
    b = series("b/c", LENGTH).drop(columns="label")
    alone = [
        readings_of(
            run(
                "watch",
                "--model",
                naive,
                input=as_lines(frame, "item_id", "timestamp", "value"),
            )
        )
        for frame in (a, b)
    ]

    mixed = pd.concat([a, b[30:]]).sort_values("timestamp", kind="stable")
    lines = (
        as_lines(mixed, "item_id", "timestamp", "value") + "new,2024-01-01,3\n"
    )
    both = readings_of(run("watch", "--model", naive, input=lines))

    assert [r for r in both if r["item_id"] == "a"] == alone[0]
    assert len([r for r in both if r["item_id"] == "b/c"]) == LENGTH - 30
    assert both[-1]["item_id"] == "new" and both[-1]["expected"] is None


def test_a_bad_line_is_named_and_left_out(naive):
    lines = [
        "item_id,timestamp,value",
        "a,2024-01-01 00:00,10",
        "a,2024-01-01 01:00,abc",
        "a,2024-01-01 00:00,10",
        "a,tomorrow,10",
        "{broken",
        "1,2,3,4",
        '{"item_id": "a", "timestamp": "2024-01-01 02:00", "value": 11}',
        '{"timestamp": "2024-01-01 03:00"}',
        "",
        "a,2024-01-01 03:00,",
        "a,2024-01-01 04:00 EST,10",
    ]
    text = "\n".join(lines)
    done = run("watch", "--model", naive, input=text)
    quiet = run("watch", "--model", naive, "--quiet", input=text)

    assert [r["value"] for r in readings_of(done)] == [10, 11, None]
    assert quiet.stdout == done.stdout
    bad = [s for s in done.stderr.splitlines() if s.startswith("Line ")]
    assert [line.split(":")[0] for line in bad] == [
        f"Line {n}" for n in (3, 4, 5, 6, 7, 9, 12)
    ]
    assert "'abc'" in bad[0] and "twice" in bad[1] and "'tomorrow'" in bad[2]
    assert "must have its zone as an offset or as UTC" in bad[6]
    assert "3 points, 0 anomalous, 7 lines left out." in done.stderr
    assert quiet.stderr.splitlines() == bad


def test_nothing_but_bad_lines_is_an_error(naive):
    done = run("watch", "--model", naive, input="x;1\ny;2\n")

    assert done.exit_code == 1 and "got 2 that were left" in done.stderr


def test_a_point_must_say_which_series_it_belongs_to(naive):
    done = run("watch", "--model", naive, input="3.0\n")

    assert done.exit_code == 1 and "which of 2 series" in done.stderr


def test_readings_may_be_csv(naive, a):
    lines = as_lines(a, "item_id", "timestamp", "value")
    done = run("watch", "--model", naive, "--output", "csv", input=lines)

    with open("out.csv", "w") as file:
        file.write(done.stdout)
    table = pd.read_csv("out.csv")
    assert np.flatnonzero(table.is_anomaly).tolist()[:1] == [100]
    assert len(table) == LENGTH and np.isnan(table.expected[0])


A_POINT = Point(3, "2024-01-01", "a")
AT_UNIX = Point(3, "2024-01-01 00:00:00", "a")


@pytest.mark.parametrize(
    "line, point",
    [
        ("3.5", Point(3.5)),
        (" nan ", Point(None)),
        ("2024-01-01 00:00, 3", Point(3.0, "2024-01-01 00:00")),
        ('"a,b",2024-01-01,3', Point(3.0, "2024-01-01", "a,b")),
        ("a,,3", Point(3.0, None, "a")),
        ('{"value": null}', Point(None)),
        ('{"value": [1, 2], "item_id": 7}', Point([1, 2], None, "7")),
        ("[1, 2]", Point([1, 2])),
        ('{"sensor": "a", "time": "2024-01-01", "bar": 3}', A_POINT),
        ('{"id": 1, "item_id": "a", "ts": 1704067200, "value": 3}', AT_UNIX),
        ("a,1704067200,3", AT_UNIX),
        ("a,1704067200000,3", AT_UNIX),
        ("a,2024-01-01T01:00+01:00,3", AT_UNIX),
        ("a,2023-12-31 19:00 -0500,3", AT_UNIX),
        ('{"id": "a", "ts": "2024-01-01T00:00Z", "value": 3}', AT_UNIX),
        ("a,tomorrowz,3", Point(3, "tomorrowz", "a")),
        ("31.12.2024,3", Point(3.0, "31.12.2024")),
        ("20241231,3", Point(3.0, "20241231")),
    ],
)
def test_a_line_is_read_as_it_was_meant(line, point):
    assert Lines().read(line) == point


@pytest.mark.parametrize("time", ["03.04.2024 17:00", "3/4/24"])
def test_a_date_that_may_be_another_is_refused(time):
    with pytest.raises(ValueError, match="day or month may come first"):
        Lines().read(f"{time},3")
    with pytest.raises(ValueError, match="day or month may come first"):
        Lines().read(json.dumps({"timestamp": time, "value": 3}))


@pytest.mark.parametrize(
    "header", ["Value,Sensor,Time", "pressure (bar),sensor,timestamp"]
)
def test_a_header_may_name_columns_in_any_order(header):
    lines = Lines()

    assert lines.read(header) is None
    assert lines.read("3,a,2024-01-01") == Point(3.0, "2024-01-01", "a")


class Watching:
    """The command in a process of its own, with both ends in our hands."""

    def __init__(self, model, *options):
        command = Path(sys.executable).parent / "gluonts-lai"
        self.process = subprocess.Popen(
            [command, "watch", "--model", model, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def receive(self):
        ready, _, _ = select.select([self.process.stdout], [], [], 60)
        assert ready, "no reading within a minute"
        return json.loads(self.process.stdout.readline())

    def end(self):
        out, error = self.process.communicate(timeout=60)
        return self.process.returncode, out, error


def test_each_reading_comes_before_the_next_point(naive):
    watching = Watching(naive, "--quiet")
    for hour in (1.0, 2.0, 3.0):
        watching.send(f"a,2024-01-01 {hour:02.0f}:00,{hour}")

        assert watching.receive()["value"] == hour

    assert watching.end() == (0, "", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_stops_it_loses_nothing(number, naive, tmp_path):
    watching = Watching(naive, "--state", "state.json")
    watching.send("a,2024-01-01 00:00,1")
    watching.receive()
    watching.process.send_signal(number)

    code, _, error = watching.end()

    assert code == 128 + number and "Traceback" not in error
    (stream,) = json.loads(Path("state.json").read_text())["streams"]
    assert stream["state"]["series"][0]["length"] == 1
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]


@pytest.mark.skipif(
    not hasattr(signal, "pthread_sigmask"), reason="nobody else can wait"
)
@pytest.mark.parametrize("hours", [LONG_GAP, LONG_GAP + 1])
def test_a_long_gap_can_be_stopped_and_a_point_cannot(
    hours, naive, a, monkeypatch
):
    predictor = load_model(naive)
    history = {"item_id": "a", "target": a.value[:60].to_numpy()}
    history["start"] = pd.Period(a.timestamp[0], freq="h")
    streams, usual = Streams(predictor), predictor.stream(history)
    streams.begin([history])
    before = usual.to_dict()
    point = Point(3.0, str(history["start"] + 60 + hours), "a")
    reading = usual.update(point.value, point.timestamp)

    predict = type(predictor.base).predict
    asked = itertools.count()

    def predict_disturbed(self, *arguments, **options):
        if next(asked) == 5:  # some have been judged, and others not
            signal.raise_signal(signal.SIGINT)
        return predict(self, *arguments, **options)

    monkeypatch.setattr(type(predictor.base), "predict", predict_disturbed)
    with pytest.raises(Stopped), stoppable():
        streams.take(point)

    if hours > LONG_GAP:
        assert streams.by_name["a"].to_dict() == before
        np.testing.assert_equal(streams.take(point), reading)
    assert streams.by_name["a"].to_dict() == usual.to_dict()


def test_a_reader_that_goes_away_is_no_error(naive):
    watching = Watching(naive, "--state", "state.json")
    times = pd.date_range("2024-01-01", periods=100, freq="h")
    watching.send(f"a,{times[0]},1")
    watching.receive()
    watching.process.stdout.close()
    for time in times[1:]:
        try:
            watching.send(f"a,{time},2")
        except BrokenPipeError:
            break
    error = watching.process.stderr.read()
    assert watching.process.wait(60) == 128 + signal.SIGPIPE
    assert "Error" not in error and "Traceback" not in error
    assert Path("state.json").exists()
