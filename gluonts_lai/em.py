"""
Monte Carlo EM: forecaster and indicator, in turns.

Each point of the training set comes from one of two sources, told apart by a
hidden bit ``z[t]``: the forecaster, p⁺(x[t] | clean past), or something else,
p⁻(x[t]). Neither the bits nor the forecaster are known; each would be easy to
learn from the other. So they take turns:

    for each round:
        E   clean the past of every point by filtering; log p⁺ and log p⁻ of
            every point, hence the posterior of z
        M   for each of num_paths epochs: draw a path z from the posterior,
            clean the points with z = 1 away, train the network for an epoch;
            then re-estimate the chain and p⁻ from the paths

Where a forecaster leaves more than ``max_anomaly_share`` of the points
unexplained, it is not the points: it goes on learning from all of them.

The training loop belongs to the wrapped estimator: it asks for the data of one
epoch after the other, and :meth:`MonteCarloEM.epochs` has them.
"""

import logging
import time
from typing import Any, Callable, Generator, Iterator, Optional

import numpy as np
from gluonts.gluonts_tqdm import tqdm

from gluonts_lai.anomalous import Uniform
from gluonts_lai.calibration import (
    Calibration,
    Shape,
    calibrate,
    looks,
    mean_widening,
    tails,
)
from gluonts_lai.detector import Manner, filter_of
from gluonts_lai.evidence import Evidence
from gluonts_lai.filtering import Filter
from gluonts_lai.nominal.protocol import Nominal
from gluonts_lai.nominal.scaling import series_scales
from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table
from gluonts_lai.profiles import profiles_of, refitted
from gluonts_lai.recipe import Recipe
from gluonts_lai.rounds import History, Round
from gluonts_lai.transform import Clean, Treatment
from gluonts_lai.transitions import (
    chains_of,
    expected_transitions,
    guarded,
    not_longer,
    sampled_transitions,
)
from gluonts_lai.workers.survey import survey

logger = logging.getLogger(__name__)

# Points to score in an E-step, as a multiple of those that there are: each
# round begins with the clean contexts of the last one.
BUDGET = 3.0


