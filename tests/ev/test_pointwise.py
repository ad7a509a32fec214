import numpy as np
import pytest
from sklearn.metrics import (
    average_precision_score,
    f1_score,
    precision_score,
    recall_score,
)

from gluonts_lai.ev import auc_pr, best_f1, f1, precision, recall

EXACT = 1e-12  # the same sums in another order


def best_f1_by_trial(labels, scores):
    return max(f1_score(labels, scores >= s) for s in scores)


@pytest.fixture(params=range(20))
def judged(request):
    """Labels and scores, with ties in every other case."""
    rng = np.random.default_rng(request.param)
    labels = (rng.random(60) < 0.2).astype(int)
    labels[rng.integers(60)] = 1
    scores = rng.normal(size=60) + labels
    return labels, scores.round(1) if request.param % 2 else scores


def test_precision_and_recall_of_a_case_worked_by_hand():
    labels = [1, 1, 1, 1, 0, 0, 0]
    flags = [1, 1, 0, 0, 1, 0, 0]
    # 2 of the 3 flagged points are anomalous, 2 of 4 anomalous ones flagged.
    assert precision(labels, flags) == pytest.approx(2 / 3, rel=EXACT)
    assert recall(labels, flags) == 1 / 2


def test_precision_and_recall_agree_with_scikit_learn(judged):
    labels, scores = judged
    flags = scores > 0.5
    assert precision(labels, flags) == pytest.approx(
        precision_score(labels, flags), rel=EXACT
    )
    assert recall(labels, flags) == pytest.approx(
        recall_score(labels, flags), rel=EXACT
    )


def test_shares_of_nothing_are_undefined():
    assert np.isnan(precision([0, 1, 0], [0, 0, 0]))
    assert np.isnan(recall([0, 0, 0], [0, 1, 0]))
    assert precision([0, 0, 0], [0, 1, 0]) == 0.0
    assert recall([0, 1, 0], [0, 0, 0]) == 0.0


def test_f1_of_a_case_worked_by_hand():
    labels = [1, 1, 1, 0, 0, 0]
    flags = [1, 1, 0, 1, 0, 0]
    # Precision 2/3, recall 2/3.
    assert f1(labels, flags) == pytest.approx(2 / 3, rel=EXACT)


def test_f1_agrees_with_scikit_learn(judged):
    labels, scores = judged
    expected = f1_score(labels, scores > 0.5)
    assert f1(labels, scores > 0.5) == pytest.approx(expected, rel=EXACT)


def test_best_f1_of_a_case_worked_by_hand():
    labels = [1, 0, 1, 0, 0]
    scores = [9, 8, 7, 6, 5]
    # Flags 1, 2, 3, 4, 5 points: F1 = 2/3, 2/4, 4/5, 4/6, 4/7.
    assert best_f1(labels, scores) == pytest.approx(4 / 5, rel=EXACT)


def test_best_f1_agrees_with_trying_each_threshold(judged):
    expected = best_f1_by_trial(*judged)
    assert best_f1(*judged) == pytest.approx(expected, rel=EXACT)


def test_points_that_tie_are_flagged_together():
    labels = [1, 0, 0, 1]
    assert best_f1(labels, [3, 3, 3, 3]) == pytest.approx(2 / 3, rel=EXACT)
    assert auc_pr(labels, [3, 3, 3, 3]) == pytest.approx(1 / 2, rel=EXACT)


def test_auc_pr_of_a_case_worked_by_hand():
    labels = [1, 0, 1, 0, 0]
    scores = [9, 8, 7, 6, 5]
    # Half of the recall at precision 1, half at 2/3.
    assert auc_pr(labels, scores) == pytest.approx(5 / 6, rel=EXACT)


def test_auc_pr_agrees_with_scikit_learn(judged):
    expected = average_precision_score(*judged)
    assert auc_pr(*judged) == pytest.approx(expected, rel=EXACT)


@pytest.mark.parametrize("metric", [best_f1, auc_pr])
def test_a_certain_score_may_be_infinite(metric):
    labels = [1, 0, 0, 1]
    assert metric(labels, [np.inf, 0, -np.inf, np.inf]) == 1.0
    finite = metric(labels, [1, 1, -2, -1])
    assert metric(labels, [np.inf, np.inf, -np.inf, -5]) == finite
