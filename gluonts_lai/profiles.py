"""
What was learned of each series, and what that says of a new one.

A series is recognised by its ``item_id``. Of one that was not in training,
the first context shows its centre and its usual width; in these units, it is
taken for a typical series of the training set: one of those that vary, for
the level of one that only idles says nothing of others. So is a dimension that
had no value in training, a sensor not yet installed.
"""

from typing import NamedTuple, Optional, Sequence

import numpy as np

from gluonts_lai.anomalous import AnomalousModel
from gluonts_lai.beginnings import first_context, num_after
from gluonts_lai.evidence import floored
from gluonts_lai.nominal.scaling import Scale, series_scale
from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table, as_rows

# Values to remember of a typical series.
NUM_VALUES = 200

# Of entries, by position: how many points of each row, counted from the end,
# come when it is known.
Late = dict[int, np.ndarray]


class Profile(NamedTuple):
    """What is known of one series."""

    scale: Scale  # its centre and usual width, in each dimension
    anomalous: list  # p⁻ of each dimension; None where there is no value
    bounds: list  # within which each dimension was, or might have been
    widening: float = 1.0  # of its densities, by calibration
    tail: float = 1.0  # factor on their degrees of freedom

    @classmethod
    def of(
        cls,
        scale: Scale,
        values: np.ndarray,
        model: AnomalousModel,
        weights: Optional[np.ndarray] = None,
    ) -> "Profile":
        """What values show of a series, time last."""
        anomalous: list = []
        bounds: list = []
        for j, row in enumerate(as_rows(values)):
            known = row[~np.isnan(row)]
            if not known.size:
                anomalous.append(None)
                bounds.append((0.0, 0.0))
                continue
            weight = None if weights is None else as_rows(weights)[j]
            fitted = model.fit(row, weight)
            anomalous.append(fitted)
            low, high = float(known.min()), float(known.max())
            domain = getattr(fitted, "domain", None) or (low, high)
            bounds.append((min(low, domain[0]), max(high, domain[1])))
        return cls(scale, anomalous, bounds)

    def log_anomalous(self, values: np.ndarray) -> np.ndarray:
        """log p⁻ of values, time last; NaN where there is none."""
        log_density = np.full(values.shape, np.nan)
        told = as_rows(log_density)
        for j, row in enumerate(as_rows(values)):
            if self.anomalous[j] is not None:
                told[j] = self.log_anomalous_of(j, row)
        return log_density

    def log_anomalous_of(self, j: int, row: np.ndarray) -> np.ndarray:
        """
        log p⁻ of the values of one dimension.

        What goes further than anything before is as likely as the nearest
        value that there was, but for the way from there: series drift, and
        the worst anomaly need not have been in training.
        """
        (low, high), (centre, width) = self.bounds[j], rows_of(self.scale)[j]
        model = self.anomalous[j]
        said = floored(model.log_prob(row), row, centre, width)
        near = np.clip(row, low, high)
        beyond = np.abs(row - near) / ((high - low) / 2 or width)
        if not np.any(beyond > 0):
            return said
        told = floored(model.log_prob(near), near, centre, width)
        return np.fmax(said, told - 2 * np.log1p(beyond))

    @property
    def is_known(self) -> np.ndarray:
        """Of which dimensions anything is known."""
        return np.array([model is not None for model in self.anomalous])

    @property
    def is_unknown(self) -> bool:
        return not self.is_known.any()

    def filled(self, other: "Profile", which: np.ndarray) -> "Profile":
        """The same with what another knows of some of the dimensions."""
        if self.is_unknown:
            self = self._replace(widening=other.widening, tail=other.tail)
        pairs = zip(self.scale, other.scale)
        chosen = which.reshape(self.scale.centre.shape)
        return self._replace(
            scale=Scale(*(np.where(chosen, new, old) for old, new in pairs)),
            anomalous=either(which, other.anomalous, self.anomalous),
            bounds=either(which, other.bounds, self.bounds),
        )

    @classmethod
    def unknown(cls, shape: tuple) -> "Profile":
        """Nothing is known of a series of points of this shape."""
        num_dims = int(np.prod(shape, dtype=int))
        scale = Scale(np.zeros((*shape, 1)), np.ones((*shape, 1)))
        return cls(scale, [None] * num_dims, [(0.0, 0.0)] * num_dims)


