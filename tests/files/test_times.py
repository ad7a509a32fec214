"""
When readings were taken, and how often they come.
"""

import gzip

import numpy as np
import pandas as pd
import pytest

from .written import hours, read, starts, targets


def lines(times, header="time,value"):
    return "\n".join(
        [header, *(f"{time},{i}" for i, time in enumerate(times))]
    )


@pytest.mark.parametrize(
    "step, freq",
    [
        ("500ms", "500ms"),
        ("10s", "10s"),
        ("min", "min"),
        ("90min", "90min"),
        ("h", "h"),
        ("D", "D"),
        ("2D", "2D"),
        ("B", "B"),
        ("W-MON", "W-SUN"),
        ("W-SUN", "W-SAT"),
        ("MS", "M"),
        ("ME", "M"),
        ("QS", "Q-DEC"),
        ("QS-FEB", "Q-JAN"),
        ("QE", "Q-DEC"),
        ("YS", "Y-DEC"),
        ("YE", "Y-DEC"),
        ("YS-JUL", "Y-JUN"),
    ],
)
def test_frequencies_are_guessed_from_the_times(tmp_path, step, freq):
    times = pd.date_range("2024-01-03", periods=12, freq=step)
    file = read(tmp_path, lines(times))

    assert file.freq == freq
    assert targets(file) == {"pump": list(range(12))}
    start = file.entries[0]["start"]
    assert start.freqstr == freq
    if not step.endswith("E"):
        assert start.start_time == times[0]


def test_a_gap_is_missing_and_said(tmp_path):
    times = pd.date_range("2024-01-01", periods=30, freq="h").delete([4, 5, 9])
    file = read(tmp_path, lines(times))

    values = np.array(targets(file)["pump"])
    assert len(values) == 30
    assert np.flatnonzero(np.isnan(values)).tolist() == [4, 5, 9]
    assert file.notes == [
        "3 points missing, in 2 gaps; the longest, of 2, follows 2024-01-01 "
        "03:00:00 in line 5 ('pump')."
    ]


def test_a_short_series_may_have_a_gap_of_its_own(tmp_path):
    text = lines([f"a,2024-01-0{i}" for i in range(1, 7)], "id,time,value")
    file = read(tmp_path, text + "\nb,2024-01-01,1\nb,2024-01-03,2\n")
    assert file.freq == "D"
    np.testing.assert_equal(targets(file)["b"], [1, np.nan, 2])


def test_lines_come_in_any_order(tmp_path):
    times = pd.date_range("2024-01-01", periods=5, freq="h")[::-1]
    assert targets(read(tmp_path, lines(times))) == {"pump": [4, 3, 2, 1, 0]}


def test_a_time_zone_is_converted_and_said(tmp_path):
    zoned = ["2024-03-31T00:00+01:00", "2024-03-31T01:00+01:00"]
    summer = ["2024-03-31T03:00+02:00", "2024-03-31T04:00+02:00"]
    file = read(tmp_path, lines(zoned + summer))

    assert starts(file) == {"pump": "2024-03-30 23:00"}
    assert targets(file) == {"pump": [0, 1, 2, 3]}
    (note,) = file.notes
    assert "'time' have a time zone and are converted to UTC; remove" in note

    index = pd.to_datetime(zoned).tz_convert("Asia/Tokyo")
    frame = pd.DataFrame({"time": index, "value": [1, 2]})
    stored = read(tmp_path, frame, "x.parquet")
    assert starts(stored) == {"x": "2024-03-30 23:00"}
    assert stored.notes == file.notes


@pytest.mark.parametrize("end", [" UTC", " GMT", " utc", "z", " Z", "UTC"])
@pytest.mark.parametrize("num_days", [9, 40])
def test_a_year_that_stands_first_is_followed_by_the_month(
    tmp_path, end, num_days
):
    """As BigQuery writes times, for one."""
    for step, freq in (("MS", "M"), ("D", "D"), ("h", "h")):
        times = pd.date_range("2023-01-01", periods=num_days, freq=step)
        file = read(tmp_path, lines(times.strftime(f"%Y-%m-%d %H:%M:%S{end}")))
        assert file.freq == freq
        assert targets(file) == {"pump": list(range(num_days))}
        assert len(file.notes) == 1 and "have a time zone" in file.notes[0]


