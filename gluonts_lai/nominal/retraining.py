"""
Estimators with no epochs to cut open: trained again in each round.
"""

import copy
from typing import Any, Callable, Iterator, Optional

from gluonts.model.estimator import Estimator
from gluonts.model.predictor import Predictor

from gluonts_lai.panel import Panel
from gluonts_lai.transform import Clean, TreatAnomalies

from .pasts import prediction_length_of
from .protocol import Nominal

# Each round is a whole training: few must do.
NUM_TRAININGS = 4


class Retraining:
    """
    An estimator, trained on cleaned data from scratch, again and again.

    ``nominal_of`` tells how a predictor is to be asked.
    """

    prepared = None  # what it makes of data is known once it is trained
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
        self.predictor: Optional[Predictor] = None

    @property
    def looks_ahead(self) -> bool:
        """Whether points are scored from further than one step before."""
        return prediction_length_of(self.estimator) > 1

    def nominal(self) -> Nominal:
        assert self.predictor is not None
        return self.nominal_of(
            self.predictor, self.context_length, self.scaling, self.seed
        )

    def run(
        self,
        epochs: Iterator[Clean],
        validation: Optional[Panel] = None,
        shuffle_buffer_length: Optional[int] = None,
    ) -> Predictor:
        """Train on what each epoch brings; give the last predictor."""
        usable = self.panel.has_values()
        for _ in range(self.num_epochs):
            clean = next(epochs)
            treat = TreatAnomalies(
                clean.targets.entries, clean.observed.entries
            )
            data = [
                entry
                for entry, is_usable in zip(
                    treat(iter(self.panel.entries), is_train=True), usable
                )
                if is_usable
            ]
            more = [] if validation is None else [validation.entries]
            self.predictor = copy.deepcopy(self.estimator).train(data, *more)
        assert self.predictor is not None
        return self.predictor