class Typical(NamedTuple):
    """
    The series that reaches as far as half of them do, in its own units.

    Those that idle, or lack a dimension, do not show how far it reaches: each
    dimension is that of the middle one of the series in which it varies.
    """

    values: np.ndarray  # a few of them, in order, on the last axis
    weights: np.ndarray  # how anomalous each of them is
    widening: float
    tail: float

    @classmethod
    def of(
        cls,
        profiles: Sequence[Profile],
        values: Table,
        weights: Optional[Table],
        shape: tuple[float, float],
    ) -> "Typical":
        """The typical series of a training set, row by row."""
        reach, varies = zip(*map(reach_of, profiles, values.entries))
        few = []
        for i, j in middles(np.array(reach), np.array(varies)):
            row = as_rows(values.entries[i])[j]
            scale = Scale(*(as_rows(part)[j] for part in profiles[i].scale))
            weigh = np.zeros(row.shape)
            if weights is not None:
                weigh = as_rows(weights.entries[i])[j].astype(float)
            few.append(some(scale.apply(row), weigh))
        size = values.entries[0].shape[:-1] + (NUM_VALUES,)
        chosen, share = (np.reshape(column, size) for column in zip(*few))
        return cls(chosen, share, *shape)

    @property
    def shape(self) -> tuple:
        """That of each point: () for a number, (dim,) for a vector."""
        return self.values.shape[:-1]

    def profile(
        self, model: AnomalousModel, entry: np.ndarray, context_length: int
    ) -> Profile:
        """What there is to expect of a series that begins like this."""
        first = first_context(entry, context_length)
        scale = series_scale(first, context_length)
        which = np.arange(len(as_rows(entry))) % len(as_rows(self.values))
        values = as_rows(self.values)[which]
        weights = as_rows(self.weights)[which]
        rows = zip(as_rows(scale.apply(first)), values, weights)
        for begins, row, weigh in rows:
            # Nothing varied in training: there is no more to go by.
            if begins.size and np.ptp(row) == 0:
                row[:], weigh[:] = some(begins, np.zeros(begins.shape))
        shape = entry.shape[:-1] + (NUM_VALUES,)
        return Profile.of(
            scale,
            scale.undo(values.reshape(shape)),
            model,
            weights.reshape(shape),
        )._replace(widening=self.widening, tail=self.tail)


class Profiles(NamedTuple):
    """What was learned of the series of a training set."""

    known: dict[str, Profile]  # by item_id
    typical: Typical

    def of(
        self, panel: Panel, model: AnomalousModel, context_length: int
    ) -> list[Profile]:
        """What is known of each entry of a panel."""
        profiles = []
        for known, entry in zip(self.known_of(panel), panel.values.entries):
            if known is None or not known.is_known.all():
                new = self.typical.profile(model, entry, context_length)
                known = known.filled(new, ~known.is_known) if known else new
            profiles.append(known)
        return profiles

    def late(self, panel: Panel, context_length: int) -> Late:
        """The entries that nothing can be said of for longer than that."""
        late = {}
        pairs = zip(self.known_of(panel), panel.values.entries)
        for i, (known, entry) in enumerate(pairs):
            if known and known.is_known.all():
                continue
            numbers = num_after(entry, context_length)
            if known:
                numbers[known.is_known] = entry.shape[-1]
            if np.any(numbers < entry.shape[-1] - context_length):
                late[i] = numbers
        return late

    def known_of(self, panel: Panel) -> list[Optional[Profile]]:
        """What was learned of each entry; None of one that is new."""
        found = []
        for item_id, entry in zip(panel.item_ids(), panel.values.entries):
            known = None if item_id is None else self.known.get(str(item_id))
            if known and len(known.anomalous) != len(as_rows(entry)):
                known = None
            found.append(known)
        return found


