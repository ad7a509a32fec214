"""
Series of which each has a model of its own: small ones, that train at once.
"""

import numpy as np
import pandas as pd
import pytest
from gluonts.model.trivial.mean import MeanEstimator

from gluonts_lai import LAIEstimator, PerSeriesEstimator

START = pd.Period("2024-01-01", "h")
# Names of series need not be names of files.
ITEM_IDS = ["../pump", "CON", "pump/π\n"]


def series(item_id, level, length=240):
    rng = np.random.default_rng(int(level))
    values = level + rng.normal(size=length).astype(np.float32)
    values[100:103] += 30.0
    return {"item_id": item_id, "start": START, "target": values}


@pytest.fixture(scope="session")
def entries():
    return [series(name, 10.0 * i) for i, name in enumerate(ITEM_IDS, 1)]


@pytest.fixture(scope="session")
def mean():
    return MeanEstimator(prediction_length=2, num_samples=50)


@pytest.fixture(scope="session")
def estimator(mean):
    return LAIEstimator(mean, seed=0)


@pytest.fixture(scope="session")
def predictor(estimator, entries):
    return PerSeriesEstimator(estimator).train(entries)
