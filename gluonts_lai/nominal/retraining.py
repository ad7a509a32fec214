"""
Estimators with no epochs to cut open: trained again in each round.
"""

import copy
from typing import Any, Callable, Iterator, Optional

import numpy as np
from gluonts.model.estimator import Estimator
from gluonts.model.predictor import Predictor

from gluonts_lai.panel import Panel
from gluonts_lai.transform import Clean, TreatAnomalies

from .pasts import prediction_length_of
from .protocol import Nominal

# Each round is a whole training: few must do.
NUM_TRAININGS = 4
# Share of a series that is trained on where the rest is held out.
SEEN = 0.7


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

    def held_out(self) -> tuple[Nominal, Panel]:
        """
        A forecaster that has not seen the ends of series, and these ends.

        Trees know what they were trained on by heart.
        """
        heads, tails = [], []
        for entry, is_usable in zip(
            self.panel.entries, self.panel.has_values()
        ):
            length = np.shape(entry["target"])[-1]
            end = int(length * SEEN)
            begin = max(0, end - self.context_length)
            if is_usable:
                heads.append(between(entry, length, 0, end))
                tails.append(between(entry, length, begin, length))
        predictor = copy.deepcopy(self.estimator).train(filled(heads))
        nominal = self.nominal_of(
            predictor, self.context_length, self.scaling, self.seed
        )
        return nominal, Panel.of(tails)

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


def between(entry: dict, length: int, begin: int, end: int) -> dict:
    """An entry from ``begin`` to ``end``, and what is known ahead of it."""
    part = dict(entry)
    for name, field in entry.items():
        shape = np.shape(field)
        is_static = name.startswith("feat_static")
        if shape and length <= shape[-1] and not is_static:
            ahead = shape[-1] - length
            part[name] = np.asarray(field)[..., begin : end + ahead]
    part["start"] = entry["start"] + begin
    return part


def filled(entries: list[dict]) -> list[dict]:
    """Entries whose missing values have been filled in."""
    values = Panel.of(entries).values
    clean = Clean.as_observed(values)
    treat = TreatAnomalies(clean.targets.entries, clean.observed.entries)
    return list(treat(iter(entries), is_train=True))
