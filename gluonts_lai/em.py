"""
Monte Carlo EM: forecaster and indicator, in turns.

Each point of the training set comes from one of two sources, told apart by a
hidden bit ``z[t]``: the forecaster, p⁺(x[t] | clean past), or something else,
p⁻(x[t]). Neither the bits nor the forecaster are known; each would be easy to
learn from the other. So they take turns:

    for each round:
        E   log p⁺ and log p⁻ of every point, hence the posterior of z
        M   for each of num_paths epochs: draw a path z from the posterior,
            clean the points with z = 1 away, train the network for an epoch;
            then re-estimate the chain and p⁻ from the paths

The training loop belongs to the wrapped estimator: it asks for the data of one
epoch after the other, and :meth:`MonteCarloEM.epochs` has them.
"""

import logging
import time
from dataclasses import replace
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np
from gluonts.gluonts_tqdm import tqdm

from gluonts_lai.anomalous import AnomalousModel, Uniform
from gluonts_lai.evidence import Evidence, anomalous_densities, fit_anomalous
from gluonts_lai.filtering import COARSE, look_back, settle
from gluonts_lai.indicator import (
    IndicatorChain,
    count_transitions,
    estimate_chain,
)
from gluonts_lai.nominal.protocol import Nominal, Scores
from gluonts_lai.panel import Panel
from gluonts_lai.table import Table
from gluonts_lai.transform import Clean, Treatment

logger = logging.getLogger(__name__)


class Recipe(NamedTuple):
    """What the user chose."""

    chain: IndicatorChain
    anomalous: AnomalousModel
    treatment: str
    num_paths: int
    num_warmup_epochs: int
    transitions: str
    chain_scope: str
    max_anomaly_share: float


class Round(NamedTuple):
    """What one round of EM found."""

    epoch: int  # epochs trained before it
    log_likelihood: float  # of a point on average, z summed out
    share_flagged: float  # share of points with P(z = 1) > 0.5
    p_enter: float
    p_stay: float
    seconds: float  # in the E-step


class MonteCarloEM:
    """The state that goes from round to round, and the steps on it."""

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
        self.chains = [recipe.chain] * len(panel.entries)
        self.anomalous = fit_anomalous(recipe.anomalous, panel.values)
        self.clean = Clean.as_observed(panel.values)
        self.contexts = self.clean.targets
        self.history: list[Round] = []
        self.epoch = 0
        self.is_bounded = False

    def epochs(self, nominal: Callable[[], Nominal]) -> Iterator[Clean]:
        """The data of one epoch after the other, as long as asked."""
        for _ in range(self.recipe.num_warmup_epochs):
            yield from self.train()
        while True:
            evidence, scores = self.expect(nominal())
            paths = []
            for _ in range(self.recipe.num_paths):
                paths.append(self.draw(evidence, scores))
                yield from self.train()
            self.maximise(evidence, paths)

    def train(self) -> Iterator[Clean]:
        """Hand over the data of an epoch; the network learns meanwhile."""
        yield self.clean
        self.epoch += 1

    def finish(self, nominal: Nominal) -> Scores:
        """One last round, so that the chain belongs to the last weights."""
        evidence, scores = self.expect(nominal)
        paths = [
            self.draw(evidence, scores) for _ in range(self.recipe.num_paths)
        ]
        self.maximise(evidence, paths)
        return scores

    def expect(self, nominal: Nominal) -> tuple[Evidence, Scores]:
        """
        E: which points does the forecaster not explain?

        A first look, from further away if the forecaster can, proposes which
        points to clean away; a second look past the clean points decides.
        """
        begin = time.perf_counter()
        log_anomalous = anomalous_densities(self.anomalous, self.panel.values)
        bar = tqdm(range(1))
        for _ in bar:
            problem = (
                nominal,
                self.panel,
                self.prepared,
                self.chains,
                log_anomalous,
                self.treatment,
            )
            settled = settle(*problem, targets=self.contexts, tolerance=COARSE)
            self.contexts = settled.targets
            scores, evidence, _, _ = look_back(*problem, settled)
            self.report(evidence, begin, bar)
        return evidence, scores

    def draw(self, evidence: Evidence, scores: Scores) -> Table:
        """A path z from the posterior, and the data without its anomalies."""
        path = evidence.sample(self.chains, self.rng)
        self.clean = self.treatment.clean(
            self.panel.values, path, scores.expected
        )
        return path

    def maximise(self, evidence: Evidence, paths: list[Table]) -> None:
        """M: the chain and p⁻ that the paths make most likely."""
        self.chains = self.estimate(self.count(evidence, paths))
        if not isinstance(self.recipe.anomalous, Uniform):
            share = paths[0].map(lambda *z: np.mean(z, axis=0), *paths[1:])
            self.anomalous = fit_anomalous(
                self.recipe.anomalous, self.panel.values, share
            )

    def count(self, evidence: Evidence, paths: list[Table]) -> np.ndarray:
        """Transitions of the indicator of each entry."""
        counts = np.zeros((len(self.panel.entries), 2, 2))
        if self.recipe.transitions == "expected":
            for smoothed, owners in zip(
                evidence.smooth(self.chains), evidence.log_normal.owners
            ):
                np.add.at(counts, owners, smoothed.transitions)
            return counts
        for path in paths:
            for block, owners in zip(path.blocks, path.owners):
                np.add.at(counts, owners, count_transitions(block))
        return counts / len(paths)

    def estimate(self, counts: np.ndarray) -> list[IndicatorChain]:
        """One chain for all entries, or one for each."""
        prior = self.recipe.chain
        if self.recipe.chain_scope == "dataset":
            chain = self.guard(estimate_chain(counts.sum(0), prior))
            return [chain] * len(counts)
        return [self.guard(estimate_chain(count, prior)) for count in counts]

    def guard(self, chain: IndicatorChain) -> IndicatorChain:
        """Keep the share of anomalies, in the long run, within bounds."""
        share = self.recipe.max_anomaly_share
        limit = share / (1 - share) * (1 - chain.p_stay)
        self.is_bounded = chain.p_enter > limit
        return replace(chain, p_enter=min(chain.p_enter, limit))

    def report(self, evidence: Evidence, begin: float, bar: Any) -> None:
        """Keep a record of the round, and tell whoever listens."""
        smoothed = evidence.smooth(self.chains)
        num_points = sum(
            np.count_nonzero(~np.isnan(block))
            for block in evidence.log_normal.blocks
        )
        self.history.append(
            Round(
                self.epoch,
                sum(s.log_likelihood.sum() for s in smoothed)
                / max(num_points, 1),
                sum(np.count_nonzero(s.smoothed > 0.5) for s in smoothed)
                / max(self.panel.values.size, 1),
                float(np.mean([chain.p_enter for chain in self.chains])),
                float(np.mean([chain.p_stay for chain in self.chains])),
                time.perf_counter() - begin,
            )
        )
        last = self.history[-1]
        news = {
            "round": len(self.history),
            "flagged": f"{last.share_flagged:.2%}",
            "p_enter": f"{last.p_enter:.4f}",
            "p_stay": f"{last.p_stay:.3f}",
        }
        bar.set_postfix(news)
        logger.info(
            "EM round %(round)s: %(flagged)s of the points flagged, "
            "p_enter %(p_enter)s, p_stay %(p_stay)s",
            news,
        )
