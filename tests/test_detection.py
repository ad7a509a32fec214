"""
What was found in a series can be read as a table, and as segments.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from gluonts_lai.detection import Detection
from gluonts_lai.detector import Found
from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table

from . import naive

START = pd.Period("2024-02-27", "D")


def detections(*shapes):
    """One detection for each shape, of chance."""
    rng = np.random.default_rng(0)
    panel = Panel.of(
        [
            {"target": rng.normal(size=s), "start": START, "item_id": f"{i}"}
            for i, s in enumerate(shapes)
        ]
    )
    tables = [
        Table.of([rng.random(s) for s in shapes], float) for _ in Found._fields
    ]
    found = Found(*tables)
    return panel, found, list(Detection.of(panel, found))


def test_each_entry_has_its_detection():
    panel, found, detected = detections((2, 9), (2, 5), (2, 9))

    assert [d.item_id for d in detected] == ["0", "1", "2"]
    for i, detection in enumerate(detected):
        assert detection.start == START
        assert_array_equal(detection.value, panel.values.entries[i])
        assert_array_equal(detection.score, found.log_odds.entries[i])
        for name in Found._fields:
            if name != "log_odds":
                table = getattr(found, name)
                assert_array_equal(getattr(detection, name), table.entries[i])


def test_a_frame_has_a_row_for_each_point():
    _, _, (detection,) = detections((9,))

    frame = detection.to_frame()

    assert list(frame.index) == [START + t for t in range(9)]
    for name in detection._fields[2:]:
        assert_array_equal(frame[name], getattr(detection, name))


def test_dimensions_are_a_second_level_of_the_columns():
    _, _, (detection,) = detections((2, 5))

    frame = detection.to_frame()

    assert frame.columns.nlevels == 2
    for name in detection._fields[2:]:
        assert_array_equal(frame[name].T, getattr(detection, name))


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
def test_segments_are_the_runs_above_a_threshold(threshold):
    _, _, (detection,) = detections((40,))
    p = detection.probability

    segments = detection.segments(threshold)

    expected = [
        (START + run[0], START + run[-1], len(run), p[run].max())
        for run in naive.runs(p > threshold)
    ]
    assert list(segments.itertuples(index=False, name=None)) == expected
    assert list(segments.columns) == [
        "start",
        "end",
        "length",
        "peak_probability",
    ]


def test_segments_know_their_dimension():
    _, _, (detection,) = detections((3, 20))

    segments = detection.segments()

    for dim, p in enumerate(detection.probability):
        length = [len(run) for run in naive.runs(p > 0.5)]
        assert list(segments.length[segments.dim == dim]) == length


def test_where_nothing_is_anomalous_there_are_no_segments():
    _, _, (detection,) = detections((9,))

    none = detection.segments(threshold=1.0)

    assert none.empty
    assert (none.dtypes == detection.segments().dtypes).all()