@pytest.mark.parametrize("form", ["%Y.%m.%d %H:%M", "%Y-%m-%d %I:%M %p +00"])
def test_a_year_may_stand_first_in_many_ways(tmp_path, form):
    times = pd.date_range("2023-01-01", periods=24, freq="MS")
    file = read(tmp_path, lines(times.strftime(form)))
    assert starts(file) == {"pump": "2023-01"} and file.freq == "M"


def test_a_column_of_any_name_may_hold_times_with_a_zone(tmp_path):
    times = pd.date_range("2024-06-11", periods=3, freq="h")
    text = lines(times.strftime("%Y-%m-%d %H:%M:%S utc"), "measured,value")
    assert starts(read(tmp_path, text)) == {"pump": "2024-06-11 00:00"}


def test_fractions_of_a_second_may_have_a_comma(tmp_path):
    times = [f"2024-06-11T02:00:00,{i}+02:00" for i in range(5)]
    file = read(tmp_path, lines([f'"{time}"' for time in times]))
    assert file.freq == "100ms" and len(targets(file)["pump"]) == 5


@pytest.mark.parametrize("unit, scale", [("s", 1), ("ms", 1e3), ("us", 1e6)])
def test_unix_time_is_recognised_and_said(tmp_path, unit, scale):
    times = [int((1_700_002_800 + 3_600 * i) * scale) for i in range(3)]
    file = read(tmp_path, lines(times))

    assert starts(file) == {"pump": "2023-11-14 23:00"}
    assert file.notes == [
        f"column 'time' is read as Unix time in {unit}, in UTC."
    ]


def test_unix_time_has_fractions(tmp_path):
    times = [1_700_000_000 + i / 4 for i in range(8)]
    file = read(tmp_path, lines(times))
    assert file.freq == "250ms" and len(targets(file)["pump"]) == 8


@pytest.mark.parametrize(
    "times, start",
    [
        (["20240229", "20240301"], "2024-02-29"),
        (["2019", "2020"], "2019"),
        (["2024-2-9 7:00", "2024-2-9 8:00"], "2024-02-09 07:00"),
        (["Feb 1 2024", "Feb 2 2024"], "2024-02-01"),
    ],
)
def test_dates_are_written_in_many_ways(tmp_path, times, start):
    assert starts(read(tmp_path, lines(times))) == {"pump": start}


@pytest.mark.parametrize("form", ["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y %H:%M"])
@pytest.mark.parametrize("num_days", [9, 20])
def test_days_and_months_are_told_by_regular_steps(tmp_path, form, num_days):
    times = pd.date_range("2024-02-01", periods=num_days)
    file = read(tmp_path, lines(times.strftime(form)))
    assert starts(file) == {"pump": "2024-02-01"} and file.freq == "D"
    assert len(targets(file)["pump"]) == num_days


def test_a_given_frequency_has_a_point_for_each_period(tmp_path):
    times = ["2024-01-01 00:00:03", "2024-01-01 00:05:01"]
    times += ["2024-01-01 00:10:02", "2024-01-01 00:21:00"]
    file = read(tmp_path, lines(times), freq="5min")

    np.testing.assert_equal(targets(file), {"pump": [0, 1, 2, np.nan, 3]})
    assert "00:00:03 as 2024-01-01 00:00." in file.notes[-1]


def test_uneven_times_lie_in_periods_of_the_clock(tmp_path):
    times = ["2024-01-01 00:03", "2024-01-01 00:07", "2024-01-01 00:10"]
    file = read(tmp_path, lines(times), freq="5min")
    assert targets(file) == {"pump": [0, 1, 2]}
    assert starts(file) == {"pump": "2024-01-01 00:00"}


