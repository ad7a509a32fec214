"""
One model and several workers: what comes out is what one process makes of it.
"""

import logging
import os

import numpy as np
import pandas as pd
import pytest
from gluonts.model.seasonal_naive import SeasonalNaivePredictor
from joblib import parallel_config
from numpy.testing import assert_array_equal

from gluonts_lai import LAIEstimator, LAIPredictor
from gluonts_lai.panel import panel
from gluonts_lai.workers import survey
from gluonts_lai.workers.chunks import each_chunk
from tests.series import dataset

pytestmark = [
    pytest.mark.filterwarnings("ignore:max_anomaly_share should not"),
    pytest.mark.filterwarnings("ignore:the forecaster should explain"),
]


@pytest.fixture(scope="module")
def data():
    return dataset("univariate", num_series=5, length=100, rate=0.03)[0]


@pytest.fixture(scope="module", autouse=True)
def small_chunks():
    """Two series at a time, where a thousand would be."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(panel, "MAX_ENTRIES", 2)
        yield


# The quickest networks whose forecasts are made of samples.
SAMPLED = {"mx": "SimpleFeedForward", "torch": "DeepAR"}


@pytest.fixture(scope="module")
def estimator(backend):
    network = backend.zoo.CASES[SAMPLED[backend.name]].make(epochs=3)
    return LAIEstimator(network, num_warmup_epochs=1, num_paths=1, seed=0)


@pytest.fixture(scope="module")
def output(estimator, data):
    return estimator.train_model(data)


def assert_same_detections(some, others):
    for one, other in zip(some, others, strict=True):
        assert one.item_id == other.item_id
        for name, array in one._asdict().items():
            assert_array_equal(array, getattr(other, name))


def assert_same_forecasts(some, others):
    for one, other in zip(some, others, strict=True):
        assert one.item_id == other.item_id
        assert one.start_date == other.start_date
        assert_array_equal(one.samples, other.samples)


@pytest.mark.parametrize("mode", ["filter", "smooth"])
def test_workers_detect_the_same(output, data, mode):
    detect = output.predictor.detect
    assert_same_detections(detect(data, mode), detect(data, mode, n_jobs=2))


def test_workers_forecast_the_same(output, data):
    predict = output.predictor.predict
    assert_same_forecasts(predict(data), predict(data, n_jobs=2))


def test_an_e_step_that_is_shared_finds_the_same(
    estimator, output, data, monkeypatch
):
    shared = []
    share_out = survey.share_out

    def listening(task, jobs, n_jobs):
        shared.append(task.__name__)
        return share_out(task, jobs, n_jobs)

    monkeypatch.setattr(survey, "share_out", listening)
    with parallel_config(n_jobs=2):
        again = estimator.train_model(data)

    assert len(shared) == len(again.history) > 1
    assert again.predictor.chain == output.predictor.chain
    for here, there in zip(output.posterior, again.posterior, strict=True):
        assert_array_equal(here, there)


def test_the_engine_is_the_users_choice(output, data):
    detect = output.predictor.detect
    with parallel_config("threading", n_jobs=2):
        there = list(detect(data))
    assert_same_detections(detect(data), there)


def test_a_forecaster_that_cannot_travel_is_asked_here(
    estimator, output, data, monkeypatch, caplog
):
    def refuse(predictor):
        raise TypeError("no way to disk")

    monkeypatch.setattr(survey, "packed", refuse)
    with parallel_config(n_jobs=2), caplog.at_level(logging.WARNING):
        again = estimator.train_model(data)

    assert "not shared among workers" in caplog.text
    assert_array_equal(again.posterior[0], output.posterior[0])


@pytest.fixture(scope="module")
def naive(data):
    predictor = SeasonalNaivePredictor(2, season_length=24)
    return LAIPredictor.from_predictor(predictor, data, seed=0)


def where(predictor, chunk):
    return [os.getpid()] * len(chunk.entries)


def test_chunks_go_to_other_processes(naive, data):
    assert set(each_chunk(where, naive, data, None)) == {os.getpid()}
    assert os.getpid() not in each_chunk(where, naive, data[:4], 2)
    # One chunk is not worth the way.
    assert set(each_chunk(where, naive, data[:2], 2)) == {os.getpid()}


def test_a_data_set_is_read_as_far_as_it_is_wanted(naive, data):
    read = []

    def entries():
        for i in range(100):
            read.append(i)
            yield {**data[0], "item_id": str(i)}

    detections = naive.detect(entries(), n_jobs=2)
    assert not read
    next(detections)
    # Two workers, four chunks ahead for each, of two entries.
    assert len(read) == 2 * 4 * 2


def test_two_runs_may_be_read_in_turns(naive, data):
    detect = naive.detect
    for one, other in zip(detect(data, n_jobs=2), detect(data, n_jobs=2)):
        assert_array_equal(one.probability, other.probability)


def test_without_a_seed_workers_draw_from_the_callers_chance(
    output, data, tmp_path
):
    predictor = output.predictor
    settings = {
        name: value
        for name, value in vars(predictor).items()
        if name not in ("seed", "base", "prediction_length", "lead_time")
    }
    unseeded = LAIPredictor(predictor.base, **settings)

    def samples(seed):
        np.random.seed(seed)
        return [f.samples for f in unseeded.predict(data, n_jobs=2)]

    assert_array_equal(samples(1), samples(1))
    assert not np.array_equal(samples(1), samples(2))


def test_a_worker_says_what_is_wrong_with_an_entry(naive, data):
    daily = {**data[4], "start": pd.Period("2024-01-01", "D")}
    with pytest.raises(ValueError, match="the frequency of .* must be 'h'"):
        list(naive.detect([*data[:4], daily], n_jobs=2))


@pytest.mark.parametrize("method", ["detect", "predict"])
def test_no_workers_at_all_are_refused(naive, data, method):
    with pytest.raises(ValueError, match="n_jobs must be a number of workers"):
        getattr(naive, method)(data, n_jobs=0)
