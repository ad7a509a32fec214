"""
Several cleaned histories of a series, side by side.

What the forecaster expects of a point depends on which points before it were
replaced, and of that a filter keeps one version only. Particles keep several,
each with its own path z, its own clean past and a weight. When a point comes,
each of them goes on in both ways, nominal and anomalous:

    weight · P(z[t] | z[t-1]) · p(x[t] | z[t], clean past)

Of the twice as many that there are then, some are chosen: all that weigh more
than a bound, and of the others as many as there is room for, by chance and
without favour (the optimal resampling of Fearnhead and Clifford, 2003). Where
the state is one of two, no particle is ever kept twice.

A change of level needs no bound here: the history that accepts it explains
what comes next, and soon outweighs the others.
"""

from typing import NamedTuple, Optional

import numpy as np

from gluonts_lai.detector import Found, Manner
from gluonts_lai.evidence import Chains
from gluonts_lai.filtering.tracks import Judged, Tracks
from gluonts_lai.filtering.vigil import (
    ANOMALOUS,
    NOMINAL,
    Rules,
    Vigil,
    log_odds_of,
)
from gluonts_lai.nominal.protocol import Nominal
from gluonts_lai.panel import Panel
from gluonts_lai.panel.entries import without_target
from gluonts_lai.profiles import Late, Profile

from .resampling import resample


class Seen(NamedTuple):
    """What is known of one point of each series."""

    probability: np.ndarray
    log_odds: np.ndarray
    log_density: np.ndarray
    expected: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    cleaned: np.ndarray


