import numpy as np
import pytest
from sklearn.metrics import f1_score

from gluonts_lai.ev import best_adjusted_f1, best_f1

EXACT = 1e-12  # the same fractions


def adjust(labels, flags):
    """Point adjustment, point after point."""
    flags = list(flags)
    for t in range(len(labels)):
        if labels[t] and flags[t]:
            for way in (-1, 1):
                other = t
                while 0 <= other < len(labels) and labels[other]:
                    flags[other] = True
                    other += way
    return flags


def best_adjusted_f1_by_trial(labels, scores):
    flags = [adjust(labels, scores >= s) for s in scores]
    return max(f1_score(labels, f) for f in flags)


@pytest.mark.parametrize("seed", range(30))
def test_it_agrees_with_adjusting_at_each_threshold(seed):
    rng = np.random.default_rng(seed)
    labels = np.zeros(60, int)
    for start in rng.integers(60, size=4):
        labels[start : start + rng.integers(1, 8)] = 1
    labels[[0, -1][seed % 2]] = 1  # segments at the ends, too
    scores = rng.normal(size=60) + labels
    scores = scores.round(1) if seed % 3 == 0 else scores

    expected = best_adjusted_f1_by_trial(labels, scores)

    assert best_adjusted_f1(labels, scores) == pytest.approx(
        expected, rel=EXACT
    )


def test_a_case_worked_by_hand():
    labels = [0, 1, 1, 1, 0, 1, 0]
    scores = [5, 0, 6, 0, 0, 4, 0]
    # At 6: 3 of 4 found, none wrong, F1 6/7. At 5: one wrong, 6/8. At 4: all
    # found, one wrong, 8/9.
    assert best_adjusted_f1(labels, scores) == pytest.approx(8 / 9, rel=EXACT)


def test_segments_of_one_point_leave_nothing_to_adjust():
    rng = np.random.default_rng(0)
    labels = np.tile([1, 0, 0, 0, 0], 20)
    scores = rng.normal(size=100) + labels
    assert best_adjusted_f1(labels, scores) == best_f1(labels, scores)


def test_the_scores_that_came_in_are_left_alone():
    scores = np.array([0.0, 1.0, 0.0])
    best_adjusted_f1([1, 1, 0], scores)
    np.testing.assert_array_equal(scores, [0.0, 1.0, 0.0])
