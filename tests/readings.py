"""
A long frame of three series, each with one anomaly, and a model of them.
"""

import numpy as np
import pandas as pd
from gluonts.model.seasonal_naive import SeasonalNaivePredictor

from gluonts_lai import LAIPredictor

COLUMNS = (
    "item_id timestamp value probability score expected lower upper cleaned "
    "is_anomaly"
).split()
ITEM_IDS = ["pump", "valve", "fan"]
LENGTH = 200


def values_of(item_id):
    rng = np.random.default_rng(ITEM_IDS.index(item_id))
    values = np.tile([3.0, 5.0, 4.0, 7.0], LENGTH // 4)
    values += rng.normal(scale=0.1, size=LENGTH)
    values[100 + ITEM_IDS.index(item_id)] = 20.0
    return values


def naive_predictor():
    entries = [
        {
            "item_id": item_id,
            "start": pd.Period("2024-01-01", "h"),
            "target": values_of(item_id).astype(np.float32),
        }
        for item_id in ITEM_IDS
    ]
    naive = SeasonalNaivePredictor(1, season_length=4)
    return LAIPredictor.from_predictor(naive, entries, seed=0)


def long_frame():
    times = pd.date_range("2024-01-01", periods=LENGTH, freq="h")
    parts = [
        pd.DataFrame(
            {"item_id": name, "timestamp": times, "value": values_of(name)}
        )
        for name in ITEM_IDS
    ]
    return pd.concat(parts, ignore_index=True)
