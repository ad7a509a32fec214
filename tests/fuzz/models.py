"""
Cheap models to be asked odd things.
"""

from functools import lru_cache
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from gluonts.model.seasonal_naive import SeasonalNaivePredictor
from gluonts.model.trivial.mean import MeanPredictor

from gluonts_lai import LAIPredictor

START = pd.Period("2024-01-01", "h")
LABEL = "label"


def entry(item_id="pump", length=60, **fields):
    values = np.tile([3.0, 5.0, 4.0, 7.0], length // 4)
    values += np.random.default_rng(length).normal(scale=0.1, size=length)
    values[length // 2] = 30.0
    target = values.astype(np.float32)
    return {"item_id": item_id, "start": START, "target": target, **fields}


def labelled(**fields):
    known = entry(**fields)
    return {**known, LABEL: np.full(len(known["target"]), np.nan)}


@lru_cache(maxsize=None)
def model(name="naive"):
    """A predictor that knows pump and valve."""
    base = {"naive": naive, "mean": mean, "network": network}[name]()
    data = [labelled(), labelled(item_id="valve", length=48)]
    return LAIPredictor.from_predictor(
        base,
        data,
        calibration=False,
        label_field=LABEL,
        context_length=8,
        seed=0,
    )


def naive():
    return SeasonalNaivePredictor(prediction_length=2, season_length=4)


def mean():
    return MeanPredictor(prediction_length=1, context_length=8)


def network():
    from tests.torch.zoo import CASES

    make = CASES["SimpleFeedForward"].make
    with TemporaryDirectory() as folder:  # for Lightning's checkpoints
        estimator = make(epochs=1, prediction_length=2)
        estimator.trainer_kwargs["default_root_dir"] = folder
        return estimator.train([entry()])
