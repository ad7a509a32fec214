"""
Series that are under way: what to remember of them, and what comes next.

A forecaster looks back on so many clean points, and no further; these, and the
:class:`.vigil.Vigil` of each row, are all there is to remember. The next point
of many series is judged at once. It is scored from the same window as if all
of the series were there (:mod:`.filter`), with the same result.
"""

import copy
from typing import NamedTuple, Optional, Sequence

import numpy as np

from gluonts_lai.indicator import IndicatorChain
from gluonts_lai.nominal.bells import Bells
from gluonts_lai.nominal.protocol import Nominal
from gluonts_lai.nominal.scaling import Scale
from gluonts_lai.nominal.scoring import Answer, Piece, tell
from gluonts_lai.panel import Panel
from gluonts_lai.panel.entries import features_of
from gluonts_lai.panel.table import Table
from gluonts_lai.profiles import Profile

from .judging import advance
from .profile_rows import ProfileRows
from .vigil import OPEN, Rules, Stand, Verdicts, Vigil

# Points to make room for, where a forecaster looks back on all there are.
ROOM = 256


class Judged(NamedTuple):
    """What was found of one point of some series: (rows, 1) each."""

    bells: Bells
    verdicts: Verdicts
    vigil: Vigil  # what is known after it


class Tracks:
    """
    Series under way: a row of numbers for each, or for each dimension.

    Parameters
    ----------
    nominal
        The forecaster.
    entries
        The series as they came, but for their targets.
    chains
        The chain of each.
    profiles
        What is known of each.
    shape
        That of each point: () for a number, (dim,) for a vector.
    """

    def __init__(
        self,
        nominal: Nominal,
        entries: Sequence[dict],
        chains: Sequence[IndicatorChain],
        profiles: Sequence[Profile],
        shape: tuple = (),
    ) -> None:
        self.nominal = nominal
        self.entries = list(entries)
        self.chains = list(chains)
        self.know(profiles)
        self.shape = shape
        self.vigil = Vigil.begin(self.by_row(self.chains))
        self.lengths = np.zeros(len(self.entries), int)
        size = nominal.reach if nominal.past_length else ROOM
        self.pasts = np.zeros((len(self.entries), *self.shape, size))
        self.grid = nominal.grid()

    @property
    def num_dims(self) -> int:
        return self.shape[0] if self.shape else 1

    def by_row(self, items: Sequence) -> list:
        """One for each row, of what there is one for each series."""
        return [item for item in items for _ in range(self.num_dims)]

    def rows(self, which: np.ndarray) -> np.ndarray:
        """The rows of some series."""
        if not self.shape:
            return which
        first = which[:, None] * self.num_dims
        return (first + np.arange(self.num_dims)).ravel()

    def know(self, profiles: Sequence[Profile]) -> None:
        """Take note of what is known of each series."""
        self.known = ProfileRows.of(profiles)

    def get_to_know(
        self, which: np.ndarray, profiles: Sequence[Profile]
    ) -> None:
        """Take note of what is known of some series more than before."""
        self.known = self.known.put(which, self.rows(which), profiles)

    def judge(
        self,
        which: np.ndarray,
        values: np.ndarray,
        rules: Rules,
        opinions: Optional[np.ndarray] = None,
    ) -> Judged:
        """Judge the next points of some series; nothing is remembered."""
        bells = self.bells(which, values)
        return self.decide(which, values, bells, rules, opinions)

    def decide(
        self,
        which: np.ndarray,
        values: np.ndarray,
        bells: Bells,
        rules: Rules,
        opinions: Optional[np.ndarray] = None,
        decision: int = OPEN,
    ) -> Judged:
        """The same, of what the forecaster has said already."""
        points = values.reshape(-1, 1)
        if opinions is None:
            opinions = np.zeros(points.shape)
        bells = Bells(*(column.reshape(-1, 1) for column in bells))
        vigil = self.vigil.take(self.rows(which))
        verdicts = Verdicts.empty(points)
        rows = self.rows(which)
        advance(
            points,
            bells,
            self.known.log_anomalous(which, rows, points[:, 0])[:, None],
            opinions.reshape(-1, 1),
            np.full(points.shape, decision, np.int8),
            rules,
            Stand.still(points),
            vigil,
            verdicts,
        )
        return Judged(bells, verdicts, vigil)

    def keep(self, which: np.ndarray, judged: Judged) -> None:
        """Remember points that have been judged."""
        targets = judged.verdicts.targets.reshape(-1, *self.shape)
        self.make_room(1 + max(self.lengths[which], default=0))
        pasts = self.pasts[which]
        pasts[..., :-1] = pasts[..., 1:]
        pasts[..., -1] = targets
        rows = self.rows(which)
        size = self.pasts.shape[-1]
        before = self.vigil.low[rows] > self.vigil.high[rows]
        first = before & (judged.vigil.low <= judged.vigil.high)
        if first.any():  # what was missing before it is taken for the same
            table = pasts.reshape(len(rows), size)
            lengths = np.repeat(self.lengths[which], self.num_dims)
            for row in np.flatnonzero(first):
                table[row, size - 1 - min(lengths[row], size - 1) :] = table[
                    row, -1
                ]
        self.pasts[which] = pasts
        self.lengths[which] += 1
        self.vigil.put(rows, judged.vigil)

    def resume(
        self, which: slice, targets: Table, vigils: Sequence[Vigil]
    ) -> None:
        """Go on from where all points so far have been filtered."""
        places = np.arange(len(self.entries))[which]
        for i, target in zip(places, targets.entries):
            self.recall(i, target, target.shape[-1])
        for vigil, owners in zip(vigils, targets.owners):
            for i in np.unique(owners):
                rows = self.rows(places[[i]])
                self.vigil.put(rows, vigil.take(np.flatnonzero(owners == i)))

    def recall(self, i: int, past: np.ndarray, length: int) -> None:
        """Remember the last points of a series that had so many."""
        self.make_room(past.shape[-1])
        kept = past[..., -self.pasts.shape[-1] :]
        self.pasts[i, ..., self.pasts.shape[-1] - kept.shape[-1] :] = kept
        self.lengths[i] = length

    def past(self, i: int) -> np.ndarray:
        """What is remembered of a series."""
        num_kept = min(self.lengths[i], self.pasts.shape[-1])
        return self.pasts[i][..., self.pasts.shape[-1] - num_kept :]

    def make_room(self, num_points: int) -> None:
        """Remember ever more, where a forecaster looks back on it all."""
        while not self.nominal.past_length and (
            num_points > self.pasts.shape[-1]
        ):
            more = np.zeros_like(self.pasts)
            self.pasts = np.concatenate([more, self.pasts], axis=-1)

    def bells(self, which: np.ndarray, values: np.ndarray) -> Bells:
        """
        What the forecaster says of the next points of some series: nothing
        where nothing is known, for its words have no units.
        """
        told = self.told(which, values)
        is_known = self.known.is_known[self.rows(which)].reshape(values.shape)
        if not is_known.all():
            for column in told:
                column[~is_known] = np.nan
        return told

    def told(self, which: np.ndarray, values: np.ndarray) -> Bells:
        """The same in whatever units, from the first context on."""
        grid = self.grid
        after = self.lengths[which] - grid.lead_time - grid.first
        told = Bells(*np.full((len(Bells._fields), *values.shape), np.nan))
        (ready,) = np.nonzero(after >= 0)
        if ready.size and ready.size == len(which):
            return self.ask(which, values, after % grid.stride)
        if ready.size:
            lead = after[ready] % grid.stride
            said = self.ask(which[ready], values[ready], lead)
            for column, new in zip(told, said):
                column[ready] = new
        return told

    def ask(
        self, which: np.ndarray, values: np.ndarray, lead: np.ndarray
    ) -> Bells:
        """Ask about the next points, each the ``lead``-th of its window."""
        back = lead + self.grid.lead_time
        if self.nominal.is_bare and not self.shape:
            answer = self.answer_bare(which, back)
        else:
            answer = self.answer(which, back)
        if answer.has_points:
            units = [self.known.profiles[i].scale for i in which]
            answer = answer.with_residuals(self.nominal.residual_scale, units)
        answer = answer.with_tails(self.known.tail[which * self.num_dims])
        observed = np.full(
            (len(which), self.grid.num_leads, *self.shape), np.nan
        )
        points = np.arange(len(which)), lead
        observed[points] = values
        told = tell(answer, observed)
        return Bells(*(column[points] for column in told))

    def answer_bare(self, which: np.ndarray, back: np.ndarray) -> Answer:
        """From windows alone."""
        size, length = self.pasts.shape[-1], self.nominal.past_length
        assert length is not None
        place = size - back[:, None] - length + np.arange(length)
        centre, width = self.known.scale
        return self.nominal.answer_bare(
            self.pasts[which[:, None], place],
            place >= size - self.lengths[which, None],
            Scale(centre[which], width[which]),
            self.grid.num_leads,
        )

    def answer(self, which: np.ndarray, back: np.ndarray) -> Answer:
        """From all that a forecaster wants to know."""
        panel = self.panel(which)
        scales = [self.known.profiles[i].scale for i in which]
        pieces = [
            Piece(j, np.array([entry.shape[-1] - back[j]]))
            for j, entry in enumerate(panel.values.entries)
        ]
        return self.nominal.answer(
            self.nominal.prepare(panel, scales),
            panel.values,
            pieces,
            self.grid.num_leads,
        )

    def panel(
        self, which: np.ndarray, num_ahead: Optional[int] = None
    ) -> Panel:
        """
        What is remembered of some series, and what is known of so many points
        ahead; None for all of that.
        """
        entries, targets, ages = [], [], []
        for i in which:
            target = self.past(i)
            age = int(self.lengths[i] - target.shape[-1])
            end = None
            if num_ahead is not None:
                end = int(self.lengths[i]) + num_ahead
            entry = features_of(self.entries[i], age, end)
            entry["start"] = self.entries[i]["start"] + age
            entries.append({**entry, "target": target})
            targets.append(target)
            ages.append(age)
        return Panel(entries, Table.of(targets, np.float64), None, 0, ages)

    def copy(self, which: np.ndarray) -> "Tracks":
        """Some of the series, to go another way from here."""
        other = copy.copy(self)
        for name in ("entries", "chains"):
            setattr(other, name, [getattr(self, name)[i] for i in which])
        other.know([self.known.profiles[i] for i in which])
        other.vigil = self.vigil.take(self.rows(which))
        other.lengths = self.lengths[which]
        other.pasts = self.pasts[which]
        return other
