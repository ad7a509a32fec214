"""
Entries that a network can read, transformed once.

A network's own transformation (time features, ages, categories) does not
depend on which points are anomalous, so it runs once and its result is kept;
only the target, and which of its points count as observed, change from one
look to the next: of those there is nothing to keep but their shape. Every
series is made longer by one horizon, of missing values, so that each of its
points can be the first of a window.
"""

from typing import Iterable, NamedTuple

import numpy as np
from gluonts.transform import Transformation

from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table
from gluonts_lai.transform import OBSERVED, TARGET, Clean, treated

from .ages import of_age
from .scaling import Scale


class Prepared(NamedTuple):
    """A panel, transformed."""

    entries: list[dict]  # one horizon longer than they came
    values: Table  # as observed
    scales: list[Scale]  # centre and usual width of each series
    scaling: bool  # whether the network sees scaled series
    horizon: int
    usable: np.ndarray  # which entries have any value

    @classmethod
    def of(
        cls,
        panel: Panel,
        transformation: Transformation,
        scales: list[Scale],
        horizon: int,
        scaling: bool,
    ) -> "Prepared":
        longer: Iterable[dict] = (
            extended(entry, target, horizon)
            for entry, target in zip(panel.entries, panel.values.entries)
        )
        if panel.ages is not None:
            longer, transformation = of_age(longer, panel.ages, transformation)
        try:
            transformed = transformation(iter(longer), is_train=True)
            entries = [hollow(entry) for entry in transformed]
        except KeyError as error:
            raise ValueError(
                f"each entry must have the field {error}, which the network "
                "looks at; add it to all of them."
            ) from error
        return cls(
            entries,
            panel.values,
            scales,
            scaling,
            horizon,
            panel.has_values(),
        )

    def part(self, which: slice) -> "Prepared":
        """Some of the entries."""
        return self._replace(
            entries=self.entries[which],
            values=self.values.part(which),
            scales=self.scales[which],
            usable=self.usable[which],
        )

    @property
    def has_observed(self) -> bool:
        """Whether the network is told which points were observed."""
        return OBSERVED in self.entries[0]

    def context(self, i: int, context: np.ndarray) -> dict:
        """Entry ``i`` with a clean target, to be looked back on."""
        entry = dict(self.entries[i])
        length = context.shape[-1]
        target = np.zeros_like(entry[TARGET], order="C")
        target[..., :length] = self.scaled(i, context)
        entry[TARGET] = target
        if OBSERVED in entry:
            entry[OBSERVED] = np.ones_like(entry[OBSERVED], order="C")
            entry[OBSERVED][..., length:] = 0
        return entry

    def treated(self, clean: Clean, i: int) -> dict:
        """Entry ``i`` as training sees it, in its own length."""
        target = clean.targets.entries[i]
        length = target.shape[-1]
        scaled = self.scaled(i, target).astype(np.float32)
        own = cut(self.entries[i], length, length)
        return treated(own, scaled, clean.observed.entries[i])

    def until(self, entry: dict, t: int) -> dict:
        """An entry as a predictor sees it at time ``t``."""
        return cut(entry, t, t + self.horizon)

    def scaled(self, i: int, values: np.ndarray) -> np.ndarray:
        return self.scales[i].apply(values) if self.scaling else values


def cut(entry: dict, end: int, end_of_features: int) -> dict:
    """An entry until ``end``; what is known ahead may reach further."""
    length = entry[TARGET].shape[-1]
    shorter = {}
    for name, field in entry.items():
        if in_time(name, field, length):
            past = name in (TARGET, OBSERVED) or name.startswith("past_")
            field = field[..., : end if past else end_of_features]
        elif isinstance(field, np.ndarray):
            field = field.copy()  # GPVAR's transformation shuffles in place
        shorter[name] = field
    return shorter


def hollow(entry: dict) -> dict:
    """An entry without what changes, in the precision of networks."""
    nothing = {TARGET: np.float32(0)}
    if OBSERVED in entry:
        nothing[OBSERVED] = entry[OBSERVED].dtype.type(0)
    shapes = {
        name: np.broadcast_to(zero, np.shape(entry[name]))
        for name, zero in nothing.items()
    }
    return {**entry, **shapes}


def in_time(name: str, field: object, length: int) -> bool:
    """Whether a field of an entry has one value for each of its points."""
    shape = np.shape(field) if isinstance(field, np.ndarray) else ()
    is_static = name.startswith("feat_static")
    return bool(shape) and shape[-1] == length and not is_static


def extended(entry: dict, target: np.ndarray, horizon: int) -> dict:
    """An entry that is ``horizon`` points longer; what is not known stays."""
    length = target.shape[-1]
    longer = dict(entry)
    for name, field in entry.items():
        shape = (
            np.shape(field) if isinstance(field, (np.ndarray, list)) else ()
        )
        if (
            shape
            and length <= shape[-1]
            and name != TARGET
            and not name.startswith("feat_static")
        ):
            longer[name] = reaching(np.asarray(field), length + horizon)
    whole = (*target.shape[:-1], length + horizon)
    longer[TARGET] = np.full(whole, np.nan, target.dtype)
    longer[TARGET][..., :length] = target
    return longer


def reaching(field: np.ndarray, end: int) -> np.ndarray:
    """A field up to ``end``; what is not known that far stays as it was."""
    missing = max(0, end - field.shape[-1])
    padding = [(0, 0)] * (field.ndim - 1) + [(0, missing)]
    mode = "edge" if field.shape[-1] else "constant"
    return np.pad(field[..., :end], padding, mode=mode)  # type: ignore
