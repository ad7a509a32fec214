"""
One optimisation run on MXNet, over data that change from epoch to epoch.
"""

import copy
import logging
from typing import Any, Iterable, Iterator, Optional

from gluonts.env import env
from gluonts.mx.model.estimator import GluonEstimator
from gluonts.mx.model.predictor import GluonPredictor
from gluonts.mx.trainer import Trainer
from gluonts.mx.trainer.callback import CallbackList
from gluonts.mx.trainer.learning_rate_scheduler import LearningRateReduction
from gluonts.mx.trainer.model_averaging import ModelAveraging
from gluonts.mx.trainer.model_iteration_averaging import (
    ModelIterationAveraging,
)
from mxnet.gluon import Block

from gluonts_lai.nominal.prepared import Prepared
from gluonts_lai.panel import Panel
from gluonts_lai.seeds import derived
from gluonts_lai.transform import Clean

from .loader import KNOWN, WindowLoader
from .randomness import seed_everything, seeded
from .reading import READ_DIRECTLY
from .scaling import can_scale, leave_flat_windows, scale_batch
from .scoring import MXNominal

logger = logging.getLogger(__name__)


class MXTraining:
    """
    The wrapped estimator's own training run, cut open between epochs.

    The estimator and its trainer are copied; the user's callbacks are not, as
    they may be there to be looked at afterwards.

    Parameters
    ----------
    estimator
        Any estimator of GluonTS on MXNet.
    panel
        The training set.
    context_length
        Points that a window looks back on.
    window_scaling
        Whether to scale windows; "auto" where the network allows it.
    seed
        Where chance begins.
    """

    def __init__(
        self,
        estimator: GluonEstimator,
        panel: Panel,
        context_length: int,
        window_scaling: Any,
        seed: int,
    ) -> None:
        self.estimator = own_estimator(estimator, panel, context_length)
        self.context_length = context_length
        self.seed = seed
        self.num_epochs = self.estimator.trainer.epochs
        self.transformation = self.estimator.create_transformation()
        self.network = self.estimator.create_training_network()
        self.scaling = self.scales(window_scaling)
        if self.scaling:
            leave_flat_windows(self.network)
        self.prepared = self.prepare(panel)

    is_anew = False  # each epoch goes on from the last

    @property
    def has_observed(self) -> bool:
        """Whether the network is told which points were observed."""
        return self.prepared.has_observed

    @property
    def looks_ahead(self) -> bool:
        """Whether points are scored from further than one step before."""
        return self.estimator.prediction_length > 1 and not isinstance(
            self.network, READ_DIRECTLY
        )

    def nominal(self) -> MXNominal:
        """The network as it is now."""
        with self.estimator.trainer.ctx:
            # Blocks of the training network are hybridized: not to be shared.
            predictor = with_own_blocks(self.estimator).create_predictor(
                self.transformation, self.network
            )
        if self.scaling:
            leave_flat_windows(predictor.prediction_net)
        return MXNominal(
            predictor, self.context_length, self.scaling, self.seed
        )

    def run(
        self,
        epochs: Iterator[Clean],
        validation: Optional[Panel] = None,
        shuffle_buffer_length: Optional[int] = None,
    ) -> GluonPredictor:
        """Train on what each epoch brings; give the last weights."""
        trainer = self.estimator.trainer
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

    def prepare(self, panel: Panel) -> Prepared:
        return Prepared.of(
            panel,
            self.transformation,
            self.context_length,
            self.estimator.prediction_length + self.estimator.lead_time,
            self.scaling,
        )

    def loader(
        self, data: list[dict], shuffle_buffer_length: Optional[int]
    ) -> Iterable[dict]:
        """Batches of one epoch, endless."""
        if type(self.estimator) in KNOWN and not shuffle_buffer_length:
            length = self.context_length if self.scaling else None
            return WindowLoader(self.estimator, self.network, data, length)
        with env._let(max_idle_transforms=max(len(data), 100)):
            loader = self.estimator.create_training_data_loader(
                data, shuffle_buffer_length=shuffle_buffer_length
            )
        return Scaled(loader, self.context_length) if self.scaling else loader

    def validation_loader(self, panel: Optional[Panel]) -> Any:
        if panel is None:
            return None
        data = self.prepare(panel).treated(Clean.as_observed(panel.values))
        with env._let(max_idle_transforms=max(len(data), 100)):
            loader = self.estimator.create_validation_data_loader(data)
        return Scaled(loader, self.context_length) if self.scaling else loader

    def scales(self, window_scaling: Any) -> bool:
        possible = can_scale(self.estimator, self.network)
        if window_scaling is True and not possible:
            raise ValueError(
                "window_scaling=True needs a network that takes a real-valued "
                f"past and future, got {type(self.estimator).__name__}; use "
                "'auto' or False."
            )
        return possible if window_scaling == "auto" else bool(window_scaling)


class Epochs:
    """
    Batches, made anew each time somebody begins to read them.

    GluonTS's own loader would go on with windows of the last epoch.
    """

    def __init__(
        self,
        training: MXTraining,
        epochs: Iterator[Clean],
        shuffle_buffer_length: Optional[int],
    ) -> None:
        self.training = training
        self.epochs = epochs
        self.shuffle_buffer_length = shuffle_buffer_length
        self.epoch = 0

    def __iter__(self) -> Iterator[dict]:
        training = self.training
        data = training.prepared.treated(next(self.epochs))
        # An epoch draws the same, whatever happened before it.
        seed_everything(derived(training.seed, self.epoch))
        self.epoch += 1
        yield from training.loader(data, self.shuffle_buffer_length)


class Scaled:
    """The batches of a loader, with scaled windows."""

    def __init__(self, loader: Any, context_length: int) -> None:
        self.loader = loader
        self.context_length = context_length

    def __iter__(self) -> Iterator[dict]:
        for batch in self.loader:
            yield scale_batch(batch, self.context_length)[0]


def own_estimator(
    estimator: GluonEstimator, panel: Panel, context_length: int
) -> GluonEstimator:
    """A copy that trains on windows with a real past, and its own trainer."""
    estimator = with_own_blocks(estimator)
    estimator.trainer = own_trainer(estimator.trainer)
    sampler: Any = getattr(estimator, "train_sampler", None)
    if hasattr(sampler, "min_past"):
        ahead = estimator.prediction_length + estimator.lead_time
        longest = max(entry.shape[-1] for entry in panel.values.entries)
        least = context_length if longest >= context_length + ahead else 0
        least = max(sampler.min_past, least)
        estimator.train_sampler = sampler.copy(update={"min_past": least})
    return estimator


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