def test_a_gap_may_be_long_where_the_series_is_longer(tmp_path):
    times = pd.date_range("2024-01-01", periods=300_000, freq="min")
    times = times.delete(np.arange(120_000, 245_000))
    frame = pd.DataFrame({"time": times, "value": 1.0})
    file = read(tmp_path, frame, "x.parquet")
    assert np.isnan(file.entries[0]["target"]).sum() == 125_000


def test_even_times_keep_their_own_begin(tmp_path):
    file = read(
        tmp_path, "time,value\n" + hours(3, "2024-01-01 00:02", "5min")
    )
    assert starts(file) == {"pump": "2024-01-01 00:02"} and file.notes == []


@pytest.mark.parametrize(
    "freq, found", [("H", "h"), ("15T", "15min"), ("MS", "M"), ("YE", "Y-DEC")]
)
def test_a_frequency_has_several_spellings(tmp_path, freq, found):
    text = "time,value\n2024-01-01,1\n"
    assert read(tmp_path, text, freq=freq).freq == found


@pytest.mark.parametrize(
    "duplicates, value, label",
    [("mean", 3.0, 1), ("first", 2.0, 1), ("last", 4.0, 1)],
)
def test_of_several_readings_one_is_chosen(tmp_path, duplicates, value, label):
    rows = ["2024-01-01,1,0", "2024-01-02,2,0", "2024-01-02,4,1"]
    text = "\n".join(["time,value,label", *rows, "2024-01-03,5,0"])
    file = read(tmp_path, text, duplicates=duplicates)

    assert targets(file) == {"pump": [1, value, 5]}
    assert file.entries[0]["label"].tolist() == [0, label, 0]
    assert file.notes == [
        f"1 reading came for a point that has one; the {duplicates} is taken."
    ]


def test_the_first_of_a_period_is_the_first_in_time(tmp_path):
    times = ["2024-01-01 08:00", "2024-01-01 06:00", "2024-01-02 07:00"]
    file = read(tmp_path, lines(times), freq="D", duplicates="first")
    assert targets(file) == {"pump": [1, 2]}


def test_semicolons_and_decimal_commas_are_read(tmp_path):
    text = "Date;Value\n31.01.2024;1,5\n01.02.2024;2\n02.02.2024;\n"
    file = read(tmp_path, text)
    np.testing.assert_equal(targets(file), {"pump": [1.5, 2, np.nan]})
    assert "'Value' are read with a decimal comma: 1,5 as" in file.notes[0]


def test_three_decimals_are_no_thousands(tmp_path):
    for values in (["1,250", "850,000"], ["0,250", "8"]):
        text = f"Date;Value\n2024-01-01;{values[0]}\n2024-01-02;{values[1]}\n"
        (read_values,) = targets(read(tmp_path, text)).values()
        wanted = [float(value.replace(",", ".")) for value in values]
        assert read_values == wanted


@pytest.mark.parametrize("separator", list(",;\t|"))
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_separators_and_ends_of_lines_are_found(tmp_path, separator, end):
    text = ("time,a, b \n" + hours(4).replace(".5", ".5,7")).replace("\n", end)
    file = read(tmp_path, "\ufeff" + text.replace(",", separator), "x.txt")
    assert targets(file)["a"] == [0.5, 1.5, 2.5, 3.5]
    assert targets(file)["b"] == [7, 7, 7, 7]


def test_a_compressed_file_is_read(tmp_path):
    packed = gzip.compress(("time,value\n" + hours(4)).encode())
    assert list(targets(read(tmp_path, packed, "pump.csv.gz"))) == ["pump"]


def test_empty_lines_are_nothing_but_lines(tmp_path):
    text = "time,value\n" + hours(3) + "\n\n,\n2024-01-01 09:00,broken\n"
    with pytest.raises(ValueError, match="got 'broken' in line 8;"):
        read(tmp_path, text)
    assert len(targets(read(tmp_path, text[:-24]))["pump"]) == 3
