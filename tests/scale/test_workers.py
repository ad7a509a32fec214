"""
Which engine does the work does not change what comes out.
"""

import os
from importlib.util import find_spec

import numpy as np
import pytest
from joblib import parallel_config

from gluonts_lai import LAIEstimator, PerSeriesEstimator
from gluonts_lai.workers import share_out
from tests.per_series.conftest import series
from tests.per_series.test_workers import network

pytestmark = pytest.mark.filterwarnings("ignore")

FRAMEWORKS = [name for name in ("torch", "mxnet") if find_spec(name)]
ENTRIES = [series(f"pump {i}", 10.0 * i) for i in (1, 2, 3)]


def training(estimator, predictor):
    return PerSeriesEstimator(estimator).train(ENTRIES).models


def detecting(estimator, predictor):
    return [found._asdict() for found in predictor.detect(ENTRIES)]


def forecasting(estimator, predictor):
    return [found.quantile(0.9) for found in predictor.predict(ENTRIES)]


# What is shared out, each of it a function of an estimator and of what
# PerSeriesEstimator made of it.
WORK = [training, detecting, forecasting]


@pytest.fixture(scope="module", params=FRAMEWORKS)
def estimator(request):
    return LAIEstimator(network(request.param), seed=0)


@pytest.fixture(scope="module")
def predictor(estimator):
    """Trained here; who works for it is said when it is asked."""
    return PerSeriesEstimator(estimator).train(ENTRIES)


@pytest.mark.parametrize("work", WORK)
def test_who_does_the_work_does_not_matter(work, estimator, predictor, engine):
    expected = work(estimator, predictor)

    with parallel_config(**engine):
        found = work(estimator, predictor)

    np.testing.assert_equal(found, expected)


def test_the_work_is_done_elsewhere(engine):
    jobs = [(None, number) for number in range(8)]

    with parallel_config(**engine):
        done = list(share_out(lambda _, i: (i, os.getpid()), jobs, None))

    numbers, processes = zip(*done)
    assert numbers == tuple(range(8))
    assert os.getpid() not in processes
    assert len(set(processes)) <= 2
