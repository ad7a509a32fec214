"""
Estimators with no epochs to cut open: trained again in each round.
"""

import copy
from typing import Any, Iterator, Optional

from gluonts.model.estimator import Estimator
from gluonts.model.predictor import Predictor

from gluonts_lai.panel import Panel
from gluonts_lai.transform import Clean, TreatAnomalies

from .rolling import Rolling

# Each round is a whole training: few must do.
NUM_TRAININGS = 4


class Retraining:
    """An estimator, trained on cleaned data from scratch, again and again."""

    num_epochs = NUM_TRAININGS
    scaling = False
    has_observed = False
    is_anew = True  # each epoch begins from scratch

    def __init__(
        self,
        estimator: Estimator,
        panel: Panel,
        context_length: int,
        window_scaling: Any,
        seed: int,
    ) -> None:
        if window_scaling is True:
            raise ValueError(
                "window_scaling=True needs a network whose batches can be "
                f"seen, got {type(estimator).__name__}; use 'auto' or False."
            )
        self.estimator = estimator
        self.prepared = panel
        self.context_length = context_length
        self.predictor: Optional[Predictor] = None

    @property
    def looks_ahead(self) -> bool:
        """Whether points are scored from further than one step before."""
        return self.estimator.prediction_length > 1

    def nominal(self) -> Rolling:
        assert self.predictor is not None
        return Rolling(self.predictor, self.context_length)

    def run(
        self,
        epochs: Iterator[Clean],
        validation: Optional[Panel] = None,
        shuffle_buffer_length: Optional[int] = None,
    ) -> Predictor:
        """Train on what each epoch brings; give the last predictor."""
        usable = self.prepared.has_values()
        for _ in range(self.num_epochs):
            clean = next(epochs)
            treat = TreatAnomalies(
                clean.targets.entries, clean.observed.entries
            )
            data = [
                entry
                for entry, is_usable in zip(
                    treat(iter(self.prepared.entries), is_train=True), usable
                )
                if is_usable
            ]
            self.predictor = copy.deepcopy(self.estimator).train(
                data, validation.entries if validation is not None else None
            )
        assert self.predictor is not None
        return self.predictor
