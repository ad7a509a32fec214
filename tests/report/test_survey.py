"""
Series are ranked by what was found in them, while they pass by.
"""

import gc
import weakref

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from gluonts_lai.report.survey import Survey

from .made import detection, spread_out, stacked, with_all


def survey_of(*detections, threshold=0.5, top=20):
    return Survey.of(iter(detections), threshold, top)


def test_the_most_flagged_points_come_first():
    survey = survey_of(
        detection(90, [(50, 52)], "two"),
        detection(90, [], "none"),
        detection(90, [(30, 37), (60, 61)], "eight"),
    )

    assert [s.name for s in survey.summaries] == ["eight", "two", "none"]
    assert [s.name for s in survey.drawn] == ["eight", "two", "none"]
    eight, two, none = survey.summaries
    assert (eight.num_flagged, eight.num_segments, eight.longest) == (8, 2, 7)
    assert eight.share == pytest.approx(8 / 90)
    assert (two.num_flagged, two.num_segments, two.longest) == (2, 1, 2)
    assert (none.num_flagged, none.num_segments, none.longest) == (0, 0, 0)
    assert survey.num_found == 2
    assert survey.total("num_flagged") == 10


def test_of_equally_many_the_strongest_comes_first():
    weak, strong = detection(50, [(9, 10)], "weak"), detection(50, [(9, 10)])
    weak.score[9], strong.score[9] = 1.0, 2.0

    survey = survey_of(weak, strong)

    assert [s.strongest for s in survey.summaries] == [2.0, 1.0]


def test_of_equals_the_first_comes_first():
    survey = survey_of(*[detection(9, item_id=str(i)) for i in range(9)])

    names = [str(i) for i in range(9)]
    assert [s.name for s in survey.summaries] == names
    assert [s.name for s in survey.drawn] == names


@pytest.mark.parametrize("top", [0, 1, 7, 100])
def test_the_drawn_ones_are_the_first_of_the_ranking(top):
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 6, size=40)

    survey = survey_of(
        *[
            detection(99, spread_out(99, n), f"{i}")
            for i, n in enumerate(counts)
        ],
        top=top,
    )

    assert len(survey.summaries) == 40
    first = [summary.name for summary in survey.summaries[:top]]
    assert [series.name for series in survey.drawn] == first


def test_what_is_not_drawn_is_forgotten():
    kept = []

    def passing():
        for i in range(20):
            made = detection(50, [(9, 10 + i)])
            kept.append(weakref.ref(made.value))
            yield made

    survey = Survey.of(passing(), 0.5, top=2)

    gc.collect()
    assert len(survey.drawn) == 2
    assert all(ref() is None for ref in kept)


def test_each_dimension_is_a_series():
    both = stacked(detection(60), detection(60, [(9, 12)], seed=1))

    survey = survey_of(both)

    names = ["sensor [dim 1]", "sensor [dim 0]"]
    assert [s.name for s in survey.summaries] == names
    for series, dim in zip(survey.drawn, (1, 0)):
        assert_array_equal(series.value, both.value[dim])
        assert_array_equal(series.score, both.score[dim])


@pytest.mark.parametrize(
    "item_id, name",
    [
        (None, "#0"),
        ("", "#0"),
        (" \t", "#0"),
        (7, "7"),
        ("x" * 80, "x" * 80),
        ("x" * 10_000, "x" * 79 + "…"),
    ],
)
def test_a_series_has_a_name(item_id, name):
    survey = survey_of(detection(9, item_id=item_id))

    assert survey.summaries[0].name == name


def test_a_series_of_nothing_but_missing_values_has_a_line():
    nothing = with_all(
        detection(30),
        value=np.nan,
        score=np.nan,
        expected=np.nan,
        probability=0.01,
    )

    (summary,) = survey_of(nothing).summaries

    assert (summary.num_points, summary.num_missing) == (30, 30)
    assert summary.num_flagged == 0
    assert summary.strongest == -np.inf


def test_a_point_is_flagged_above_the_threshold():
    made = detection(9)._replace(probability=np.arange(9) / 10)

    counts = [
        survey_of(made, threshold=threshold).total("num_flagged")
        for threshold in (0.05, 0.5, 0.75)
    ]

    assert counts == [8, 3, 1]
