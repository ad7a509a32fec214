"""
Estimators with no epochs to cut open: trained again in each round.

Trees and their like know by heart what they were trained on, anomalies and
all. So each half of a series is judged by a predictor that was trained on the
other half; the predictor that is given back is trained on both.
"""

import copy
from pathlib import Path
from typing import (
    Any,
    Callable,
    ContextManager,
    Iterator,
    Optional,
    TypeVar,
)

import numpy as np
from gluonts.model.estimator import Estimator
from gluonts.model.predictor import Predictor

from gluonts_lai.checkpoint import Checkpoint
from gluonts_lai.panel import Panel
from gluonts_lai.panel.entries import stretch
from gluonts_lai.panel.table import flat, unflat
from gluonts_lai.seeds import derived
from gluonts_lai.transform import Clean, TreatAnomalies

from .crossed import Crossed
from .pasts import prediction_length_of
from .protocol import Nominal

# Each round is two trainings: few must do.
NUM_ROUNDS = 4
SAVED = "cleaned.npz"
T = TypeVar("T")


class Retraining:
    """
    An estimator, trained on cleaned data from scratch, again and again.

    ``nominal_of`` tells how a predictor is to be asked, ``seeded`` lets all
    that may draw do so from a seed for a while. Each step has a seed of its
    own, whatever was drawn before it.
    """

    prepared = None  # what it makes of data is known once it is trained
    num_epochs = NUM_ROUNDS
    scaling = False
    has_observed = False
    can_hold_out = False  # halves that judge one another need no more
    is_anew = True  # each epoch begins from scratch
    is_first = True  # of the processes that train together

    def __init__(
        self,
        estimator: Estimator,
        panel: Panel,
        context_length: int,
        window_scaling: Any,
        seed: int,
        nominal_of: Callable[..., Nominal],
        seeded: Callable[[int], ContextManager],
    ) -> None:
        if window_scaling is True:
            raise ValueError(
                "window_scaling=True needs a network whose batches can be "
                f"seen, got {type(estimator).__name__}; use 'auto' or False."
            )
        self.estimator = estimator
        self.panel = panel
        self.context_length = context_length
        self.seed = seed
        self.nominal_of = nominal_of
        self.seeded = seeded
        self.halves: list[Predictor] = []
        self.begin = 0  # rounds before an interruption
        self.clean = Clean.as_observed(panel.values)  # of the last round
        self.has_more = False  # whether validation data were seen in it

    def nominal(self) -> Nominal:
        """Predictors of the halves of series, each trained on the other."""
        if not self.halves:
            self.fit_halves(self.clean, [], 0)
        settings = (self.context_length, self.scaling, self.seed)
        return Crossed(
            [self.nominal_of(half, *settings) for half in self.halves]
        )

    def run(
        self,
        epochs: Iterator[Clean],
        validation: Optional[Panel] = None,
        shuffle_buffer_length: Optional[int] = None,
    ) -> Predictor:
        """Train on what each epoch brings; give a predictor of the last."""
        more = [] if validation is None else [validation.entries]
        if self.begin:
            seen = more if self.has_more else []
            self.fit_halves(self.clean, seen, self.begin - 1)
        for epoch in range(self.begin, self.num_epochs):
            with self.seeded(derived(self.seed, epoch, 0)):
                self.clean = next(epochs)
            if epoch or not self.halves:
                self.fit_halves(self.clean, more, epoch)
        with self.seeded(derived(self.seed, self.num_epochs, 1)):
            return self.fit(self.entries(self.clean), more)

    def save(self, folder: Path) -> None:
        """
        Write what the last round was trained on.

        Predictors are not: each is what comes of the same data and seed.
        """
        np.savez(
            folder / SAVED,
            targets=flat(self.clean.targets),
            observed=flat(self.clean.observed),
            has_more=self.has_more,
        )

    def go_on(self, left: Checkpoint) -> None:
        """Begin where another run was when it left this."""
        self.begin = left.epoch
        left.read(self.load)

    def load(self, folder: Path) -> None:
        with np.load(folder / SAVED, allow_pickle=False) as saved:
            self.clean = Clean(
                unflat(saved["targets"], self.panel.values),
                unflat(saved["observed"], self.panel.values),
            )
            self.has_more = bool(saved["has_more"])

    def forgetful(self) -> list[str]:
        return []

    def once(self, work: Callable[[], T]) -> T:
        return work()

    def fit_halves(self, clean: Clean, more: list, epoch: int) -> None:
        """Train on the second halves of series, and on the first."""
        self.has_more = bool(more)
        with self.seeded(derived(self.seed, epoch, 1)):
            self.halves = self.fitted_halves(clean, more)

    def fitted_halves(self, clean: Clean, more: list) -> list[Predictor]:
        entries = self.entries(clean)
        middles = [entry["target"].shape[-1] // 2 for entry in entries]
        ahead = prediction_length_of(self.estimator)
        if max(middles) < 2 * (self.context_length + ahead):
            return [self.fit(entries, more)]  # too short to be cut
        firsts = [stretch(e, 0, m) for e, m in zip(entries, middles)]
        seconds = [stretch(e, m) for e, m in zip(entries, middles)]
        return [self.fit(half, more) for half in (seconds, firsts)]

    def fit(self, entries: list[dict], more: list) -> Predictor:
        estimator = copy.deepcopy(self.estimator)
        try:
            return estimator.train(entries, *more)
        except (AssertionError, ValueError) as error:  # it refuses data
            raise ValueError(
                f"series must be such that {type(estimator).__name__} can be "
                f"trained on them, got {type(error).__name__} "
                f"({error!s:.200}); look at their shapes and lengths, or wrap "
                "another estimator."
            ) from error

    def entries(self, clean: Clean) -> list[dict]:
        """The series that have any value, cleaned."""
        treat = TreatAnomalies(clean.targets.entries, clean.observed.entries)
        treated = treat(iter(self.panel.entries), is_train=True)
        usable = self.panel.has_values()
        return [
            entry for entry, is_usable in zip(treated, usable) if is_usable
        ]
