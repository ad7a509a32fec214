"""
A GluonTS data set as it comes in: checked, and seen as tables.
"""

from typing import Callable, Iterable, Iterator, NamedTuple, Optional

import numpy as np

from gluonts_lai.arrivals import as_offset
from gluonts_lai.caution import warn

from .entries import (
    check_dimensions,
    labels_of,
    name_of,
    stretch,
    target_of,
    with_target,
)
from .table import Table

# What is worked on at once.
MAX_ENTRIES = 1_000
MAX_POINTS = 200_000
HUGE = 1e15


class Panel(NamedTuple):
    """The series of a data set, in its order."""

    entries: list[dict]  # as they came, with their targets in the table
    values: Table  # their targets; NaN is missing
    labels: Optional[Table]  # what is known of them; NaN is unknown
    first: int = 0  # position of the first of them in its data set
    ages: Optional[list[int]] = None  # points of each that were left out

    @classmethod
    def of(
        cls,
        dataset: Iterable[dict],
        label_field: Optional[str] = None,
        first: int = 0,
        cut_labels: bool = True,
    ) -> "Panel":
        """
        Read and check entries, of which the first has this position.

        Labels may go on after the target, as in a backtest, unless they are
        to be learned from.
        """
        entries = list(dataset)
        targets = [
            target_of(entry, i) for i, entry in enumerate(entries, first)
        ]
        check_dimensions(entries, targets, first)
        double = any(
            target.dtype == np.float64 or is_huge(target) for target in targets
        )
        values = Table.of(targets, np.float64 if double else np.float32)
        labels = None
        if label_field is not None:
            known = [
                labels_of(entry, i, label_field, target.shape, cut_labels)
                for i, (entry, target) in enumerate(
                    zip(entries, targets), first
                )
            ]
            labels = Table.of(known, np.float32)
        entries = [
            with_target(entry, target)
            for entry, target in zip(entries, values.entries)
        ]
        return cls(entries, values, labels, first)

    def part(self, which: slice) -> "Panel":
        """Some of the entries."""
        begin, *_ = which.indices(len(self.entries))
        labels = None if self.labels is None else self.labels.part(which)
        return Panel(
            self.entries[which],
            self.values.part(which),
            labels,
            self.first + begin,
            None if self.ages is None else self.ages[which],
        )

    def last(self, num_points: int) -> "Panel":
        """The ends of the entries: no more than so many points of each."""
        ages = [
            max(0, entry.shape[-1] - num_points)
            for entry in self.values.entries
        ]
        if not any(ages):
            return self
        cuts = list(zip(self.values.entries, ages))
        labels = None
        if self.labels is not None:
            known = zip(self.labels.entries, ages)
            labels = Table.of(
                [entry[..., age:] for entry, age in known], self.labels.dtype
            )
        return Panel(
            [stretch(entry, age) for entry, age in zip(self.entries, ages)],
            Table.of(
                [entry[..., age:] for entry, age in cuts], self.values.dtype
            ),
            labels,
            self.first,
            ages,
        )

    def parts(self) -> list[slice]:
        """Entries that are worked on together: not too many points."""
        sizes = [entry.size for entry in self.values.entries]
        return [
            slice(part[0], part[-1] + 1)
            for part in parts(range(len(sizes)), sizes.__getitem__)
        ]

    def names(self) -> list[str]:
        """What to call each entry in a message."""
        return [
            name_of(entry, i)
            for i, entry in enumerate(self.entries, self.first)
        ]

    def item_ids(self) -> list[Optional[str]]:
        """The entries' own names; None where there is none."""
        return [entry.get("item_id") for entry in self.entries]

    def keys(self) -> list[str]:
        """What to remember each entry by: its name, or its position."""
        return [
            f"#{i}" if item_id is None else str(item_id)
            for i, item_id in enumerate(self.item_ids(), self.first)
        ]

    def has_values(self) -> np.ndarray:
        """Whether each entry has a value in every dimension."""
        return np.array(
            [
                bool(entry.size) and bool((~np.isnan(entry)).any(-1).all())
                for entry in self.values.entries
            ],
            dtype=bool,
        )


