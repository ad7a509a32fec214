"""
Forecasters that GluonTS knows nothing of: rivals on contaminated series.

Each learns from hourly training series and forecasts what comes after each of
many contexts, as quantiles at ``LEVELS``.

    neuralforecast  Nixtla's NHITS, one network for all series, with what makes
                    it robust: a Huber loss of quantiles, and windows that are
                    scaled by their median and MAD. As many gradient steps as
                    it is given, 32 windows each; all else is its default.
    seasonal naive  the last day again; quantiles are those of the errors that
                    this makes on the training part of the same series

Missing points are interpolated, as neuralforecast takes none.
"""

import os
from typing import Callable

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from detectors import filled

LEVELS = tuple(np.arange(1, 10) / 10)
BATCH_SIZE = 32  # windows, of as many pieces of series
DAY = 24


def long_frame(entries: list[dict]) -> pd.DataFrame:
    """Series one below the other, by number."""
    targets = [entry["target"] for entry in entries]
    lengths = [len(target) for target in targets]
    starts = [entry["start"].to_timestamp() for entry in entries]
    hours = np.concatenate([np.arange(length) for length in lengths])
    return pd.DataFrame(
        {
            "unique_id": np.repeat(np.arange(len(entries)), lengths),
            "ds": np.repeat(pd.DatetimeIndex(starts), lengths)
            + pd.to_timedelta(hours, "h"),
            "y": np.concatenate(targets),
        }
    )


def pieces(entry: dict, window: int) -> list[dict]:
    """
    A series cut such that each of its windows is in one of the pieces.

    neuralforecast lays out all windows of the series in a batch before it
    draws some: of whole series, this takes longer than to learn from them.
    """
    target = filled(entry["target"])
    return [
        {
            "start": entry["start"] + t,
            "target": target[t : t + window + DAY - 1],
        }
        for t in range(0, len(target) - window + 1, DAY)
    ]


def last_points(entry: dict, num_points: int) -> dict:
    begin = len(entry["target"]) - num_points
    return {
        "start": entry["start"] + begin,
        "target": filled(entry["target"])[begin:],
    }


def by_neuralforecast(
    train_entries: list[dict],
    contexts: list[dict],
    horizon: int,
    context_length: int,
    num_steps: int,
    seed: int,
) -> np.ndarray:
    from neuralforecast import NeuralForecast
    from neuralforecast.losses.pytorch import HuberMQLoss
    from neuralforecast.models import NHITS

    network = NHITS(
        h=horizon,
        input_size=context_length,
        loss=HuberMQLoss(quantiles=list(LEVELS)),
        scaler_type="robust",
        max_steps=num_steps,
        batch_size=BATCH_SIZE,
        windows_batch_size=BATCH_SIZE,
        # No windows that reach out of a piece.
        training_data_availability_threshold=1.0,
        random_seed=seed,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    forecaster = NeuralForecast(models=[network], freq="h")
    window = context_length + horizon
    training = [x for entry in train_entries for x in pieces(entry, window)]
    forecaster.fit(long_frame(training))
    found = forecaster.predict(
        long_frame([last_points(entry, context_length) for entry in contexts])
    )
    found = found.sort_values(["unique_id", "ds"])
    values = found.drop(columns=["unique_id", "ds"]).to_numpy(float)
    quantiles = values.reshape(len(contexts), horizon, len(LEVELS))
    # Nothing keeps its quantiles from crossing: sorted ones are never worse.
    return np.sort(quantiles, axis=-1).swapaxes(1, 2)


def by_seasonal_naive(
    train_entries: list[dict],
    contexts: list[dict],
    horizon: int,
    context_length: int,
    num_steps: int,
    seed: int,
) -> np.ndarray:
    ahead = np.arange(horizon)
    lags = DAY * (1 + ahead // DAY)
    errors = {
        entry["item_id"]: {
            lag: error_quantiles(filled(entry["target"]), lag)
            for lag in set(lags)
        }
        for entry in train_entries
    }
    forecasts = []
    for entry in contexts:
        last_day = filled(entry["target"])[-DAY:]
        spread = errors[entry["item_id"]]
        forecasts.append(
            last_day[ahead % DAY]
            + np.stack([spread[lag] for lag in lags], axis=1)
        )
    return np.array(forecasts)


def error_quantiles(target: np.ndarray, lag: int) -> np.ndarray:
    return np.quantile(target[lag:] - target[:-lag], LEVELS)


FORECASTERS: dict[str, Callable[..., np.ndarray]] = {
    "neuralforecast": by_neuralforecast,
    "seasonal naive": by_seasonal_naive,
}
