"""
What a file and a stream say of one moment is one time.
"""

import numpy as np
import pandas as pd
import pytest
from gluonts.model.seasonal_naive import SeasonalNaivePredictor

from gluonts_lai import LAIPredictor
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
    ["2024-06-11 02:00", "2024-06-11", "31-12-2024", "2024Q1", "20240611"],
)
def test_a_text_without_a_zone_is_left_alone(text):
    assert in_utc(text) is text


@pytest.mark.parametrize("time", ["tomorrowz", "2024-13-31T02:00Z"])
def test_what_only_ends_like_a_time_is_none(predictor, time):
    stream = predictor.stream({"item_id": "new"})
    with pytest.raises(ValueError, match=f"must be a time, got '{time}'"):
        stream.update(3.0, timestamp=time)