def is_huge(target: np.ndarray) -> bool:
    """Whether squares, and sums of them, might leave single precision."""
    return bool(np.any(np.abs(target) > HUGE))


def parts(items: Iterable, size_of: Callable) -> Iterator[list]:
    """Items in lists of up to so many items, and about so many points."""
    part: list = []
    num_points = 0
    for item in items:
        part.append(item)
        num_points += size_of(item)
        if len(part) == MAX_ENTRIES or num_points >= MAX_POINTS:
            yield part
            part, num_points = [], 0
    if part:
        yield part


def check_freq(panel: Panel, freq: Optional[str]) -> None:
    """Series come as often as those that were trained on."""
    if freq is None:
        return
    usual = as_offset(freq)
    for i, entry in enumerate(panel.entries, panel.first):
        found = getattr(entry["start"], "freq", usual)
        if found != usual:
            raise ValueError(
                f"the frequency of {name_of(entry, i)} must be {freq!r}, as "
                f"in training, got {entry['start'].freqstr!r}; resample the "
                "series, or train on others like it."
            )


def check_shape(panel: Panel, shape: tuple) -> None:
    """Points have as many dimensions as those that were trained on."""
    for i, entry in enumerate(panel.values.entries):
        if entry.shape[:-1] != shape:
            raise ValueError(
                f"the target of {panel.names()[i]} must have shape "
                f"{(*shape, 'time')}, as in training, got {entry.shape}."
            )


def training_panel(
    dataset: Iterable[dict],
    label_field: Optional[str],
    least_length: int,
) -> Panel:
    """The panel of a data set that something is to be learned from."""
    if not hasattr(dataset, "__len__"):
        raise TypeError(
            "training data must be a data set with a length that can be read "
            f"again and again, got {type(dataset).__name__}; make it a list "
            "or a ListDataset."
        )
    panel = Panel.of(dataset, label_field, cut_labels=False)
    if not panel.entries:
        raise ValueError(
            "training data must hold at least one series, got an empty data "
            "set."
        )
    check_labels_are_there(panel, label_field)
    usable = panel.has_values()
    if not usable.any():
        raise ValueError(
            "training data must hold at least one series with values, got "
            f"{len(usable)} without any: {listed(panel, ~usable)}."
        )
    warn_about(panel, usable, least_length)
    return panel


def warn_about(panel: Panel, usable: np.ndarray, least_length: int) -> None:
    """Say which series can teach nothing, or less than they seem to."""
    lengths = np.array([entry.shape[-1] for entry in panel.values.entries])
    is_constant = np.zeros_like(usable)
    for i in np.flatnonzero(usable):
        entry = panel.values.entries[i]
        is_constant[i] = not (
            np.nanmax(entry, -1) > np.nanmin(entry, -1)
        ).any()
    ids = [item_id for item_id in panel.item_ids() if item_id is not None]
    for which, problem in (
        (~usable, "without any value are left out of training"),
        (
            usable & (lengths < least_length),
            f"shorter than {least_length} points (context and horizon) teach "
            "little, or nothing",
        ),
        (usable & is_constant, "that never change teach nothing of anomalies"),
    ):
        if which.any():
            warn(f"{which.sum()} series {problem}: {listed(panel, which)}.")
    if len(set(ids)) < len(ids):
        warn(
            "item_ids should be unique in training data, got "
            f"{len(ids) - len(set(ids))} repeated; series are told apart by "
            "their position."
        )


def check_labels_are_there(panel: Panel, label_field: Optional[str]) -> None:
    """A field that no entry has is a misspelt one."""
    if label_field is not None and not any(
        label_field in entry for entry in panel.entries
    ):
        raise ValueError(
            f"label_field must name a field of the entries, got "
            f"{label_field!r}; they have {sorted(panel.entries[0])}."
        )


def listed(panel: Panel, which: np.ndarray, most: int = 5) -> str:
    """The names of some entries, not too many of them."""
    names = np.array(panel.names(), dtype=object)[which]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
