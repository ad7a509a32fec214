"""
A trained predictor's watch over series: what it knows, and gets to know.

Series that were not in training are known once their first context is there.
"""

from contextlib import nullcontext
from typing import Any, Callable, ContextManager, Iterable, Optional, Sequence

import numpy as np

from gluonts_lai.arrivals import as_label, is_beyond
from gluonts_lai.backends import seeded
from gluonts_lai.beginnings import beginning, go_on, is_whole, side_by_side
from gluonts_lai.detector import Manner, filter_of
from gluonts_lai.filtering.judging import LEAST_VARIANCE, MOST_VARIANCE
from gluonts_lai.filtering.tracks import Judged, Tracks
from gluonts_lai.filtering.vigil import Rules, Vigil, log_odds_of
from gluonts_lai.panel import Panel
from gluonts_lai.panel.entries import without_target
from gluonts_lai.panel.table import as_rows
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
        self.names: list[Optional[Profile]] = []  # what is known by name
        self.firsts: list[list[float]] = []  # first context of each row
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
        length = predictor.context_length
        self.names = predictor.profiles.known_of(panel)
        unknown = tracks.known.profiles
        tracks.know([p or other for p, other in zip(self.names, unknown)])
        rows = (x for entry in panel.values.entries for x in as_rows(entry))
        self.firsts = [
            [] if is_known else beginning(row, length)
            for row, is_known in zip(rows, tracks.known.is_known)
        ]
        self.get_to_know(range(len(panel.entries)))
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
                    late=predictor.profiles.late(some, length),
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
        rows, length = self.tracks.rows(which), self.predictor.context_length
        is_new = ~self.tracks.known.is_known[rows]
        news = {
            int(row) // self.tracks.num_dims
            for row, value in zip(rows[is_new], np.ravel(points)[is_new])
            if go_on(self.firsts[row], float(value), length)
        }
        self.get_to_know(sorted(news))

    def get_to_know(self, which: Iterable[int]) -> None:
        """Find the profiles of these, where new rows have a first context."""
        length = self.predictor.context_length
        news = self.news(which, lambda first: is_whole(first, length))
        if news:
            series = np.array(list(news))
            self.tracks.get_to_know(series, list(news.values()))
            self.rule_anew(series)

    def news(
        self, which: Iterable[int], is_enough: Callable[[list], bool]
    ) -> dict[int, Profile]:
        """What is known of some series by what there is of new rows."""
        found = {}
        for i in which:
            profile = self.tracks.known.profiles[i]
            if profile.is_known.all():
                continue
            chosen = np.array([is_enough(x) for x in self.firsts_of(i)])
            chosen &= ~profile.is_known
            if chosen.any():
                new = self.predictor.profile_of_new(self.first(i))
                found[i] = profile.filled(new, chosen)
        return found

    def firsts_of(self, i: int) -> list[list[float]]:
        """The first contexts of the rows of a series."""
        return [self.firsts[row] for row in self.tracks.rows(np.array([i]))]

    def rules(self, which: np.ndarray) -> Rules:
        """How the rows of some series are judged."""
        if self.all_rules is None:
            self.all_rules = self.rules_of(range(len(self.names)))
        return self.all_rules.take(self.tracks.rows(which))

    def rule_anew(self, which: np.ndarray) -> None:
        """Judge the rows of some series by what is known of them now."""
        if self.all_rules is not None:
            rows = self.tracks.rows(which)
            self.all_rules.put(rows, self.rules_of(which))

    def rules_of(self, which: Iterable[int]) -> Rules:
        """How rows are judged, by what is known of these series."""
        chains, profiles = self.tracks.chains, self.tracks.known.profiles
        return self.manner.rules(
            [chains[i] for i in which],
            [profiles[i] for i in which],
            self.tracks.nominal.context_length,
        )

    def profiles(self) -> list[Profile]:
        """What is known of each series, if only by few points."""
        profiles = list(self.tracks.known.profiles)
        for i, profile in self.news(range(len(profiles)), bool).items():
            profiles[i] = profile
        return profiles

    def first(self, i: int) -> np.ndarray:
        """The same as one array, time last."""
        table = side_by_side(self.firsts_of(i))
        return table.reshape(*self.tracks.shape, table.shape[-1])

    def state(self, i: int) -> dict:
        """What is remembered of a series."""
        rows = self.tracks.rows(np.array([i]))
        first = None  # it is known by its name
        if not self.is_known_by_name(i):
            first = np.moveaxis(self.first(i), -1, 0)
        return {
            "length": self.tracks.lengths[i],
            "past": self.tracks.past(i),
            "vigil": [column[rows] for column in self.tracks.vigil],
            "first": first,
        }

    def is_known_by_name(self, i: int) -> bool:
        """Whether there is nothing to learn of a series."""
        profile = self.names[i]
        return profile is not None and bool(profile.is_known.all())

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
        if first is not None:
            expected = len(first), *shape
            points = as_numbers(first or np.zeros(expected), expected)
            if is_beyond(points):
                raise ValueError("first points that could not have come")
            for row, values in zip(rows, points.reshape(-1, len(rows)).T):
                self.firsts[row] = beginning(
                    values, self.predictor.context_length
                )
        elif self.names[i] is None:
            raise ValueError("no first points of a new series")

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
