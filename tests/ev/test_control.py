import numpy as np
import pytest

from gluonts_lai.ev import (
    auc_pr,
    best_adjusted_f1,
    best_f1,
    f1,
    mean_delay,
    precision,
    random_control,
    recall,
)

LABELS = np.arange(1_000) // 50 == 7  # one anomaly, 5 % of the points
FLAGS = np.roll(np.arange(1_000) < 100, 330)  # it is found; 50 are wrong
FIVE_SIGMA = 5 * np.sqrt(0.05 * 0.95 / 100 / 200)  # of 200 draws of 100


def test_chance_is_right_as_often_as_points_are_anomalous():
    result = random_control(precision, LABELS, FLAGS, num_draws=200)
    assert precision(LABELS, FLAGS) == 0.5
    assert result == pytest.approx(0.05, abs=FIVE_SIGMA)


def test_chance_raises_as_many_alarms():
    shares = []
    random_control(
        lambda _, flags: shares.append(flags.mean()) or 0.0, LABELS, FLAGS
    )
    assert shares == [0.1] * 10


def test_scores_keep_their_ties():
    assert random_control(auc_pr, LABELS, np.zeros(1_000)) == 0.05
    assert random_control(auc_pr, LABELS, np.arange(1_000)) != 0.05


def test_point_adjustment_flatters_chance():
    scores = np.random.default_rng(0).normal(size=1_000)
    by_points = random_control(best_f1, LABELS, scores)
    adjusted = random_control(best_adjusted_f1, LABELS, scores)
    strict = random_control(
        lambda x, y: best_adjusted_f1(x, y, min_share=0.5), LABELS, scores
    )
    assert by_points < 0.15
    assert adjusted > 0.7
    assert strict < 0.25


def test_the_same_seed_gives_the_same_control():
    first, again, other = (
        random_control(f1, LABELS, FLAGS, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_draws_in_which_nothing_can_be_said_are_left_out():
    labels, flags = [0, 0, 0, 1], [0, 0, 0, 1]
    # One draw in four finds the anomaly, at once; the others not at all.
    assert random_control(mean_delay, labels, flags, num_draws=50) == 0.0
    assert np.isnan(random_control(recall, [0, 0, 0, 0], flags))


def test_a_control_without_draws_is_refused():
    with pytest.raises(
        ValueError, match="num_draws must be at least 1, got 0"
    ):
        random_control(f1, LABELS, FLAGS, num_draws=0)
