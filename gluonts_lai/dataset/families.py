"""
Simulated series whose anomalies are known, in three families.

Each series has a half-day, a day and a week in it, a trend and noise.

    outliers    single points are moved far away
    runs        a few points in a row are moved together
    changes     outliers; and level, noise or amplitude change for good

All sizes below are in units of the series before it is brought, at the end,
to a scale and a level of its own.
"""

from typing import Any

import numpy as np
import pandas as pd

from .stretches import place

FAMILIES = ("outliers", "runs", "changes")

PERIODS = np.array([[12], [24], [168]])
WEIGHTS = np.array([0.3, 1.0, 0.5])  # of the periods
STEADY = 200  # nothing changes for good up to this point
SHORTEST = STEADY + 50  # room for any number of runs and of changes


def simulate(
    family: str, num_series: int = 20, length: int = 1_500, seed: int = 0
) -> list[dict[str, Any]]:
    """
    Hourly series of one family, as entries of a GluonTS data set.

    Parameters
    ----------
    family
        One of :data:`FAMILIES`.
    num_series
        Number of series. More of them do not change the first ones.
    length
        Number of points of each, at least 250.
    seed
        Another seed, other series.

    Returns
    -------
    list
        Entries with ``item_id``, ``start``, ``target`` and ``label``: 1 where
        a point is anomalous, or the first of a new level or amplitude.

    Examples
    --------
    >>> entry = simulate("runs", num_series=4)[3]
    >>> entry["item_id"], entry["target"].shape, int(entry["label"].sum())
    ('runs-3', (1500,), 18)
    """
    if family not in FAMILIES:
        raise ValueError(
            f"family must be one of {', '.join(FAMILIES)}, got {family!r}; "
            "choose one of them."
        )
    if length < SHORTEST:
        raise ValueError(
            f"length must be at least {SHORTEST}, got {length}; draw longer "
            "series and cut them."
        )
    entries = []
    for i in range(num_series):
        rng = np.random.default_rng([seed, i, FAMILIES.index(family)])
        target, label = draw(family, length, rng)
        entries.append(
            {
                "item_id": f"{family}-{i}",
                "start": pd.Period("2024-01-01", "h"),
                "target": target,
                "label": label.astype(np.uint8),
            }
        )
    return entries


def draw(
    family: str, length: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """One series, and where it is anomalous."""
    waves, trend, noise = draw_clean(length, rng)
    values = waves + trend + noise
    spread = values.std()

    label = np.zeros(length, bool)
    if family == "changes":
        gain, level, louder, label = draw_changes(length, rng)
        values = gain * waves + trend + level + louder * noise
    if family == "runs":
        shift = spread * draw_runs(length, rng)
    else:
        shift = max(0.5, spread) * draw_outliers(length, rng)
    values = rng.uniform(1, 100) * (values + shift) + rng.normal(scale=50)
    return values, label | (shift != 0)


def draw_clean(length: int, rng: np.random.Generator) -> tuple:
    """Waves, trend and noise of a series to which nothing happens."""
    t = np.arange(length)
    phases = rng.uniform(0, 2 * np.pi, size=PERIODS.shape)
    amplitudes = rng.uniform(0.3, 1.5, size=len(PERIODS)) * WEIGHTS
    waves = amplitudes @ np.sin(2 * np.pi * t / PERIODS + phases)
    trend = rng.normal(scale=0.002) * t
    noise = rng.normal(scale=rng.uniform(0.05, 0.25), size=length)
    return waves, trend, noise


def draw_outliers(length: int, rng: np.random.Generator) -> np.ndarray:
    """By how much each point is moved: most of them not at all."""
    moved = rng.random(length) < 0.006
    return moved * both_ways(1.5, 5, rng, size=length)


def draw_runs(length: int, rng: np.random.Generator) -> np.ndarray:
    """By how much each point is moved: the points of a run all alike."""
    num_runs = rng.integers(3, 7)
    lengths = rng.integers(2, 7, size=num_runs)
    starts = place(lengths, length, rng)
    shift = np.zeros(length)
    for start, num_points in zip(starts, lengths):
        shift[start : start + num_points] = both_ways(2, 5, rng)
    return shift


def draw_changes(length: int, rng: np.random.Generator) -> tuple:
    """Gain of the waves, level, gain of the noise; and what is labelled."""
    gain, level, louder = np.ones(length), np.zeros(length), np.ones(length)
    label = np.zeros(length, bool)
    places = np.arange(STEADY + 1, length)
    for t in rng.choice(places, size=rng.integers(1, 4), replace=False):
        kind = rng.choice(["level", "noise", "amplitude"])
        if kind == "level":
            level[t:] += both_ways(1, 3, rng)
        elif kind == "noise":
            louder[t:] *= rng.uniform(1.5, 3)
        else:
            gain[t:] *= rng.uniform(0.4, 2)
        label[t] = kind != "noise"  # no single point shows a new noise
    return gain, level, louder, label


def both_ways(
    low: float, high: float, rng: np.random.Generator, size: int | None = None
) -> Any:
    """Sizes between ``low`` and ``high``, up or down."""
    return rng.choice([-1, 1], size=size) * rng.uniform(low, high, size=size)
