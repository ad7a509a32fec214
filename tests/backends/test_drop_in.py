"""
A wrapped estimator goes wherever GluonTS takes an estimator.
"""

import copy
import io
import json
import subprocess
import sys
from contextlib import redirect_stderr

import numpy as np
import pandas as pd
import pytest
from gluonts.core.component import equals
from gluonts.core.serde import dump_json, load_json
from gluonts.dataset.arrow import ArrowWriter, ParquetWriter
from gluonts.dataset.common import FileDataset, ListDataset
from gluonts.dataset.jsonl import JsonLinesWriter
from gluonts.dataset.pandas import PandasDataset
from gluonts.dataset.split import split
from gluonts.env import env
from gluonts.ev.metrics import MAE, MeanWeightedSumQuantileLoss
from gluonts.evaluation import (
    Evaluator,
    backtest_metrics,
    make_evaluation_predictions,
)
from gluonts.model import evaluate_model
from gluonts.model.predictor import ParallelizedPredictor, Predictor

from gluonts_lai import (
    GaussianMixture,
    IndicatorChain,
    LAIEstimator,
    LAIPredictor,
)
from tests import contract
from tests.backends import EACH
from tests.series import dataset

# A network that has hardly learned flags much, and nobody cares.
pytestmark = [
    pytest.mark.filterwarnings("ignore:max_anomaly_share should not"),
    pytest.mark.filterwarnings("ignore:the forecaster should explain"),
]

LENGTH = 96
HORIZON = 3
# A network whose forecasts are samples.
SAMPLED = {"mx": "SimpleFeedForward", "torch": "DeepAR"}


@pytest.fixture(scope="module")
def make(backend):
    return backend.zoo.CASES[SAMPLED[backend.name]].make


@pytest.fixture(scope="module")
def data():
    return dataset("univariate", length=LENGTH)[0]


@pytest.fixture(scope="module")
def predictor(make, data):
    with env._let(use_tqdm=False):
        return LAIEstimator(make(), seed=0).train(data)


# Evaluation


def test_make_evaluation_predictions(predictor, data):
    forecasts, series = map(
        list, make_evaluation_predictions(data, predictor, num_samples=17)
    )

    assert [f.item_id for f in forecasts] == ["a", "b", "c"]
    assert [f.num_samples for f in forecasts] == [17] * 3
    for forecast, frame in zip(forecasts, series, strict=True):
        assert forecast.start_date == frame.index[-HORIZON]


def test_backtest_metrics(predictor, data):
    overall, single = backtest_metrics(
        data, predictor, evaluator=Evaluator(num_workers=0), num_samples=20
    )

    assert np.isfinite(overall["mean_wQuantileLoss"])
    assert list(single["item_id"]) == ["a", "b", "c"]
    assert np.isfinite(single["MSE"].astype(float)).all()


def test_evaluator_with_workers(predictor, data):
    forecasts, series = make_evaluation_predictions(data, predictor)

    overall, single = Evaluator(num_workers=2)(series, forecasts, num_series=3)

    assert len(single) == 3
    assert np.isfinite(overall["MASE"])


def test_evaluate_model_on_rolling_windows(predictor, data):
    _, template = split(data, offset=-3 * HORIZON)
    windows = template.generate_instances(HORIZON, windows=3)

    metrics = evaluate_model(
        predictor,
        test_data=windows,
        metrics=[MAE(), MeanWeightedSumQuantileLoss([0.1, 0.5, 0.9])],
        axis=1,
    )

    assert metrics.shape[0] == 9
    assert np.isfinite(metrics.to_numpy()).all()


def test_parallelized_predictor(predictor, data):
    workers = ParallelizedPredictor(predictor, num_workers=2, chunk_size=2)

    forecasts = list(workers.predict(data))

    assert [f.item_id for f in forecasts] == ["a", "b", "c"]
    assert all(np.isfinite(f.samples).all() for f in forecasts)


def test_predictions_are_made_as_they_are_asked_for(predictor, data):
    """An endless data set is no trouble to somebody who needs a few."""

    def endless():
        while True:
            yield from data

    forecasts = predictor.predict(endless())

    assert [next(forecasts).item_id for _ in range(4)] == ["a", "b", "c", "a"]


# By name and by JSON


