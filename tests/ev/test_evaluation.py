from functools import partial

import numpy as np
import pandas as pd
import pytest
from gluonts.model.seasonal_naive import SeasonalNaivePredictor

from gluonts_lai import LAIPredictor, ev
from gluonts_lai.ev import auc_pr, best_adjusted_f1, evaluate_detections
from tests.ev.cases import draw

LABELS, SCORES = zip(*(draw(seed) for seed in range(3)))
FLAGS = [scores > 1 for scores in SCORES]
OF_SCORES = ["best_f1", "best_adjusted_f1", "best_composite_f1"]
OF_SCORES += ["auc_pr", "vus_pr"]
OF_FLAGS = ["precision", "recall", "f1", "adjusted_f1", "segment_precision"]
OF_FLAGS += ["segment_recall", "segment_f1", "composite_f1", "mean_delay"]


@pytest.fixture(scope="module")
def table():
    return evaluate_detections(LABELS, SCORES, FLAGS, num_draws=1)


def test_there_is_a_row_for_each_metric(table):
    assert table.index.tolist() == OF_SCORES + OF_FLAGS
    assert table.columns.tolist() == ["mean", "median", "num_series", "random"]
    assert (table.num_series == 3).all()


def test_without_flags_there_are_only_rows_of_scores():
    table = evaluate_detections(LABELS, SCORES, num_draws=1)
    assert table.index.tolist() == OF_SCORES


@pytest.mark.parametrize("name", OF_SCORES + OF_FLAGS)
def test_a_row_is_the_mean_and_the_median_of_the_metric_it_names(name, table):
    metric = getattr(ev, name)
    others = SCORES if name in OF_SCORES else FLAGS
    values = [metric(*pair) for pair in zip(LABELS, others)]

    assert table["mean"][name] == pytest.approx(np.mean(values), rel=1e-12)
    assert table["median"][name] == np.median(values)


def test_series_in_which_a_metric_is_undefined_are_left_out(table):
    labels, scores = [*LABELS, np.zeros(60)], [*SCORES, np.arange(60)]
    flags = [*FLAGS, np.zeros(60)]

    longer = evaluate_detections(labels, scores, flags, num_draws=1)

    undefined = [*OF_SCORES, "precision", "recall", "segment_precision"]
    pd.testing.assert_frame_equal(longer.loc[undefined], table.loc[undefined])
    assert longer.num_series["f1"] == 4  # 1, as nothing was flagged
    assert longer["mean"]["f1"] == pytest.approx(
        (3 * table["mean"]["f1"] + 1) / 4, rel=1e-12
    )


def test_nothing_is_said_of_series_without_anomalies():
    table = evaluate_detections([np.zeros(5)], [np.arange(5)])
    assert (table.num_series == 0).all()
    assert table[["mean", "median", "random"]].isna().all(axis=None)


def test_the_control_knows_nothing():
    labels = [np.arange(400) // 20 % 10 == i for i in range(10)]
    rng = np.random.default_rng(0)
    scores = [x + rng.random(400) for x in labels]
    metrics = {"auc_pr": auc_pr, "best_adjusted_f1": best_adjusted_f1}

    table = evaluate_detections(labels, scores, score_metrics=metrics)

    np.testing.assert_allclose(table["mean"], 1.0, rtol=1e-12)
    # A tenth of the points is anomalous.
    assert table.random["auc_pr"] == pytest.approx(0.1, abs=0.03)
    assert table.random["best_adjusted_f1"] > 0.6


def test_each_series_has_a_control_of_its_own():
    labels, scores = [LABELS[0]] * 2, [SCORES[0]] * 2
    evaluate = partial(evaluate_detections, score_metrics={"auc_pr": auc_pr})

    one = evaluate(labels[:1], scores[:1])
    two = evaluate(labels, scores)
    again = evaluate(labels, scores)
    reseeded = evaluate(labels, scores, seed=1)

    pd.testing.assert_frame_equal(two, again)
    assert two["mean"]["auc_pr"] == one["mean"]["auc_pr"]
    assert two.random["auc_pr"] != one.random["auc_pr"]
    assert two.random["auc_pr"] != reseeded.random["auc_pr"]


def test_metrics_are_those_that_one_names():
    late = partial(best_adjusted_f1, max_delay=3)

    table = evaluate_detections(
        iter(LABELS),
        iter(SCORES),
        iter(FLAGS),
        score_metrics={"within 3": late},
        flag_metrics={},
        num_draws=2,
    )

    assert table.index.tolist() == ["within 3"]
    values = [late(*pair) for pair in zip(LABELS, SCORES)]
    assert table["mean"]["within 3"] == pytest.approx(np.mean(values))


def test_what_a_predictor_detects_can_be_evaluated():
    rng = np.random.default_rng(0)
    values = 10 + 2 * np.sin(np.arange(480) * 2 * np.pi / 24)
    values += rng.normal(scale=0.3, size=480)
    label = np.isin(np.arange(480), [100, 250, 470])
    values[label] += 20.0
    entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
    naive = SeasonalNaivePredictor(prediction_length=24, season_length=24)
    predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)

    detections = list(predictor.detect([entry]))
    table = evaluate_detections(
        [label],
        [detection.score for detection in detections],
        [detection.probability > 0.5 for detection in detections],
        num_draws=3,
    )

    assert table["mean"][["best_f1", "f1", "segment_f1"]].tolist() == [1, 1, 1]
    assert (table.random[["best_f1", "f1", "segment_f1"]] < 0.2).all()


@pytest.mark.parametrize(
    "scores, flags, message",
    [
        (
            SCORES[:2],
            None,
            "labels and scores must be of the same series, got",
        ),
        (
            SCORES,
            FLAGS[:1],
            "flags .* got those of 3 and of 1; pass one array",
        ),
        ([*SCORES[:2], [1.0]], None, "In series 2: labels and scores must be"),
        (SCORES, SCORES, "In series 0: flags must be 0 or 1 at each point"),
    ],
)
def test_what_does_not_fit_is_refused(scores, flags, message):
    with pytest.raises(ValueError, match=message):
        evaluate_detections(LABELS, scores, flags)
