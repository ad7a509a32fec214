"""
Data sets as GluonTS writes them.
"""

import numpy as np
import pandas as pd
import pytest
from gluonts.dataset.common import FileDataset
from gluonts.dataset.jsonl import JsonLinesWriter

from gluonts_lai.files import read_series

from .written import read, starts, targets

GOOD = '{"start": "2024-01-01 00:00", "target": [1, null, 3]}\n'


@pytest.mark.parametrize("use_gzip", [False, True])
def test_what_gluonts_writes_is_read_as_gluonts_reads_it(tmp_path, use_gzip):
    entries = [
        {
            "item_id": name,
            "start": pd.Period("2024-01-01 05:00", "h"),
            "target": np.array([1.5, np.nan, 3.5], np.float32),
            "feat_dynamic_real": np.ones((1, 3), np.float32),
            "feat_static_cat": np.array([2], np.int32),
        }
        for name in ("a", "b")
    ]
    JsonLinesWriter(use_gzip=use_gzip).write_to_folder(entries, tmp_path)
    (path,) = tmp_path.iterdir()

    file = read_series(path, freq="h")

    theirs = list(FileDataset(path, freq="h"))
    assert len(file.entries) == 2 and file.guesses.layout == "jsonl"
    for ours, their in zip(file.entries, theirs):
        np.testing.assert_equal(ours, their)
        assert ours["target"].dtype == their["target"].dtype


def test_series_without_a_name_get_one(tmp_path):
    assert list(targets(read(tmp_path, GOOD, "x.json", freq="h"))) == ["x"]
    two = read(tmp_path, GOOD + "\n" + GOOD, "x.json", freq="h")
    assert list(targets(two)) == ["x-0", "x-1"]


def test_several_dimensions_are_kept(tmp_path):
    line = '{"start": "2024", "target": [[1, 2, 3], [4, null, 6]]}'
    file = read(tmp_path, line, "x.jsonl", freq="D")
    assert file.entries[0]["target"].shape == (2, 3)
    assert file.summary() == "1 series, 3 points; jsonl, one point each D"


@pytest.mark.parametrize(
    "start", ["2024-01-01T00:00+02:00", "2024-01-01 00:00 UTC+2"]
)
def test_labels_and_time_zones_are_as_in_tables(tmp_path, start):
    line = (
        f'{{"start": "{start}", "target": [1, 2, 3], '
        '"is_anomaly": [0, true, null]}'
    )
    file = read(tmp_path, line, "x.jsonl", freq="h")
    np.testing.assert_equal(file.entries[0]["label"], [0, 1, np.nan])
    assert starts(file) == {"x": "2023-12-31 22:00"}
    assert file.notes == ["starts have a time zone and are converted to UTC."]


@pytest.mark.parametrize(
    "line, message",
    [
        ("{broken", "must be a JSON object, .* got '{broken' in line 3;"),
        ("[1, 2]", "must be a JSON object, .* in line 3; write a series"),
        ('{"target": [1]}', "line 3 of .* must have a field 'start', got 't"),
        ('{"start": "2024"}', "line 3 of .* must have a field 'target', got"),
        ('{"start": "soon", "target": [1]}', "'start' in line 3 of .*'soon';"),
        ('{"start": "2024-01-31 17:00 EST", "target": [1]}', "or as UTC, got"),
        ('{"start": 7, "target": [1]}', "'start' in line 3 of .* got 7; wri"),
        ('{"start": "2024", "target": [1, "a"]}', "'target' in line 3 of .*"),
        ('{"start": "2024", "target": 5}', "must be a list of finite numbers"),
        ('{"start": "2024", "target": [1e999]}', "finite numbers, .* got .in"),
        ('{"start": "2024", "target": [[1], [1, 2]]}', "several of one lengt"),
        (
            '{"start": "2024", "target": [1, 2], "label": [1]}',
            r"for each point of the target, of shape \(2,\), got shape \(1,\)",
        ),
        (
            '{"start": "2024", "target": [1, 2], "label": [1, 7]}',
            "'label' in line 3 .* must hold 1, 0 or null .* got 7;",
        ),
        (
            '{"start": "2024", "target": [1], "feat_dynamic_real": [1]}',
            "features in line 3 of .* must be as GluonTS has them",
        ),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, message):
    with pytest.raises(ValueError, match=message):
        read(tmp_path, GOOD + "\n" + line + "\n", "x.jsonl", freq="h")


def test_other_faults_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"must be given, .* give freq= \(--"):
        read(tmp_path, GOOD, "x.jsonl")
    with pytest.raises(ValueError, match=r"value= \(--value\) must be left"):
        read(tmp_path, GOOD, "x.jsonl", freq="h", value="y")
    with pytest.raises(ValueError, match="got an empty file"):
        read(tmp_path, "\n", "x.jsonl", freq="h")
    with pytest.raises(ValueError, match="UTF-8, got other bytes in line 1;"):
        read(tmp_path, b'{"item_id": "\xb0"}', "x.jsonl", freq="h")
    with pytest.raises(ValueError, match="must have a field 'odd', got 'star"):
        read(tmp_path, GOOD, "x.jsonl", freq="h", label="odd")
