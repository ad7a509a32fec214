"""
What a file and a stream say of one moment is one time.
"""

import json
import re
from time import tzset

import numpy as np
import pandas as pd
import pytest
from gluonts.model.seasonal_naive import SeasonalNaivePredictor

from gluonts_lai import LAIPredictor
from gluonts_lai.cli.arriving import Lines
from gluonts_lai.files import read_series
from gluonts_lai.zones import in_utc

LENGTH = 60
VALUES = np.tile([3.0, 5.0, 4.0, 7.0, 2.0, 9.0], LENGTH // 6)
WAYS = {
    "Timestamp": lambda time: time,
    "datetime": lambda time: time.to_pydatetime(),
    "ISO": lambda time: time.isoformat(),
    "basic ISO": lambda time: time.strftime("%Y%m%dT%H%M%S%z"),
    "hours": lambda time: time.strftime("%Y-%m-%dT%H:%M%z")[:-2],
    "blanks": lambda time: time.strftime("%Y-%m-%d %H:%M:%S %z"),
    "Z": lambda time: time.tz_convert("UTC").strftime("%Y-%m-%dT%H:%MZ"),
    "UTC": lambda time: time.tz_convert("UTC").strftime("%Y-%m-%d %H:%M UTC"),
}
# 2 o'clock two hours east of Greenwich, 0 o'clock there.
MIDNIGHT = [
    "2024-06-11T02:00+02:00",
    "2024-06-11 02+02:00",
    "2024-06-11T02:00:00+2",
    "2024-06-11T02:00:00,0+02:00",
    "2024-06-11 02:00:00 UTC+2",
    "2024-06-11 02:00:00 UTC+02:00",
    "2024-06-11 02:00:00 GMT+0200",
    "2024-06-11 02:00 AM +02:00",
    "2024/06/11 02:00+02:00",
    "20240611T0200+0200",
    "June 11 2024 2am +0200",
    "Tue, 11 Jun 2024 02:00:00 +0200",
    "Tue Jun 11 02:00:00 +0200 2024",
    "2024-06-11 12:00 AM UTC",
    "2024-06-11 00:00:00 UTC",
    "2024-06-11 00:00:00 utc",
    "2024-06-11 00:00 GMT",
    "2024-06-11T00:00z",
    "2024-06-11T00:00:00,0Z",
    "20240611T000000 UTC",
    "Tue, 11 Jun 2024 00:00:00 GMT",
    "Tue Jun 11 00:00:00 UTC 2024",
]
NAMED = [
    "2024-06-11 02:00:00 EST",
    "2024-06-11 02:00:00EST",
    "2024-06-11T02:00:00.5 est",
    "2024-06-11 02:00 CEST",
    "2024-06-11 02 CET",
    "June 11 2024 02 est",
    "2024-06-11 0200 est",
    "2024-06-11 02h00 est",
    "2024-06-11 2:00 PM PST",
    "2024-06-11 02:00:00 EST+5",
    "2024-06-11T02:00 Europe/Berlin",
    "Tue, 11 Jun 2024 02:00:00 EST",
    "Tue Jun 11 02:00:00 CEST 2024",
]


@pytest.fixture(scope="module")
def predictor():
    entry = {"start": pd.Period("2024-06-01", "h"), "target": VALUES}
    naive = SeasonalNaivePredictor(1, season_length=6)
    return LAIPredictor.from_predictor(naive, [entry], seed=0)


def hours(zone):
    return pd.date_range("2024-06-01", periods=LENGTH, freq="h", tz=zone)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "UTC"])
@pytest.mark.parametrize("way", WAYS)
def test_a_stream_goes_on_after_a_file_of_the_same_zone(
    predictor, tmp_path, zone, way
):
    times = hours(zone)
    frame = pd.DataFrame({"time": times.map(pd.Timestamp.isoformat)})
    frame.assign(value=VALUES).to_csv(tmp_path / "pump.csv", index=False)
    (history,) = read_series(tmp_path / "pump.csv").entries
    stream = predictor.stream(history)

    following = times[-1] + pd.Timedelta("1h")
    reading = stream.update(VALUES[0], timestamp=WAYS[way](following))

    (length,) = stream.tracks.lengths
    assert length == LENGTH + 1 and not reading.is_anomaly


@pytest.mark.parametrize("way", ["Timestamp", "datetime", "ISO"])
def test_an_hour_that_comes_twice_in_autumn_is_two_points(predictor, way):
    times = pd.date_range(
        "2024-10-26", periods=LENGTH, freq="h", tz="Europe/Berlin"
    )
    stream = predictor.stream({"item_id": "new"})

    stream.update_many(VALUES, [WAYS[way](time) for time in times])

    assert stream.tracks.lengths == [LENGTH]
    start = stream.tracks.entries[0]["start"]
    assert start == pd.Period("2024-10-25 22:00", "h")


@pytest.mark.parametrize(
    "text",
    ["2024-06-11 02:00", "2024-06-11", "31-12-2024", "2024Q1", "20240611"]
    + ["2024-06-11 2:00 PM", "2024-06-11 2 p.m.", "11 JUN 2024 02:00"]
    + ["02:00 11 JUNE 2024", "June 11th 2024", "2024-06-11 02h", "1Q2024"],
)
def test_a_text_without_a_zone_is_left_alone(text):
    assert in_utc(text) is text


@pytest.mark.parametrize("text", MIDNIGHT)
def test_one_moment_is_one_time_everywhere(predictor, tmp_path, text):
    """In a file, in a stream and on standard input."""
    midnight = pd.Period("2024-06-11 00:00", "h")
    sheet = pd.DataFrame({"time": [text], "value": [3.0]})
    sheet.to_csv(tmp_path / "pump.csv", index=False)
    line = json.dumps({"timestamp": text, "value": 3.0})

    file = read_series(tmp_path / "pump.csv", freq="h")

    assert file.entries[0]["start"] == midnight
    assert len(file.notes) == 1 and "have a time zone and" in file.notes[0]
    for time in (text, Lines().read(line).timestamp):
        stream = predictor.stream({"item_id": "new"})
        stream.update(3.0, timestamp=time)
        assert stream.tracks.entries[0]["start"] == midnight


@pytest.fixture(params=["UTC", "Europe/Berlin"])
def here(request, monkeypatch):
    """The zone of the computer, whose name pandas would know."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", request.param)
        tzset()
        yield request.param
    tzset()


@pytest.mark.parametrize("text", NAMED)
def test_a_zone_that_is_a_name_is_refused_everywhere(
    predictor, tmp_path, here, text
):
    """CST is in China, in Cuba and in Chicago."""
    sheet = pd.DataFrame({"time": [text], "value": [3.0]})
    sheet.to_csv(tmp_path / "pump.csv", index=False)
    line = json.dumps({"timestamp": text, "value": 3.0})
    stream = predictor.stream({"item_id": "new"})

    wanted = f"as an offset or as UTC, got '{re.escape(text)}'"
    with pytest.raises(ValueError, match=f"{wanted} in line 2; write it as"):
        read_series(tmp_path / "pump.csv", freq="h")
    for given in (text, Lines().read(line).timestamp):
        with pytest.raises(ValueError, match=f"{wanted}; write it as 2024-"):
            stream.update(3.0, timestamp=given)


@pytest.mark.parametrize("time", ["tomorrowz", "2024-13-31T02:00Z"])
def test_what_only_ends_like_a_time_is_none(predictor, time):
    stream = predictor.stream({"item_id": "new"})
    with pytest.raises(ValueError, match=f"must be a time, got '{time}'"):
        stream.update(3.0, timestamp=time)
