"""
A trained predictor's watch over series: what it knows, and gets to know.

Series that were not in training are known once their first context is there.
"""

from contextlib import nullcontext
from typing import Any, ContextManager, Optional, Sequence

import numpy as np

from gluonts_lai.arrivals import as_label
from gluonts_lai.backends import seeded
from gluonts_lai.detector import Manner, filter_of
from gluonts_lai.filtering.judging import LEAST_VARIANCE, MOST_VARIANCE
from gluonts_lai.filtering.tracks import Judged, Tracks
from gluonts_lai.filtering.vigil import Rules, Vigil, log_odds_of
from gluonts_lai.panel import Panel
from gluonts_lai.panel.entries import without_target
from gluonts_lai.profiles import Profile
from gluonts_lai.seeds import derived

from .states import as_numbers


class Watch:
    """
    Series under way, and what is known of them.

    Parameters
    ----------
    predictor
        A trained :class:`gluonts_lai.LAIPredictor`.
    panel
        The series, each with its points so far.
    manner
        How to look at them.
    shape
        That of each point.
    """

    def __init__(
        self, predictor: Any, panel: Panel, manner: Manner, shape: tuple
    ) -> None:
        self.predictor = predictor
        self.manner = manner
        self.all_rules: Optional[Rules] = None
        self.firsts: list[Optional[list]] = []  # of series that are new
        self.tracks = Tracks(
            predictor.nominal(),
            [without_target(entry) for entry in panel.entries],
            predictor.chains_of(panel),
            [Profile.unknown(shape)] * len(panel.entries),
            shape,
        )
        self.look_at_history(panel)

    def look_at_history(self, panel: Panel) -> None:
        """Filter what is known of the series so far, all of it at once."""
        predictor, tracks = self.predictor, self.tracks
        known = predictor.profiles.known_of(panel)
        length = predictor.context_length
        self.firsts = [
            None if profile else [*np.moveaxis(entry[..., :length], -1, 0)]
            for profile, entry in zip(known, panel.values.entries)
        ]
        unknown = tracks.known.profiles
        tracks.know([p or other for p, other in zip(known, unknown)])
        self.get_to_know()
        for part in panel.parts():
            some = panel.part(part)
            if not any(entry.size for entry in some.values.entries):
                continue
            with self.chance(not tracks.nominal.is_bare):
                settled = filter_of(
                    tracks.nominal,
                    some,
                    tracks.chains[part],
                    tracks.known.profiles[part],
                    self.manner,
                ).settle()
            tracks.resume(part, settled.targets, settled.vigils)

    def judge(
        self,
        which: np.ndarray,
        points: np.ndarray,
        labels: Optional[Sequence] = None,
    ) -> Judged:
        """What is known of the next points; nothing changes."""
        opinions = None
        if labels is not None:
            known = np.array([as_label(label) for label in labels])
            shape = points.reshape(len(points), -1).shape
            opinions = np.broadcast_to(log_odds_of(known)[:, None], shape)
        with self.chance(not self.tracks.nominal.is_bare):
            return self.tracks.judge(
                which, points, self.rules(which), opinions
            )

    def keep(
        self, which: np.ndarray, points: np.ndarray, judged: Judged
    ) -> None:
        """Remember points; by its first context, a new series is known."""
        self.tracks.keep(which, judged)
        news = False
        if not self.is_learning:
            return
        length = self.predictor.context_length
        for i, point in zip(which, points):
            first = self.firsts[i]
            if first is not None and len(first) < length:
                first.append(point)
                news |= len(first) == length
        if news:
            self.get_to_know()

    def get_to_know(self) -> None:
        """Find the profiles of new series that have a first context."""
        profiles = list(self.tracks.known.profiles)
        length = self.predictor.context_length
        for i, first in enumerate(self.firsts):
            is_full = first is not None and len(first) == length
            if is_full and profiles[i].is_unknown:
                values = np.moveaxis(np.array(first), 0, -1)
                profiles[i] = self.predictor.profile_of_new(values)
        self.tracks.know(profiles)
        self.is_learning = any(
            first is not None and len(first) < length for first in self.firsts
        )
        self.all_rules = None

    def rules(self, which: np.ndarray) -> Rules:
        """How the rows of some series are judged."""
        if self.all_rules is None:
            self.all_rules = self.manner.rules(
                self.tracks.chains,
                self.tracks.known.profiles,
                self.tracks.nominal.context_length,
            )
        return self.all_rules.take(self.tracks.rows(which))

    def profiles(self) -> list[Profile]:
        """What is known of each series, if only by few points."""
        return [
            (
                self.predictor.profile_of_new(
                    np.moveaxis(np.array(first), 0, -1)
                )
                if first and profile.is_unknown
                else profile
            )
            for profile, first in zip(self.tracks.known.profiles, self.firsts)
        ]

    def state(self, i: int) -> dict:
        """What is remembered of a series."""
        rows = self.tracks.rows(np.array([i]))
        return {
            "length": self.tracks.lengths[i],
            "past": self.tracks.past(i),
            "vigil": [column[rows] for column in self.tracks.vigil],
            "first": self.firsts[i],
        }

    def restore(self, i: int, state: dict) -> None:
        """Remember what was remembered of a series."""
        tracks = self.tracks
        length, shape = state["length"], tracks.shape
        if not isinstance(length, int) or length < 0:
            raise ValueError(f"{length!r} points")
        size = length
        if tracks.nominal.past_length:
            size = min(length, tracks.pasts.shape[-1])
        past = as_numbers(state["past"], (*shape, size))
        if np.isnan(past).any():
            raise ValueError("a past with holes")
        tracks.recall(i, past, length)
        rows = tracks.rows(np.array([i]))
        vigil = Vigil(*(as_numbers(x, rows.shape) for x in state["vigil"]))
        check_vigil(vigil)
        tracks.vigil.put(rows, vigil.finite())
        first = state["first"]
        if first is None and self.firsts[i] is not None:
            raise ValueError("no first points of a new series")
        if first is not None:
            first = list(as_numbers(first, (len(first), *shape)))
        self.firsts[i] = first

    def chance(self, is_random: bool) -> ContextManager:
        """Where models that draw begin to."""
        if not is_random or self.predictor.seed is None:
            return nullcontext()
        return seeded(
            derived(self.predictor.seed, int(self.tracks.lengths.sum()))
        )


def check_vigil(vigil: Vigil) -> None:
    """Whether anything could have come to this."""
    for name, column in zip(vigil._fields, vigil):
        if name not in ("low", "high") and not np.isfinite(column).all():
            raise ValueError(f"{name} that is not finite")
    if not np.all((vigil.belief > 0) & (vigil.belief < 1)):
        raise ValueError("a belief that is no probability")
    if not np.all((vigil.unseen >= 0) & (vigil.run >= 0)):
        raise ValueError("less than nothing was counted")
    is_possible = (LEAST_VARIANCE <= vigil.variance) & (
        vigil.variance <= MOST_VARIANCE
    )
    if not is_possible.all():
        raise ValueError("a variance out of bounds")
