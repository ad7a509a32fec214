import numpy as np
import pytest
from sklearn.metrics import f1_score

from gluonts_lai.ev import adjusted_f1, best_adjusted_f1, best_f1, f1
from tests import naive
from tests.ev.cases import draw

EXACT = 1e-12  # the same fractions

PROTOCOLS = [
    {},
    {"min_share": 0.2},
    {"min_share": 0.5},
    {"min_share": 1.0},
    {"max_delay": 0},
    {"max_delay": 2},
    {"max_delay": 100},
]


def adjust(labels, flags, min_share=0.0, max_delay=None):
    """Point adjustment, segment after segment."""
    flags = np.array(flags, bool)
    for segment in naive.runs(labels):
        if max_delay is not None:
            flags[segment] = flags[segment[: max_delay + 1]].any()
        elif flags[segment].sum() / len(segment) > min_share:
            flags[segment] = True
    return flags


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
@pytest.mark.parametrize("seed", range(15))
def test_f1_agrees_with_adjusting_segment_after_segment(seed, protocol):
    labels, scores = draw(seed)
    expected = f1_score(labels, adjust(labels, scores > 0.7, **protocol))

    result = adjusted_f1(labels, scores > 0.7, **protocol)

    assert result == pytest.approx(expected, rel=EXACT)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_the_best_agrees_with_trying_each_threshold(seed, protocol):
    labels, scores = draw(seed)
    expected = max(
        adjusted_f1(labels, scores >= s, **protocol) for s in scores
    )

    result = best_adjusted_f1(labels, scores, **protocol)

    assert result == pytest.approx(expected, rel=EXACT)


def test_a_case_worked_by_hand():
    labels = [0, 1, 1, 1, 0, 1, 0]
    scores = [5, 0, 6, 0, 0, 4, 0]
    # At 6: 3 of 4 found, none wrong, F1 6/7. At 5: one wrong, 6/8. At 4: all
    # found, one wrong, 8/9.
    assert best_adjusted_f1(labels, scores) == pytest.approx(8 / 9, rel=EXACT)


def test_a_share_worked_by_hand():
    labels = [0, 1, 1, 1, 1, 0, 1, 1]
    flags = [1, 1, 1, 0, 0, 0, 1, 0]
    # Half of each segment is flagged. At 0.49, both are found: 6 hits, one
    # wrong, F1 12/13. At 0.5 none is, and 3 of 6 points count: F1 6/10.
    both = adjusted_f1(labels, flags, min_share=0.49)
    none = adjusted_f1(labels, flags, min_share=0.5)
    assert both == pytest.approx(12 / 13, rel=EXACT)
    assert none == pytest.approx(6 / 10, rel=EXACT)


def test_a_delay_worked_by_hand():
    labels = [0, 1, 1, 1, 1, 0, 1, 1]
    flags = [1, 0, 0, 1, 1, 0, 1, 0]
    # The first segment is found after 2 points. If that is too late, its two
    # flagged points are missed, too: 2 hits of 6, one wrong, F1 4/9.
    found = adjusted_f1(labels, flags, max_delay=2)
    missed = adjusted_f1(labels, flags, max_delay=1)
    assert found == pytest.approx(12 / 13, rel=EXACT)
    assert missed == pytest.approx(4 / 9, rel=EXACT)


def test_the_share_is_compared_exactly():
    labels = np.ones(100, int)
    flags = np.arange(100) < 29
    assert 0.29 * 100 < 29  # as floats are
    assert adjusted_f1(labels, flags, min_share=0.29) == f1(labels, flags)
    assert adjusted_f1(labels, flags, min_share=0.28) == 1.0
    # The best threshold is found by shares, too: 29 points at the top.
    scores = np.where(flags, 2.0, 1.0)
    labels = np.append(labels, np.zeros(9, int))
    scores = np.append(scores, np.full(9, 1.5))
    late = best_adjusted_f1(labels, scores, min_share=0.29)
    assert late == pytest.approx(200 / 209, rel=EXACT)  # all are flagged
    assert best_adjusted_f1(labels, scores, min_share=0.28) == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_the_limits_are_point_by_point_and_any_point(seed):
    labels, scores = draw(seed)
    strict = best_adjusted_f1(labels, scores, min_share=1.0)
    patient = best_adjusted_f1(labels, scores, max_delay=len(labels))
    assert strict == best_f1(labels, scores)
    assert patient == best_adjusted_f1(labels, scores)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
def test_segments_of_one_point_leave_nothing_to_adjust(protocol):
    rng = np.random.default_rng(0)
    labels = np.tile([1, 0, 0, 0, 0], 20)
    scores = rng.normal(size=100) + labels
    result = best_adjusted_f1(labels, scores, **protocol)
    assert result == best_f1(labels, scores)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
def test_the_scores_that_came_in_are_left_alone(protocol):
    scores = np.array([0.0, 1.0, 0.0])
    best_adjusted_f1([1, 1, 0], scores, **protocol)
    np.testing.assert_array_equal(scores, [0.0, 1.0, 0.0])


@pytest.mark.parametrize("metric", [adjusted_f1, best_adjusted_f1])
@pytest.mark.parametrize(
    "protocol, message",
    [
        ({"min_share": 20}, "between 0 and 1, got 20; .* 0.2 for 20 %"),
        ({"min_share": np.nan}, "min_share must lie between 0 and 1, got nan"),
        ({"max_delay": -1}, "max_delay must be a whole number .* got -1; 0"),
        ({"max_delay": 1.5}, "whole number of points, at least 0, got 1.5"),
        ({"min_share": 0.5, "max_delay": 3}, "two protocols, got 0.5 and 3"),
    ],
)
def test_a_protocol_that_makes_no_sense_is_refused(metric, protocol, message):
    with pytest.raises(ValueError, match=message):
        metric([0, 1], [0, 1], **protocol)
