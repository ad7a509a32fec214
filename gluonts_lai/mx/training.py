"""
One optimisation run on MXNet.
"""

import copy
import logging
from pathlib import Path
from typing import Any, Iterable, Iterator, Optional, Sequence

import mxnet as mx
from gluonts.mx.model.estimator import GluonEstimator
from gluonts.mx.model.predictor import GluonPredictor
from gluonts.mx.trainer import Trainer
from gluonts.mx.trainer.callback import Callback, CallbackList, WarmStart
from gluonts.mx.trainer.learning_rate_scheduler import LearningRateReduction
from gluonts.mx.trainer.model_averaging import ModelAveraging
from gluonts.mx.trainer.model_iteration_averaging import (
    ModelIterationAveraging,
)
from mxnet.gluon import Block, HybridBlock

from gluonts_lai.nominal.training import Epochs, NetworkTraining
from gluonts_lai.panel import Panel
from gluonts_lai.seeds import derived
from gluonts_lai.transform import Clean

from . import saving
from .loader import KNOWN, window_loader
from .randomness import seed_everything, seeded
from .scaling import can_scale, leave_flat_windows
from .scoring import Nominal

logger = logging.getLogger(__name__)


class Training(NetworkTraining):
    """The wrapped estimator's own training run on MXNet."""

    def own(self, estimator: GluonEstimator) -> GluonEstimator:
        estimator = with_own_blocks(estimator)
        estimator.trainer = own_trainer(estimator.trainer)
        return estimator

    def create_network(self) -> Block:
        return self.estimator.create_training_network()

    def can_scale(self) -> bool:
        return can_scale(self.estimator, self.network)

    @property
    def num_epochs(self) -> int:
        return self.estimator.trainer.epochs

    def nominal(self) -> Nominal:
        with self.estimator.trainer.ctx:
            # Blocks of the training network are hybridized: not to be shared.
            predictor = with_own_blocks(self.estimator).create_predictor(
                self.transformation, self.network
            )
        if self.scaling:
            leave_flat_windows(predictor.prediction_net)
        return Nominal(predictor, self.context_length, self.scaling, self.seed)

    def run(
        self,
        epochs: Iterator[Clean],
        validation: Optional[Panel] = None,
        shuffle_buffer_length: Optional[int] = None,
    ) -> GluonPredictor:
        trainer = self.estimator.trainer
        if self.scaling:
            leave_flat_windows(self.network)
        if self.left is not None:
            trainer.epochs -= self.begin
            # Weights are those that were saved, not those of a warm start.
            others = [c for c in self.callbacks if type(c) is not WarmStart]
            trainer.callbacks = CallbackList([*others, SeedAgain(self)])
        with seeded(self.seed):
            self.network.initialize(
                ctx=trainer.ctx, init=trainer.init, force_reinit=True
            )
            trainer(
                net=self.network,
                train_iter=Epochs(self, epochs, shuffle_buffer_length),
                validation_iter=self.validation_loader(validation),
            )
        return self.nominal().predictor

    def save(self, folder: Path) -> None:
        saving.save(folder, self.network, self.callbacks)

    def load(self, folder: Path) -> None:
        saving.load(folder, self.network, self.callbacks)

    @property
    def callbacks(self) -> list[Callback]:
        return self.estimator.trainer.callbacks.callbacks

    def forgetful(self) -> list[str]:
        known = (LearningRateReduction, WarmStart)
        return [
            type(callback).__name__
            for callback in self.callbacks
            if vars(callback) and type(callback) not in known
        ]

    def seed_everything(self, seed: int) -> None:
        seed_everything(seed)

    def window_loader(
        self, data: Sequence[dict], context_length: Optional[int]
    ) -> Optional[Iterable[dict]]:
        if type(self.estimator) not in KNOWN:
            return None
        return window_loader(
            self.estimator, self.network, data, context_length
        )

    def gluonts_loader(
        self, data: Sequence[dict], is_validation: bool, **kwargs: Any
    ) -> Iterable[dict]:
        if is_validation:
            return self.estimator.create_validation_data_loader(data)
        return self.estimator.create_training_data_loader(data, **kwargs)


class SeedAgain(Callback):
    """
    Let an epoch in which a run goes on draw what it would have drawn.

    GluonTS asks a network once before its first epoch, and some of them draw.
    """

    def __init__(self, training: Training) -> None:
        self.training = training

    def on_network_initializing_end(
        self, training_network: HybridBlock
    ) -> None:
        training = self.training
        mx.random.seed(derived(training.seed, training.begin))


def with_own_blocks(estimator: GluonEstimator) -> GluonEstimator:
    """
    A copy that shares no weights.

    Some estimators make parts of their network when they are made themselves,
    and every training goes on with them.
    """
    own = copy.copy(estimator)
    blocks = [name for name, x in vars(own).items() if isinstance(x, Block)]
    if blocks and hasattr(estimator, "__init_args__"):
        fresh = type(estimator)(**estimator.__init_args__)
        for name in blocks:
            setattr(own, name, getattr(fresh, name))
    return own


def own_trainer(trainer: Trainer) -> Trainer:
    """
    A trainer that gives back its last weights.

    Losses under different masks cannot be compared: the "best" epoch may be
    one whose mask had left little to explain.
    """
    trainer = copy.copy(trainer)
    trainer.halt = False
    callbacks = []
    for callback in trainer.callbacks.callbacks:
        if isinstance(callback, (ModelAveraging, ModelIterationAveraging)):
            logger.debug("%s is left out.", type(callback).__name__)
        elif type(callback) is LearningRateReduction:
            # It remembers the losses of an earlier run.
            callbacks.append(LearningRateReduction(**callback.__init_args__))
        else:
            callbacks.append(callback)
    trainer.callbacks = CallbackList(callbacks)
    return trainer