def profiles_of(
    values: Table,
    scales: Sequence[Scale],
    model: AnomalousModel,
    widening: float,
) -> list[Profile]:
    """What series show of themselves."""
    return [
        Profile.of(scale, entry, model)._replace(widening=widening)
        for scale, entry in zip(scales, values.entries)
    ]


def refitted(
    profiles: Sequence[Profile],
    values: Table,
    model: AnomalousModel,
    shares: Table,
) -> list[Profile]:
    """The same with p⁻ from the share that each point has in it."""
    return [
        profile._replace(
            anomalous=Profile.of(profile.scale, entry, model, share).anomalous
        )
        for profile, entry, share in zip(
            profiles, values.entries, shares.entries
        )
    ]


def anomalous_densities(profiles: Sequence[Profile], values: Table) -> Table:
    """log p⁻ of every point."""
    return Table.of(
        [
            profile.log_anomalous(entry)
            for profile, entry in zip(profiles, values.entries)
        ],
        np.float64,
    )


def either(which: np.ndarray, ours: list, theirs: list) -> list:
    """One of each pair: ours, where we are chosen."""
    return [a if chosen else b for chosen, a, b in zip(which, ours, theirs)]


def rows_of(scale: Scale) -> list[tuple[float, float]]:
    """Centre and width of each dimension."""
    return list(zip(*(np.ravel(part).tolist() for part in scale)))


def reach_of(profile: Profile, entry: np.ndarray) -> tuple:
    """
    How far a series reaches, in its own units, and which of its rows vary;
    those that do not have no units of their own.
    """
    rows, widths = as_rows(entry), np.ravel(profile.scale.width)
    highest = np.fmax.reduce(rows, axis=-1, initial=-np.inf)
    varies = highest > np.fmin.reduce(rows, axis=-1, initial=np.inf)
    if not varies.any():
        return np.nan if np.isnan(rows).all() else 0.0, varies
    known = rows[varies]
    known = known[~np.isnan(known)]
    return np.ptp(known) / float(np.median(widths[varies])), varies


def middles(reach: np.ndarray, varies: np.ndarray) -> list[tuple[int, int]]:
    """
    For each dimension, a series and a dimension of it: of those that vary,
    one that reaches as far as half of them do.

    Parameters
    ----------
    reach
        How far each series reaches.
    varies
        Whether it does in each dimension: (series, dimensions).

    Examples
    --------
    >>> middles(np.array([3.0, 1.0, 2.0]), np.ones((3, 2), bool))
    [(2, 0), (2, 1)]
    >>> varies = np.array([[True, False], [True, True], [True, False]])
    >>> middles(np.array([3.0, 1.0, 2.0]), varies)
    [(2, 0), (1, 1)]
    """
    order = np.argsort(reach)
    anywhere = int(np.argmax(varies.any(axis=0)))
    chosen = []
    for j in range(varies.shape[1]):
        # In units of its own, a dimension is much like another.
        here = j if varies[:, j].any() else anywhere
        those = order[varies[order, here]]
        if not those.size:  # nothing varies anywhere
            those, here = order[:1], j
        chosen.append((int(those[(len(those) - 1) // 2]), here))
    return chosen


def some(row: np.ndarray, weights: np.ndarray) -> tuple:
    """A few values of a row, from the least to the largest."""
    order = np.argsort(row)[: max(1, int((~np.isnan(row)).sum()))]
    places = np.linspace(0, order.size - 1, NUM_VALUES).round().astype(int)
    chosen = order[places]
    return np.nan_to_num(row[chosen]).astype(float), weights[chosen]
