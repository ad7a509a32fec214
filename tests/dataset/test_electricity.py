import numpy as np
import pandas as pd
import pytest

from gluonts_lai.dataset import read_electricity

CSV = """timestamp,client_1,client_12
2014-01-01 01:00:00,1.5,7
2014-01-01 02:00:00,2.5,
2014-01-01 04:00:00,3.5,8
2014-01-01 05:00:00,4.5,
2014-01-01 06:00:00,5.5,
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "electricity").mkdir()
    (tmp_path / "electricity/electricity_hourly_2014.csv").write_text(CSV)
    return tmp_path


def test_clients_end_with_their_last_value(folder):
    one, other = read_electricity(folder)

    assert one.keys() == other.keys() == {"item_id", "start", "target"}
    assert (one["item_id"], other["item_id"]) == ("client_1", "client_12")
    assert one["start"] == other["start"] == pd.Period("2014-01-01 01:00", "h")
    hours = [1.5, 2.5, np.nan, 3.5, 4.5, 5.5]
    np.testing.assert_array_equal(one["target"], hours)
    np.testing.assert_array_equal(other["target"], [7, np.nan, np.nan, 8])
    assert one["target"].dtype == other["target"].dtype == np.float64


def test_a_client_without_values_has_no_points(folder):
    path = folder / "electricity/electricity_hourly_2014.csv"
    path.write_text("timestamp,a\n2014-01-01 01:00,\n2014-01-01 02:00,\n")
    assert read_electricity(folder)[0]["target"].shape == (0,)


def test_a_folder_is_given_or_named_by_the_environment(folder, monkeypatch):
    assert len(read_electricity(str(folder / "electricity"))) == 2
    monkeypatch.setenv("GLUONTS_LAI_DATA", str(folder))
    assert len(read_electricity()) == 2
