"""
By how much is a forecaster surer of itself than it may be?

On points that it was not trained on, the width of its densities is multiplied
by what makes them most likely, anomalies and all: one factor for each series,
and one for all of them where a series has too few points to tell. A network
that serves many series, and cannot tell the calm from the restless ones, makes
up for it by heavy tails: with a width for each of them, tails may be lighter,
by one factor for all.
"""

from typing import Any, Iterable, Iterator, NamedTuple, Sequence

import numpy as np

from gluonts_lai.arrivals import num_periods
from gluonts_lai.detector import Manner, filter_of
from gluonts_lai.filtering import Filter
from gluonts_lai.nominal.protocol import Nominal, Scores
from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table
from gluonts_lai.profiles import Profile
from gluonts_lai.recipe import Recipe

WIDENINGS = np.geomspace(0.3, 8.0, 34).tolist()
TAILS = (1.0, 2.0, 4.0, 8.0)
# Nats that lighter tails must gain, each time that they are doubled: a few
# points say little of tails.
RELUCTANCE = 3.0
# With fewer points, a series does not know its own factor.
MIN_POINTS = 50
# Points that a factor is worth before there are any: 100 tell it to 7 %.
NUM_BEFORE = 25
# Share of each series that is held out of training at first.
HELD_OUT = 0.1
# Points to judge before those that were held out: what lies further back does
# not matter to them any more.
BURN_IN = 200


class Shape(NamedTuple):
    """What densities are like, beside those of the forecaster."""

    widening: float = 1.0  # they are wider by this factor
    tail: float = 1.0  # and have so many times the degrees of freedom


class Calibration(NamedTuple):
    """What the densities of series are like."""

    pooled: Shape  # of all series
    each: list[Shape]  # of each of them

    @classmethod
    def of(cls, shape: Shape, num_series: int) -> "Calibration":
        """The same of all series."""
        return cls(shape, [shape] * num_series)


def looks(
    nominal: Nominal,
    panel: Panel,
    profiles: list[Profile],
    recipe: Recipe,
    held_out: Table,
    prepared: Any = None,
) -> Iterator[tuple[Filter, Table]]:
    """
    A filter for some series after the other, and which of their points were
    not trained on.
    """
    for part in panel.parts():
        some = panel.part(part)
        filter = filter_of(
            nominal,
            some,
            [recipe.chain] * len(some.entries),  # which no misfit led astray
            profiles[part],
            Manner("smooth", recipe.treatment),
            prepared and prepared.part(part),
        )
        yield filter, held_out.part(part)


def calibrate(
    looks: Iterable[tuple[Filter, Table]], otherwise: Shape
) -> Calibration:
    """
    Find the shapes of series from points that were not trained on.

    Parameters
    ----------
    looks
        See :func:`looks`.
    otherwise
        The shape of all series, where even these are too few points.
    """
    told: list = [np.zeros((len(TAILS), 0, len(WIDENINGS)))]
    number: list = [np.zeros(0)]
    for filter, held_out in looks:
        scores = filter.settle().scores
        number.append(num_known(scores, held_out))
        firsts = [first_of(block) for block in held_out.blocks]
        told.append(
            log_likelihoods(
                filter.since(firsts),
                scores.since(firsts),
                held_out.since(firsts),
            )
        )
    likelihoods = np.concatenate(told, axis=1)
    numbers = np.concatenate(number)
    if numbers.sum() < MIN_POINTS:
        return Calibration.of(otherwise, len(numbers))
    # Of each tail: what suits all series, and what suits each of them best.
    among = np.argmax(likelihoods.sum(1) + near(otherwise.widening), axis=-1)
    given = (
        likelihoods + np.stack([near(WIDENINGS[i]) for i in among])[:, None]
    )
    evidence = given.max(-1).sum(-1) - RELUCTANCE * np.log2(TAILS)
    best = int(np.argmax(evidence))
    tail = TAILS[best]
    pooled = Shape(WIDENINGS[int(among[best])], tail)
    each = [
        pooled if num < MIN_POINTS else Shape(WIDENINGS[int(i)], tail)
        for i, num in zip(np.argmax(given[best], axis=1), numbers)
    ]
    return Calibration(pooled, each)


def near(widening: float) -> np.ndarray:
    """Log prior of all widenings: as if some points had told of this one."""
    far = np.log(np.array(WIDENINGS) / widening)
    return -NUM_BEFORE * far**2  # a Gaussian point tells so much of its width


def log_likelihoods(
    filter: Filter, scores: Scores, held_out: Table
) -> np.ndarray:
    """Of held-out points: (tail, entry, widening)."""
    num_entries = len(held_out.entries)
    shape = len(TAILS), num_entries, len(WIDENINGS)
    likelihoods = np.zeros(shape)
    for j, tail in enumerate(TAILS):
        told = scores.lighter(tail)
        for k, widening in enumerate(WIDENINGS):
            wider = filter._replace(widenings=[widening] * num_entries)
            likely = wider.log_likelihood(told)
            for owners, block, chosen in zip(
                likely.owners, likely.blocks, held_out.blocks
            ):
                total = np.nansum(block, axis=-1, where=chosen)
                np.add.at(likelihoods[j, :, k], owners, total)
    return likelihoods


def first_of(held_out: np.ndarray) -> int:
    """Where to begin to judge a block, given which points were held out."""
    (chosen,) = np.nonzero(held_out.any(0))
    first = chosen[0] - BURN_IN if chosen.size else held_out.shape[1] - 1
    return max(0, first)


def num_known(scores: Scores, held_out: Table) -> np.ndarray:
    """How many of the held-out points of each entry have been scored."""
    return np.array(
        [
            np.isfinite(entry[chosen]).sum()
            for entry, chosen in zip(
                scores.bells.distance.entries, held_out.entries
            )
        ]
    )


def tails(values: Table) -> Table:
    """The last points of each series."""
    flags = values.like(0, bool)
    for entry in flags.entries:
        entry[..., int(np.ceil((1 - HELD_OUT) * entry.shape[-1])) :] = True
    return flags


def unknown_points(panel: Panel, training: Panel) -> Table:
    """
    Points of a panel that were not in training, by the time and the name of
    each series; by its position where it has none.
    """
    ends = {
        key: entry["start"] + target.shape[-1]
        for key, entry, target in zip(
            training.keys(), training.entries, training.values.entries
        )
    }
    flags = panel.values.like(1, bool)
    for key, entry, flag in zip(panel.keys(), panel.entries, flags.entries):
        end = ends.get(key)
        if end is not None and end > entry["start"]:
            flag[..., : num_periods(entry["start"], end)] = False
    return flags


def mean_widening(widenings: Sequence[float]) -> float:
    """One number for many factors."""
    return float(np.exp(np.mean(np.log(widenings))))
