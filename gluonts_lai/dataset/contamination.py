"""
Anomalies for series that have none, or whose anomalies nobody knows.

    spikes        single points are moved far away
    runs          4 to 12 points in a row are moved together
    level_shifts  24 to 96 points are moved together, and then no longer
    flat_runs     4 to 12 points are stuck at the value that came before them
    dropouts      4 to 12 points fall to 0

Points are moved up or down, by so many spreads of the series: its
inter-quartile range, or its standard deviation if that range is 0, or if all
its values are the same, that value without its sign, but at least 1.

Points that are missing stay so and do not count: a stretch goes on after them.
"""

from typing import Any, Iterable

import numpy as np

from gluonts_lai.choices import check_choice
from gluonts_lai.panel.entries import labels_of, name_of, target_of

from .families import both_ways
from .magnitude import Magnitude, range_of, spread_of
from .stretches import draw_stretches, has_room, points_of

LENGTHS = {
    "spikes": (1, 1),
    "runs": (4, 12),
    "level_shifts": (24, 96),
    "flat_runs": (4, 12),
    "dropouts": (4, 12),
}
KINDS = tuple(LENGTHS)


def contaminate(
    dataset: Iterable[dict[str, Any]],
    rate: float,
    kind: str = "spikes",
    magnitude: Magnitude = None,
    seed: int = 0,
    label_field: str = "label",
) -> list[dict[str, Any]]:
    """
    The series of a GluonTS data set, with anomalies put into them.

    Parameters
    ----------
    dataset
        Entries with a target of shape ``(time,)``, or ``(dim, time)``: then
        something else happens to each dimension. They stay as they are.
    rate
        Share of the points that are anomalous, from 0 to less than 1. Of
        spikes, each point is one with this probability. Stretches hold as
        many points on average, and in each series as nearly as they can.
    kind
        One of :data:`KINDS`.
    magnitude
        How far points are moved, in spreads of their series: a number, or the
        least and the most. None: 4 to 15 for spikes, 2 to 5 for runs, 1 to 3
        for level shifts. The other kinds have none.
    seed
        Another seed, other anomalies.
    label_field
        The field of each new entry that says which points are anomalous. A
        point that is labelled 1 there already stays so.

    Returns
    -------
    list
        New entries: the target with anomalies, labels of the same shape, and
        all other fields. The label of a point is 1 if something happened to
        it, even where that did not change its value: a flat run may be stuck
        where the series did not move. More series do not change what happens
        to the first ones.

    Examples
    --------
    >>> from gluonts.dataset.common import ListDataset
    >>> series = {"start": "2024-01-01", "target": np.sin(np.arange(1_000))}
    >>> (entry,) = contaminate(ListDataset([series], "h"), 0.1, kind="runs")
    >>> int(entry["label"].sum())
    105
    >>> bool(abs(entry["target"][entry["label"] == 0]).max() <= 1)
    True
    """
    if not 0 <= rate < 1:
        raise ValueError(
            f"rate must be at least 0 and less than 1, got {rate!r}; it is a "
            "share, not a percentage."
        )
    check_choice("kind", kind, KINDS)
    sizes = range_of(kind, magnitude)
    entries = []
    for i, entry in enumerate(dataset):
        target = target_of(entry, i).copy()
        known = labels_of(entry, i, label_field, target.shape, False)
        labels = (known == 1).astype(np.uint8)
        # The 1 is for contamination: `simulate` draws series without it.
        rng = np.random.default_rng([seed, i, KINDS.index(kind), 1])
        for row, label in zip(np.atleast_2d(target), np.atleast_2d(labels)):
            observed = np.flatnonzero(~np.isnan(row))
            if kind != "spikes":
                check_room(kind, rate, len(observed), name_of(entry, i))
            row[observed], touched = disturb(
                row[observed], rate, kind, sizes, rng
            )
            label[observed[touched]] = 1
        entries.append({**entry, "target": target, label_field: labels})
    return entries


def disturb(
    values: np.ndarray,
    rate: float,
    kind: str,
    sizes: tuple[float, float],
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """A series with anomalies, and which of its points they are."""
    starts, lengths = draw_places(len(values), rate, kind, rng)
    points = points_of(starts, lengths)
    values = values.copy()
    if kind == "dropouts":
        values[points] = 0
    elif kind == "flat_runs":
        values[points] = values[np.repeat(starts - 1, lengths)]
    elif len(points):
        shifts = spread_of(values) * both_ways(*sizes, rng, size=len(starts))
        values[points] += np.repeat(shifts, lengths)
    return values, points


def draw_places(
    num_points: int, rate: float, kind: str, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Where anomalies begin, and how long they are."""
    if kind == "spikes":
        starts = np.flatnonzero(rng.random(num_points) < rate)
        return starts, np.ones_like(starts)
    first = num_without(kind)
    starts, lengths = draw_stretches(
        num_points - first, rate, LENGTHS[kind], rng
    )
    return first + starts, lengths


def num_without(kind: str) -> int:
    """How many points at the beginning nothing can happen to."""
    return int(kind == "flat_runs")  # none came before the first


def check_room(kind: str, rate: float, num_points: int, name: str) -> None:
    if not has_room(num_points - num_without(kind), rate, LENGTHS[kind]):
        shortest, longest = LENGTHS[kind]
        raise ValueError(
            f"{name} must have room for {kind} of {shortest} to {longest} "
            f"points with others between them, got {num_points} observed "
            f"points for a rate of {rate}; choose a lower rate, or longer "
            "series."
        )