class Particles:
    """
    Series under way, each in several versions.

    Parameters
    ----------
    tracks
        The series.
    num_particles
        Versions of each.
    rules
        How they are judged; there is no bound on what is replaced.
    rng
        Where the choice of versions comes from.
    """

    def __init__(
        self,
        tracks: Tracks,
        num_particles: int,
        rules: Rules,
        rng: np.random.Generator,
    ) -> None:
        num_series = len(tracks.entries)
        versions = np.repeat(np.arange(num_series), num_particles)
        self.tracks = tracks.copy(versions)
        self.rules = rules.take(versions)
        self.rng = rng
        # At first there is one version, and room for others.
        self.log_weights = np.full((num_series, num_particles), -np.inf)
        self.log_weights[:, 0] = 0.0

    def update(
        self,
        which: np.ndarray,
        values: np.ndarray,
        opinions: np.ndarray,
        is_known: np.ndarray,
    ) -> Seen:
        """Take in the next points of some series, known or not yet."""
        num_particles = self.log_weights.shape[1]
        rows = which[:, None] * num_particles + np.arange(num_particles)
        flat = rows.ravel()
        points = np.repeat(values, num_particles)
        bells = self.tracks.bells(flat, points)
        for column in bells:
            column[~np.repeat(is_known, num_particles)] = np.nan
        rules = self.rules.take(flat)
        nominal, anomalous = (
            self.tracks.decide(flat, points, bells, rules, decision=decision)
            for decision in (NOMINAL, ANOMALOUS)
        )
        log_normal = nominal.verdicts.log_normal[:, 0]
        log_anomalous = self.tracks.known.log_anomalous(flat, flat, points)
        silent = np.isnan(log_normal - log_anomalous)
        belief = self.tracks.vigil.belief[flat]
        before = self.log_weights[which]
        joint = np.stack(
            [
                np.log1p(-belief) + np.where(silent, 0.0, log_normal),
                np.log(belief) + np.where(silent, 0.0, log_anomalous),
            ]
        ).reshape(2, *before.shape)
        joint += before
        # Certain labels leave one side only.
        is_certain = np.isinf(opinions)
        joint[1] += np.where(is_certain, 0.0, opinions)[:, None]
        joint[0, opinions == np.inf] = -np.inf
        joint[1, opinions == -np.inf] = -np.inf
        seen = self.seen(before, joint, log_normal, nominal, anomalous)

        parents, self.log_weights[which] = self.choose(joint)
        first = np.arange(len(which))[:, None] * num_particles
        chosen = (first + parents % num_particles).ravel()
        is_anomalous = (parents >= num_particles).ravel()
        self.go_on(flat, chosen, is_anomalous, nominal, anomalous)
        return seen

    def choose(self, joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which versions of each series go on, and their log weights."""
        both = np.concatenate([joint[0], joint[1]], axis=1)
        weights = np.exp(both - both.max(1, keepdims=True))
        weights /= weights.sum(1, keepdims=True)
        num_particles = joint.shape[-1]
        parents = np.zeros((len(both), num_particles), np.int64)
        kept = np.zeros((len(both), num_particles))
        resample(weights, self.rng.random(len(both)), parents, kept)
        with np.errstate(divide="ignore"):  # room that is not used yet
            return parents, np.log(kept)

    def go_on(
        self,
        rows: np.ndarray,
        chosen: np.ndarray,
        is_anomalous: np.ndarray,
        nominal: Judged,
        anomalous: Judged,
    ) -> None:
        """The chosen versions take the place of those that there were."""
        self.tracks.pasts[rows] = self.tracks.pasts[rows[chosen]]
        self.tracks.vigil.put(rows, self.tracks.vigil.take(rows[chosen]))
        self.tracks.keep(
            rows,
            Judged(
                nominal.bells,
                nominal.verdicts._replace(
                    targets=np.where(
                        is_anomalous[:, None],
                        anomalous.verdicts.targets[chosen],
                        nominal.verdicts.targets[chosen],
                    )
                ),
                Vigil(
                    *(
                        np.where(is_anomalous, one[chosen], zero[chosen])
                        for zero, one in zip(nominal.vigil, anomalous.vigil)
                    )
                ),
            ),
        )

    def seen(
        self,
        before: np.ndarray,
        joint: np.ndarray,
        log_normal: np.ndarray,
        nominal: Judged,
        anomalous: Judged,
    ) -> Seen:
        """What all versions together say of a point."""
        shape = before.shape
        log_sides = np.logaddexp.reduce(joint, axis=2)
        log_odds = log_sides[1] - log_sides[0]
        log_share = before - np.logaddexp.reduce(before, 1)[:, None]
        share = np.exp(log_share)
        expected = nominal.bells.expected[:, 0]
        spread = nominal.verdicts.spread[:, 0]

        def mean(said: np.ndarray) -> np.ndarray:
            return np.sum(share * said.reshape(shape), axis=1)

        after = np.exp(joint - np.logaddexp.reduce(log_sides)[:, None])
        targets = np.stack(
            [
                side.verdicts.targets.reshape(shape)
                for side in (nominal, anomalous)
            ]
        )
        with np.errstate(invalid="ignore"):  # NaN where nothing is known
            log_density = np.logaddexp.reduce(
                log_share + log_normal.reshape(shape), axis=1
            )
        return Seen(
            1 / (1 + np.exp(-log_odds)),
            log_odds,
            log_density,
            mean(expected),
            mean(expected - nominal.bells.below[:, 0] * spread),
            mean(expected + nominal.bells.above[:, 0] * spread),
            np.sum(after * targets, axis=(0, 2)),
        )


def find_with_particles(
    nominal: Nominal,
    panel: Panel,
    chains: Chains,
    profiles: list[Profile],
    manner: Manner,
    rng: np.random.Generator,
    late: Optional[Late] = None,
) -> Found:
    """The anomalies of a panel, by several histories of each series."""
    values = panel.values
    if any(entry.ndim > 1 for entry in values.entries):
        raise ValueError(
            "num_particles needs series of numbers, got series of vectors; "
            "use num_particles=0."
        )
    tracks = Tracks(
        nominal,
        [without_target(entry) for entry in panel.entries],
        chains,
        profiles,
    )
    particles = Particles(
        tracks,
        manner.num_particles,
        manner.rules(chains, profiles, nominal.context_length)._replace(
            max_run=np.full(len(chains), np.inf)
        ),
        rng,
    )
    tables = [values.like(np.nan, float) for _ in Seen._fields]
    lengths = np.array([entry.shape[-1] for entry in values.entries])
    begins = np.zeros_like(lengths)  # where each is known
    for i, numbers in (late or {}).items():
        begins[i] = lengths[i] - numbers[0]
    for t in range(lengths.max(initial=0)):
        (which,) = np.nonzero(lengths > t)
        points = np.array([values.entries[i][t] for i in which], dtype=float)
        opinions = np.zeros(len(which))
        if panel.labels is not None:
            labels = [panel.labels.entries[i][t] for i in which]
            opinions = log_odds_of(np.array(labels))
        for table, column in zip(
            tables,
            particles.update(which, points, opinions, begins[which] <= t),
        ):
            for i, number in zip(which, column):
                table.entries[i][t] = number
    return Found(*tables)
