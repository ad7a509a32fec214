import numpy as np
import pytest

from gluonts_lai.ev import (
    best_composite_f1,
    composite_f1,
    precision,
    segment_f1,
    segment_precision,
    segment_recall,
)
from tests import naive
from tests.ev.cases import draw

EXACT = 1e-12  # the same fractions


def share_touched(bits, others):
    """Share of the segments of ``bits`` in which one of the others is set."""
    segments = naive.runs(bits)
    touched = [any(others[t] for t in segment) for segment in segments]
    return sum(touched) / len(segments)


def harmonic_mean(p, r):
    return 2 / (1 / p + 1 / r) if p and r else 0.0


def test_a_case_worked_by_hand():
    labels = [1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1]
    flags = [0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0]
    # Of 4 segments, the first and the third are found: recall 1/2. The 3
    # alarms, at 1, 5 and 8, are right: precision 1. Of 5 flagged points, 3
    # are anomalous.
    assert segment_recall(labels, flags) == 1 / 2
    assert segment_precision(labels, flags) == 1.0
    assert segment_f1(labels, flags) == pytest.approx(2 / 3, rel=EXACT)
    assert composite_f1(labels, flags) == pytest.approx(6 / 11, rel=EXACT)


def test_an_alarm_beside_a_segment_is_wrong():
    labels = [0, 0, 1, 1, 0, 0]
    flags = [1, 1, 0, 0, 1, 0]
    assert segment_precision(labels, flags) == 0.0
    assert segment_recall(labels, flags) == 0.0
    assert segment_f1(labels, flags) == composite_f1(labels, flags) == 0.0


@pytest.mark.parametrize("seed", range(30))
def test_flags_are_judged_as_by_looking_at_each_segment(seed):
    labels, scores = draw(seed)
    flags = scores > [0.5, 1.5][seed % 2]
    p, r = share_touched(flags, labels), share_touched(labels, flags)
    of_points = precision(labels, flags)

    assert segment_precision(labels, flags) == pytest.approx(p, rel=EXACT)
    assert segment_recall(labels, flags) == pytest.approx(r, rel=EXACT)
    assert segment_f1(labels, flags) == pytest.approx(
        harmonic_mean(p, r), rel=EXACT
    )
    assert composite_f1(labels, flags) == pytest.approx(
        harmonic_mean(of_points, r), rel=EXACT
    )


def test_the_best_threshold_worked_by_hand():
    labels = [1, 1, 0, 1, 0, 0]
    scores = [6, 1, 5, 4, 3, 2]
    # At 6: precision 1, recall 1/2, F1 2/3. At 5: 1/2 and 1/2. At 4: 2/3 and
    # 1, F1 4/5. Below, all segments are found, and more is wrong: 2/4, 2/5,
    # then 3/6.
    result = best_composite_f1(labels, scores)
    assert result == pytest.approx(4 / 5, rel=EXACT)


@pytest.mark.parametrize("seed", range(30))
def test_the_best_agrees_with_trying_each_threshold(seed):
    labels, scores = draw(seed)
    expected = max(composite_f1(labels, scores >= s) for s in scores)

    result = best_composite_f1(labels, scores)

    assert result == pytest.approx(expected, rel=EXACT)


def test_an_alarm_without_end_is_perfect_by_segments_alone():
    labels = np.arange(100) % 10 == 0
    flags = np.ones(100, int)
    assert segment_f1(labels, flags) == 1.0
    # Precision 1/10, recall 1.
    assert composite_f1(labels, flags) == pytest.approx(2 / 11, rel=EXACT)


def test_shares_of_nothing_are_undefined():
    assert np.isnan(segment_precision([0, 1, 0], [0, 0, 0]))
    assert np.isnan(segment_recall([0, 0, 0], [0, 1, 0]))
    assert segment_recall([0, 1, 0], [0, 0, 0]) == 0.0
    assert segment_precision([0, 0, 0], [0, 1, 0]) == 0.0
