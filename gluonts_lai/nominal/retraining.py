"""
Estimators with no epochs to cut open: trained again in each round.

Trees and their like know by heart what they were trained on, anomalies and
all. So each half of a series is judged by a predictor that was trained on the
other half; the predictor that is given back is trained on both.
"""

import copy
from typing import Any, Callable, Iterator, Optional

from gluonts.model.estimator import Estimator
from gluonts.model.predictor import Predictor

from gluonts_lai.entries import stretch
from gluonts_lai.panel import Panel
from gluonts_lai.transform import Clean, TreatAnomalies

from .crossed import Crossed
from .pasts import prediction_length_of
from .protocol import Nominal

# Each round is two trainings: few must do.
NUM_ROUNDS = 4


class Retraining:
    """
    An estimator, trained on cleaned data from scratch, again and again.

    ``nominal_of`` tells how a predictor is to be asked.
    """

    prepared = None  # what it makes of data is known once it is trained
    num_epochs = NUM_ROUNDS
    scaling = False
    has_observed = False
    can_hold_out = False  # halves that judge one another need no more
    is_anew = True  # each epoch begins from scratch

    def __init__(
        self,
        estimator: Estimator,
        panel: Panel,
        context_length: int,
        window_scaling: Any,
        seed: int,
        nominal_of: Callable[..., Nominal],
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
        self.halves: list[Predictor] = []

    @property
    def looks_ahead(self) -> bool:
        """Whether points are scored from further than one step before."""
        return prediction_length_of(self.estimator) > 1

    def nominal(self) -> Nominal:
        """Predictors of the halves of series, each trained on the other."""
        if not self.halves:
            self.fit_halves(Clean.as_observed(self.panel.values), [])
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
        for epoch in range(self.num_epochs):
            clean = next(epochs)
            if epoch or not self.halves:
                self.fit_halves(clean, more)
        return self.fit(self.entries(clean), more)

    def fit_halves(self, clean: Clean, more: list) -> None:
        """Train on the second halves of series, and on the first."""
        entries = self.entries(clean)
        middles = [entry["target"].shape[-1] // 2 for entry in entries]
        ahead = prediction_length_of(self.estimator)
        if max(middles) < 2 * (self.context_length + ahead):
            self.halves = [self.fit(entries, more)]  # too short to be cut
            return
        firsts = [stretch(e, 0, m) for e, m in zip(entries, middles)]
        seconds = [stretch(e, m) for e, m in zip(entries, middles)]
        self.halves = [self.fit(half, more) for half in (seconds, firsts)]

    def fit(self, entries: list[dict], more: list) -> Predictor:
        return copy.deepcopy(self.estimator).train(entries, *more)

    def entries(self, clean: Clean) -> list[dict]:
        """The series that have any value, cleaned."""
        treat = TreatAnomalies(clean.targets.entries, clean.observed.entries)
        treated = treat(iter(self.panel.entries), is_train=True)
        usable = self.panel.has_values()
        return [
            entry for entry, is_usable in zip(treated, usable) if is_usable
        ]