def test_gluonts_shell_trains_it_and_evaluates_it(make, tmp_path, data):
    pytest.importorskip("waitress")  # GluonTS's shell wants it
    estimator = make(epochs=2)
    hyperparameters = {
        "freq": "h",
        "estimator": dump_json(estimator),
        "chain": dump_json(IndicatorChain.from_prior(0.02, 2.0)),
        "num_paths": "1",
        "seed": "3",
        "treatment": "mask",
    }
    config = tmp_path / "input" / "config"
    config.mkdir(parents=True)
    (config / "hyperparameters.json").write_text(json.dumps(hyperparameters))
    (config / "inputdataconfig.json").write_text(
        json.dumps({"train": {}, "test": {}})
    )
    for channel in ("train", "test"):
        folder = tmp_path / "input" / "data" / channel
        folder.mkdir(parents=True)
        JsonLinesWriter(use_gzip=False).write_to_folder(data, folder)
    for folder in ("model", "output"):
        (tmp_path / folder).mkdir()

    done = subprocess.run(
        [sys.executable, "-m", "gluonts.shell", "train"]
        + ["--data-path", str(tmp_path)]
        + ["--forecaster", "gluonts_lai.LAIEstimator"],
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    metrics = json.loads((tmp_path / "model/agg_metrics.json").read_text())
    assert np.isfinite(metrics["MSE"])
    predictor = Predictor.deserialize(tmp_path / "model")
    assert isinstance(predictor, LAIPredictor)
    assert predictor.treatment == "mask"
    assert predictor.seed == 3
    contract.check_forecasts(contract.only(predictor), list(data))


@pytest.mark.parametrize("backend, name", EACH)
def test_an_estimator_survives_json(backend, name):
    estimator = LAIEstimator(
        backend.zoo.CASES[name].make(),
        chain=IndicatorChain.from_prior(0.03, 4.0),
        anomalous=GaussianMixture(),
        num_paths=2,
        window_scaling=False,
        label_field="known",
        seed=5,
    )

    again = load_json(dump_json(estimator))

    assert equals(again, estimator)
    assert again.chain == estimator.chain
    assert again.anomalous == estimator.anomalous
    assert dump_json(again) == dump_json(estimator)


def test_an_estimator_that_went_through_json_trains_the_same(make, data):
    estimator = LAIEstimator(make(), seed=5)
    again = load_json(dump_json(estimator))

    first, second = estimator.train(data), again.train(data)

    contract.assert_same_forecasts(first.predict(data), second.predict(data))


# Data sets


def frames(data):
    """The series of a data set as data frames."""
    return {
        entry["item_id"]: pd.DataFrame(
            {"target": entry["target"]},
            index=pd.period_range(
                entry["start"], periods=len(entry["target"]), freq="h"
            ),
        )
        for entry in data
    }


def written(writer, data, folder):
    writer.write_to_folder(data, folder)
    return FileDataset(folder, freq="h")


DATASETS = {
    "list": lambda data, folder: list(data),
    "ListDataset": lambda data, folder: data,
    "PandasDataset": lambda data, folder: PandasDataset(frames(data)),
    "jsonl": lambda data, folder: written(JsonLinesWriter(), data, folder),
    "arrow": lambda data, folder: written(ArrowWriter(), data, folder),
    "parquet": lambda data, folder: written(ParquetWriter(), data, folder),
}


@pytest.mark.parametrize("kind", DATASETS)
def test_every_kind_of_data_set_gives_the_same_forecasts(
    make, kind, data, predictor, tmp_path
):
    series = DATASETS[kind](data, tmp_path)

    output = LAIEstimator(make(), seed=0).train_model(series)

    assert [len(p) for p in output.posterior] == [LENGTH] * 3
    forecasts = list(output.predictor.predict(series))
    assert [f.item_id for f in forecasts] == ["a", "b", "c"]
    detections = list(output.predictor.detect(series))
    assert [d.item_id for d in detections] == ["a", "b", "c"]
    for forecast, like in zip(forecasts, predictor.predict(data), strict=True):
        assert forecast.start_date == like.start_date
        # float64 where pandas or JSON has it, float32 elsewhere.
        np.testing.assert_allclose(
            forecast.samples, like.samples, rtol=1e-3, atol=1e-2
        )


def test_entries_without_item_id(make, data, predictor):
    nameless = [
        {"start": entry["start"], "target": entry["target"]} for entry in data
    ]

    output = LAIEstimator(make(), seed=0).train_model(nameless)
    forecasts = list(output.predictor.predict(nameless))

    assert len(output.posterior) == 3
    assert [f.item_id for f in forecasts] == [None] * 3
    # Which points are anomalous is seen in units of the first context.
    named = copy.copy(predictor)
    named.filters = output.predictor.filters = False
    for forecast, like in zip(
        output.predictor.predict(nameless), named.predict(data), strict=True
    ):
        np.testing.assert_allclose(
            forecast.samples, like.samples, rtol=1e-5  # single precision
        )
    assert [d.item_id for d in output.predictor.detect(nameless)] == [None] * 3


def test_some_entries_without_item_id(predictor, data):
    named = list(data)
    mixed = [dict(entry) for entry in named]
    del mixed[1]["item_id"]

    for entries in (mixed, mixed[::-1]):
        forecasts = list(predictor.predict(entries))

        assert [f.item_id for f in forecasts] == [
            entry.get("item_id") for entry in entries
        ]
        assert all(np.isfinite(f.samples).all() for f in forecasts)


def test_features_reach_the_network(backend):
    """A jump that a feature announces, also in the future, is foreseen."""
    rng = np.random.default_rng(0)
    entries = []
    for i in range(2):
        feature = (rng.random(200 + HORIZON) < 0.3).astype(np.float32)
        target = 10 + 5 * i + 8 * feature + rng.normal(scale=0.3, size=203)
        entries.append(
            {
                "item_id": str(i),
                "start": pd.Period("2024-01-01", "h"),
                "target": target[:200].astype(np.float32),
                "feat_static_cat": np.array([i]),
                "feat_static_real": np.array([i / 2], np.float32),
                "feat_dynamic_real": feature[None],
            }
        )
    shorter = [
        {**e, "feat_dynamic_real": e["feat_dynamic_real"][:, :200]}
        for e in entries
    ]
    estimator = LAIEstimator(
        backend.zoo.FEATURES(
            epochs=12, num_batches_per_epoch=40, learning_rate=0.02
        ),
        num_warmup_epochs=6,
        seed=0,
    )

    output = estimator.train_model(contract.read_only(shorter))

    for entry in entries:
        up, down = (
            {**entry, "feat_dynamic_real": with_last(entry, value)}
            for value in (1.0, 0.0)
        )
        high, low = output.predictor.predict([up, down])
        # 8 in truth; half of it is more than any network that is not told.
        assert (high.mean - low.mean > 4).all()


def with_last(entry, value):
    """The dynamic features of an entry, set over the horizon."""
    feature = entry["feat_dynamic_real"].copy()
    feature[:, -HORIZON:] = value
    return feature


def test_train_learns_what_train_model_does(make, data, monkeypatch):
    """And does not look back on the training set, as nobody sees it."""
    expected = LAIEstimator(make(), seed=0).train_model(data).predictor
    monkeypatch.setattr("gluonts_lai.estimator.posterior_of", None)

    assert LAIEstimator(make(), seed=0).train(data) == expected


def test_the_arguments_of_gluonts_are_understood(make, data):
    estimator = LAIEstimator(make(epochs=2), seed=0)

    output = estimator.train_model(training_data=data, cache_data=True)

    assert output.predictor == estimator.train(data, cache_data=True)


def test_shuffling_is_passed_on(make, data):
    shuffled = LAIEstimator(make(), seed=0).train(
        data, shuffle_buffer_length=30, num_workers=2, num_prefetch=1
    )

    assert all(np.isfinite(f.samples).all() for f in shuffled.predict(data))


# The progress bar


def test_no_progress_bar_when_it_is_off(make, data):
    with env._let(use_tqdm=False), redirect_stderr(io.StringIO()) as bar:
        LAIEstimator(make(), seed=0).train(data)

    assert bar.getvalue() == ""


def test_the_progress_bar_shows_what_each_round_found(make, data):
    with env._let(use_tqdm=True), redirect_stderr(io.StringIO()) as bar:
        output = LAIEstimator(make(), seed=0).train_model(data)

    shown = bar.getvalue()
    for record in output.history:
        assert f"flagged={record.share_flagged:.2%}" in shown
        assert f"p_enter={record.p_enter:.4f}" in shown
        assert f"p_stay={record.p_stay:.3f}" in shown


def test_each_round_is_logged(make, data, caplog):
    with caplog.at_level("INFO", logger="gluonts_lai"):
        output = LAIEstimator(make(), seed=0).train_model(data)

    lines = [r.getMessage() for r in caplog.records if "EM after" in r.msg]
    assert len(lines) == len(output.history)
    assert f"{output.history[-1].share_flagged:.2%}" in lines[-1]


# Sampled forecasts


def test_num_samples_is_passed_on(predictor, data):
    assert {f.num_samples for f in predictor.predict(data, num_samples=9)} == {
        9
    }


def test_with_a_seed_forecasts_repeat_themselves(predictor, data):
    first = [f.samples for f in predictor.predict(data)]
    again = [f.samples for f in predictor.predict(data)]

    np.testing.assert_array_equal(first, again)


def test_without_a_seed_models_differ(backend, make, data):
    estimator = LAIEstimator(make())

    first, second = estimator.train(data), estimator.train(data)

    assert not np.array_equal(
        *(
            backend.probes.weights_of(p.base.prediction_net)
            for p in (first, second)
        )
    )


def test_without_a_seed_the_callers_decides(backend, make, data):
    weights = []
    for _ in range(2):
        backend.probes.seed_everything(1)
        base = LAIEstimator(make()).train(data).base
        weights.append(backend.probes.weights_of(base.prediction_net))

    np.testing.assert_array_equal(*weights)


def test_seed_zero_is_a_seed(backend, make, data):
    predictor = LAIEstimator(make(), seed=0).train(data)

    first = [f.samples for f in predictor.predict(data)]
    backend.probes.disturb()

    np.testing.assert_array_equal(
        first, [f.samples for f in predictor.predict(data)]
    )


def test_starts_may_be_periods_of_any_frequency(make):
    data = ListDataset(
        [{"start": "2024-01-01", "target": np.arange(60.0) % 7}], freq="D"
    )

    (forecast,) = LAIEstimator(make(), seed=0).train(data).predict(data)

    assert forecast.start_date == pd.Period("2024-03-01", "D")
