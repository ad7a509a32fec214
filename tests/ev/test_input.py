import numpy as np
import pytest

from gluonts_lai.ev import (
    adjusted_f1,
    auc_pr,
    best_adjusted_f1,
    best_composite_f1,
    best_f1,
    composite_f1,
    f1,
    mean_delay,
    precision,
    recall,
    segment_f1,
    segment_precision,
    segment_recall,
    vus_pr,
)

RANKED = [auc_pr, best_adjusted_f1, best_composite_f1, best_f1, vus_pr]
F1S = [adjusted_f1, composite_f1, f1, segment_f1]
FLAGGED = [*F1S, precision, recall, segment_precision, segment_recall]
FLAGGED += [mean_delay]


@pytest.mark.parametrize("metric", RANKED)
def test_what_looks_at_all_thresholds_is_undefined_without_anomalies(metric):
    assert np.isnan(metric([0, 0, 0], [0.1, 0.2, 0.3]))
    assert np.isnan(metric([], []))


@pytest.mark.parametrize("metric", RANKED)
def test_all_points_may_be_anomalous(metric):
    assert metric([1, 1, 1], [0.1, 0.2, 0.3]) == 1.0


@pytest.mark.parametrize("metric", F1S)
def test_f1_without_anomalies_asks_for_silence(metric):
    assert metric([0, 0, 0], [0, 0, 0]) == 1.0
    assert metric([0, 0, 0], [0, 1, 0]) == 0.0
    assert metric([0, 1, 0], [0, 0, 0]) == 0.0
    assert metric([], []) == 1.0


@pytest.mark.parametrize("metric", FLAGGED)
@pytest.mark.parametrize("dtype", [bool, np.uint8, int, np.float32])
def test_any_kind_of_flags_will_do(metric, dtype):
    labels, flags = [0, 1, 1, 0, 1], [1, 0, 1, 0, 0]
    result = metric(labels, np.array(flags, dtype))
    assert type(result) is float
    assert result == metric(np.array(labels, dtype), flags)


@pytest.mark.parametrize("metric", RANKED)
@pytest.mark.parametrize("dtype", [bool, np.uint8, int, np.float32])
def test_any_kind_of_bits_will_do(metric, dtype):
    labels = np.array([0, 1, 1, 0], dtype)
    scores = [0.1, 0.9, 0.4, 0.5]
    result = metric(labels, scores)
    assert type(result) is float
    assert result == metric([0, 1, 1, 0], np.array(scores))
    assert result == metric(labels, np.float32(scores))


@pytest.mark.parametrize("metric", RANKED)
def test_only_the_order_of_scores_counts(metric):
    rng = np.random.default_rng(0)
    labels = np.repeat(rng.random(50) < 0.2, 3)
    scores = rng.normal(size=150) + labels
    assert metric(labels, scores) == metric(labels, np.exp(3 * scores) - 7)


@pytest.mark.parametrize("metric", RANKED)
@pytest.mark.parametrize(
    "labels, scores, message",
    [
        ([0, 1], [1.0], "same points, got 2 labels and 1 scores; cut both"),
        ([0, 2], [1.0, 2.0], "labels must be 0 or 1 at each point, got 2.0"),
        ([0, np.nan], [1.0, 2.0], "got nan at index 1; leave out points"),
        ([0, 1], [1.0, np.nan], "numbers, got NaN at index 1; leave such"),
        ([[0, 1]], [1.0, 2.0], r"labels must be those of one series, got sh"),
        ([0, 1], [[1.0, 2.0]], r"scores must be .* shape \(1, 2\); pass the"),
        ([0, 1], ["a", "b"], "scores must be an array of real numbers"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(metric, labels, scores, message):
    with pytest.raises(ValueError, match=message):
        metric(labels, scores)


@pytest.mark.parametrize("metric", FLAGGED)
@pytest.mark.parametrize(
    "flags, message",
    [
        ([1], "same points, got 2 labels and 1 flags"),
        ([0.2, 0.9], "flags must be 0 or 1 .* compare probabilities with a"),
    ],
)
def test_bad_flags_are_refused_in_a_sentence(metric, flags, message):
    with pytest.raises(ValueError, match=message):
        metric([0, 1], flags)
