"""
Series to train on, and what is known of an estimator that trains on them.

    data, labels = dataset("univariate", rate=0.05)

A series is hourly. Time is the last axis of its target and of its labels.
"""

from typing import Callable, NamedTuple

import numpy as np
from gluonts.dataset.common import ListDataset
from gluonts.model import Estimator

FREQ = "h"
CONTEXT = 12
SUMMING = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
NUM_DIMS = len(SUMMING)


class Case(NamedTuple):
    """An estimator of GluonTS, and what is known of it."""

    make: Callable[..., Estimator]  # make(epochs, prediction_length, ...)
    data: str  # univariate, multivariate, hierarchical, counts
    forecast: str  # distribution, samples, quantiles, points
    has_observed: bool  # whether it adds observed_values


def waves(rng: np.random.Generator, shape: tuple) -> tuple:
    """Days around a level of 10, and spikes that leave their range."""
    num_dims, length = shape
    amplitude = rng.uniform(2.0, 3.0, size=(num_dims, 1))
    phase = rng.uniform(0.0, 2 * np.pi, size=(num_dims, 1))
    day = np.sin(2 * np.pi * np.arange(length) / 24 + phase)
    noise = rng.normal(scale=0.3, size=shape)
    # One sign for all dimensions, lest two spikes cancel in a sum.
    sign = rng.choice([-1.0, 1.0], size=length)
    return 10.0 + amplitude * day + noise, sign * rng.uniform(12, 18, shape)


def demand(rng: np.random.Generator, shape: tuple) -> tuple:
    """Whole numbers, most of them zero, and spikes of 50."""
    size = 1.0 + rng.poisson(3.0, size=shape)
    return size * (rng.random(shape) < 0.4), np.full(shape, 50.0)


def dataset(
    kind: str,
    seed: int = 0,
    num_series: int = 3,
    length: int = 160,
    rate: float = 0.0,
) -> tuple[ListDataset, list[np.ndarray]]:
    """
    Series of one kind, and labels: 1 where a spike was added, else 0.

    The same seed gives the same series at every rate, but for the spikes.

    Parameters
    ----------
    kind
        "univariate" or "counts"; or "multivariate" or "hierarchical", which
        are one entry of three dimensions. In a hierarchy the first is the
        sum of the others, spikes included.
    seed
        Where the random numbers begin.
    num_series
        Number of entries, for the kinds that may have more than one.
    length
        Number of hours.
    rate
        Probability of a spike at each point after the first day.
    """
    rng = np.random.default_rng(seed)
    draw = demand if kind == "counts" else waves
    mix = {
        "univariate": np.eye(1),
        "counts": np.eye(1),
        "multivariate": np.eye(NUM_DIMS),
        "hierarchical": SUMMING,
    }[kind]
    single = len(mix) == 1

    entries, labels = [], []
    for index in range(num_series if single else 1):
        shape = (mix.shape[1], length)
        clean, spike = draw(rng, shape)
        hit = rng.random(shape) < rate
        hit[:, :24] = False

        target, label = mix @ (clean + hit * spike), mix @ hit > 0
        entries.append(
            {
                "item_id": chr(ord("a") + index),
                "start": "2024-01-01",
                "target": target[0] if single else target,
            }
        )
        labels.append((label[0] if single else label).astype(np.uint8))

    return ListDataset(entries, freq=FREQ, one_dim_target=single), labels