class MonteCarloEM:
    """
    What goes from round to round, and the steps on it.

    Parameters
    ----------
    panel
        The training set.
    prepared
        The same, as the forecaster wants it; None to prepare it at each look.
    recipe
        What the user chose.
    context_length
        Points that the forecaster looks back on.
    rng
        Where paths are drawn from.
    """

    def __init__(
        self,
        panel: Panel,
        prepared: Any,
        recipe: Recipe,
        context_length: int,
        rng: np.random.Generator,
    ) -> None:
        self.panel = panel
        self.prepared = prepared
        self.recipe = recipe
        self.rng = rng
        self.treatment = Treatment.of(
            panel.values, recipe.treatment, max_run=context_length
        )
        self.chain = recipe.chain  # of the data set as a whole
        self.chains = [recipe.chain] * len(panel.entries)
        self.shares: Optional[Table] = None  # how anomalous each point is
        self.profiles = profiles_of(
            panel.values,
            series_scales(panel.values, context_length),
            recipe.anomalous,
            recipe.widening,
        )
        self.residual_scale: Optional[float] = None
        self.clean = Clean.as_observed(panel.values)
        self.contexts = self.clean.targets.part(slice(None))
        self.calibration = Calibration.of(
            Shape(recipe.widening), len(panel.entries)
        )
        self.held_out: Optional[Table] = None
        if recipe.num_held_epochs:
            self.held_out = tails(panel.values)
        self.is_guarded = False
        self.history = History()
        self.epoch = 0

    def epochs(
        self, nominal: Callable[[], Nominal], keep: Callable[[], None]
    ) -> Generator[Clean, None, None]:
        """
        The data of one epoch after the other, for as long as asked.

        Between rounds, where it can go on another time, ``keep`` is called.
        """
        while self.epoch < self.recipe.num_warmup_epochs:
            if self.epoch % self.recipe.num_paths == 0:
                keep()
            yield from self.train()
        while True:
            keep()
            if self.epoch >= self.recipe.num_held_epochs:
                self.release(nominal())
            yield from self.round(nominal())

    def round(self, nominal: Nominal) -> Iterator[Clean]:
        """E, and the epochs of M: what it found is gone afterwards."""
        evidence, expected = self.expect(nominal)
        if not self.is_explained:  # not yet: it goes on learning
            self.clean = Clean.as_observed(self.panel.values)
            yield from self.train()
            return
        paths = []
        for _ in range(self.recipe.num_paths):
            paths.append(self.draw(evidence, expected))
            yield from self.train()
        self.maximise(evidence, paths)

    def train(self) -> Iterator[Clean]:
        """Hand over the data of an epoch: the network learns meanwhile."""
        self.epoch += 1
        if self.held_out is None:
            yield self.clean
            return
        observed = self.clean.observed.map(
            lambda seen, held: seen & ~held, self.held_out
        )
        yield self.clean._replace(observed=observed)

    @property
    def is_explained(self) -> bool:
        """Whether the forecaster explains as many points as it has to."""
        flagged = self.history[-1].share_flagged
        return flagged <= self.recipe.max_anomaly_share

    def finish(self, nominal: Nominal) -> None:
        """One last round, so that the chain belongs to the last weights."""
        self.release(nominal)
        self.be_calibrated()
        evidence, expected = self.expect(nominal)
        num_paths = self.recipe.num_paths
        if self.is_explained:
            paths = [self.draw(evidence, expected) for _ in range(num_paths)]
            self.maximise(evidence, paths)

    def release(self, nominal: Nominal) -> None:
        """Calibrate on what was held out; from now on, it is learned from."""
        if self.held_out is not None:
            self.calibrate(nominal, self.held_out)
            self.held_out = None

    def calibrate(self, nominal: Nominal, held_out: Table) -> None:
        """How sure may the forecaster be, of points it was not trained on?"""
        known = self.panel, self.profiles, self.recipe
        self.calibration = calibrate(
            looks(nominal, *known, held_out, self.prepared),
            self.calibration.pooled,
        )

    def be_calibrated(self) -> None:
        """Take densities for what they were found to be."""
        self.profiles = [
            profile._replace(**shape._asdict())
            for profile, shape in zip(self.profiles, self.calibration.each)
        ]

    def expect(self, nominal: Nominal) -> tuple[Evidence, Table]:
        """E: which points does the forecaster not explain?"""
        begin = time.perf_counter()
        evidence = Evidence.unknown(self.panel.values)
        expected = self.panel.values.like(np.nan, self.panel.values.dtype)
        parts = self.panel.parts()
        looks = survey(
            nominal,
            parts,
            lambda part: (
                self.filter(nominal, part),
                self.contexts.part(part),
            ),
        )
        bar = tqdm(parts)
        for part, look in zip(bar, looks):
            self.contexts.put(part, look.targets)
            evidence.put(part, look.evidence)
            expected.put(part, look.expected)
            # A part may have no point forecast, where others have some.
            self.residual_scale = look.residual_scale or self.residual_scale
            if part.stop == len(self.panel.entries):
                self.record(evidence, time.perf_counter() - begin)
                bar.set_postfix(self.history[-1].news())
        return evidence, expected

    def filter(self, nominal: Nominal, part: slice) -> Filter:
        """A forecaster and the indicator, at work on some of the series."""
        return filter_of(
            nominal,
            self.panel.part(part),
            self.chains[part],
            self.profiles[part],
            Manner("smooth", self.recipe.treatment),
            self.prepared and self.prepared.part(part),
        )._replace(budget=BUDGET)

    def draw(self, evidence: Evidence, expected: Table) -> Table:
        """A path z from the posterior, and the data without its anomalies."""
        path = evidence.sample(self.chains, self.rng)
        self.clean = self.treatment.clean(self.panel.values, path, expected)
        return path

    def maximise(self, evidence: Evidence, paths: list[Table]) -> None:
        """M: the chain and p⁻ that the paths make most likely."""
        recipe = self.recipe
        if recipe.transitions == "sampled":
            counts = sampled_transitions(paths)
        else:
            counts = expected_transitions(evidence, self.chains)
        chains = chains_of(counts, recipe.chain, recipe.chain_scope)
        chains = not_longer(chains, self.treatment.max_run)
        self.chain, *self.chains = guarded(chains, recipe.max_anomaly_share)
        self.is_guarded = [self.chain, *self.chains] != chains
        if not isinstance(recipe.anomalous, Uniform):
            self.shares = paths[0].map(
                lambda *z: np.mean(z, axis=0), *paths[1:]
            )
            self.profiles = refitted(
                self.profiles,
                self.panel.values,
                recipe.anomalous,
                self.shares,
            )

    def record(self, evidence: Evidence, seconds: float) -> None:
        """Keep what the round found, and tell whoever listens."""
        self.history.append(
            Round(
                self.epoch,
                *evidence.outcome(self.chains),
                float(np.mean([chain.p_enter for chain in self.chains])),
                float(np.mean([chain.p_stay for chain in self.chains])),
                seconds,
                mean_widening([p.widening for p in self.profiles]),
            )
        )
        logger.info(
            "EM after epoch %(epoch)s: %(flagged)s of the points flagged, "
            "p_enter %(p_enter)s, p_stay %(p_stay)s",
            self.history[-1].news(),
        )
