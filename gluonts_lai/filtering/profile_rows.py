"""
Profiles of many series, side by side: a row for each, or for each dimension.

What is asked for every point that comes is kept in arrays.
"""

from typing import NamedTuple, Optional, Sequence

import numpy as np

from gluonts_lai.anomalous import Uniform
from gluonts_lai.anomalous.uniform import log_uniform
from gluonts_lai.nominal.scaling import Scale
from gluonts_lai.profiles import Profile, rows_of


class Domains(NamedTuple):
    """The domains of uniform p⁻s, one for each row."""

    low: np.ndarray
    high: np.ndarray
    least: np.ndarray  # least and largest value that each row has shown
    most: np.ndarray
    unit: np.ndarray  # what the way beyond these is measured in

    @classmethod
    def of(cls, profiles: Sequence[Profile]) -> "Optional[Domains]":
        """None if any p⁻ is of another kind."""
        rows: list = []
        for profile in profiles:
            for j, (model, (least, most)) in enumerate(
                zip(profile.anomalous, profile.bounds)
            ):
                if model is None:
                    rows.append((np.nan,) * 5)
                elif type(model) is Uniform:
                    unit = (most - least) / 2 or rows_of(profile.scale)[j][1]
                    low, high = model.domain or (model.low, model.high)
                    rows.append((low, high, least, most, unit))
                else:
                    return None
        return cls(*np.array(rows).reshape(-1, 5).T)

    def log_prob(self, values: np.ndarray) -> np.ndarray:
        """:meth:`Profile.log_anomalous` of a value for each row."""
        near = np.clip(values, self.least, self.most)
        beyond = np.abs(values - near) / self.unit
        told = log_uniform(near, self.low, self.high)
        if not np.any(beyond > 0):
            return told
        said = log_uniform(values, self.low, self.high)
        return np.fmax(said, told - 2 * np.log1p(beyond))

    def take(self, rows: np.ndarray) -> "Domains":
        return Domains(*(column[rows] for column in self))

    def put(self, rows: np.ndarray, other: "Domains") -> None:
        """Write to some rows."""
        for column, new in zip(self, other):
            column[rows] = new


class ProfileRows(NamedTuple):
    """What is asked of profiles for every point."""

    profiles: list[Profile]
    scale: Scale  # (rows, 1)
    tail: np.ndarray
    widening: np.ndarray
    is_known: np.ndarray
    domains: Optional[Domains]

    @classmethod
    def of(cls, profiles: Sequence[Profile]) -> "ProfileRows":
        pairs = [row for profile in profiles for row in rows_of(profile.scale)]
        centre, width = np.array(pairs).reshape(-1, 2).T[..., None]
        num_dims = [len(profile.anomalous) for profile in profiles]
        return cls(
            list(profiles),
            Scale(centre, width),
            np.repeat([profile.tail for profile in profiles], num_dims),
            np.repeat([profile.widening for profile in profiles], num_dims),
            np.concatenate(
                [np.zeros(0, bool), *(p.is_known for p in profiles)]
            ),
            Domains.of(profiles),
        )

    def put(
        self,
        which: np.ndarray,
        rows: np.ndarray,
        profiles: Sequence[Profile],
    ) -> "ProfileRows":
        """
        The same where more is known of some series; written to.

        Parameters
        ----------
        which
            These series.
        rows
            Their rows.
        profiles
            What is known of them now, which is no less than before.
        """
        new = ProfileRows.of(profiles)
        for i, profile in zip(which, profiles):
            self.profiles[i] = profile
        for columns, others in zip(self.by_row, new.by_row):
            columns[rows] = others
        if self.domains is None or new.domains is None:
            return self._replace(domains=None)
        self.domains.put(rows, new.domains)
        return self

    @property
    def by_row(self) -> tuple:
        """The arrays that there always are."""
        return (*self.scale, self.tail, self.widening, self.is_known)

    def log_anomalous(
        self, which: np.ndarray, rows: np.ndarray, values: np.ndarray
    ) -> np.ndarray:
        """log p⁻ of one value for each of the rows of some series."""
        if self.domains is not None:
            return self.domains.take(rows).log_prob(values)
        told = np.empty(len(values))
        pieces = np.split(np.arange(len(values)), max(len(which), 1))
        for i, piece in zip(which, pieces):
            column = values[piece, None]
            told[piece] = self.profiles[i].log_anomalous(column)[:, 0]
        return told
