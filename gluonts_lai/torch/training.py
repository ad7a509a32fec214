"""
One optimisation run on PyTorch.
"""

import copy
import logging
import math
from contextlib import nullcontext
from pathlib import Path
from typing import (
    Any,
    Callable,
    Iterable,
    Iterator,
    Optional,
    Sequence,
    TypeVar,
)

import lightning.pytorch as pl
from gluonts.torch.model.estimator import PyTorchLightningEstimator
from gluonts.torch.model.predictor import PyTorchPredictor

from gluonts_lai.nominal.network import parts
from gluonts_lai.nominal.training import Epochs, NetworkTraining
from gluonts_lai.origin import digest_of
from gluonts_lai.panel import Panel
from gluonts_lai.seeds import derived
from gluonts_lai.transform import Clean

from . import saving
from .device import where
from .loader import KNOWN, window_loader
from .randomness import seed_everything, seeded
from .ranks import Plan, Ranks, losses_of_all
from .scaling import can_scale, leave_flat_windows
from .scoring import Nominal

logger = logging.getLogger(__name__)

# What Lightning takes for no limit at all.
MANY_EPOCHS = 1_000
T = TypeVar("T")


class Training(NetworkTraining):
    """The wrapped estimator's own training run on PyTorch."""

    def own(
        self, estimator: PyTorchLightningEstimator
    ) -> PyTorchLightningEstimator:
        estimator = copy.copy(estimator)
        kwargs = own_trainer_kwargs(estimator.trainer_kwargs)
        estimator.trainer_kwargs = kwargs
        self.trainer = pl.Trainer(**{"accelerator": "auto", **kwargs})
        self.ranks = Ranks(self.trainer)
        return estimator

    def create_network(self) -> pl.LightningModule:
        network = self.estimator.create_lightning_module()
        # Weights are shared: it shows the network as it is at any time.
        self.predictor = self.estimator.create_predictor(
            self.transformation, network
        )
        return network

    def can_scale(self) -> bool:
        _, cutting = parts(self.predictor)
        return can_scale(self.estimator, cutting)

    @property
    def num_epochs(self) -> int:
        kwargs = self.estimator.trainer_kwargs
        limits = [kwargs.get("max_epochs") or -1]
        batches = getattr(self.estimator, "num_batches_per_epoch", None)
        if batches and (kwargs.get("max_steps") or -1) > 0:
            limits.append(math.ceil(kwargs["max_steps"] / batches))
        if kwargs.get("fast_dev_run"):
            limits.append(1)
        return min((n for n in limits if n > 0), default=MANY_EPOCHS)

    def nominal(self) -> Nominal:
        # Lightning moves the network; its inputs must follow it.
        self.predictor.device = where(self.network).device
        return Nominal(
            self.predictor, self.context_length, self.scaling, self.seed
        )

    def run(
        self,
        epochs: Iterator[Clean],
        validation: Optional[Panel] = None,
        shuffle_buffer_length: Optional[int] = None,
    ) -> PyTorchPredictor:
        if self.scaling:
            leave_flat_windows(self.network)
        together: Any = nullcontext()
        if self.ranks.are_many:
            epochs = self.shared(epochs)
            together = losses_of_all(self.network)
        loader: Any = Epochs(self, epochs, shuffle_buffer_length)
        if self.begin:
            saving.count_epochs(self.trainer, self.begin)
            loader = saving.Resumed(loader)
        with seeded(self.seed), together:
            self.trainer.fit(
                model=self.network,
                train_dataloaders=loader,
                val_dataloaders=self.validation_loader(validation),
            )
        if self.ranks.are_many:
            self.ranks.share_buffers(self.network)
        # Weights may have been trained with another precision.
        self.network.float()
        self.predictor = self.estimator.create_predictor(
            self.transformation, self.network
        )
        return self.predictor

    def shared(self, epochs: Iterator[Clean]) -> Iterator[Clean]:
        """The epochs of the first rank, once all are there."""
        entries, values = self.prepared.entries, self.prepared.values.entries
        data = digest_of(
            {**entry, "target": target}
            for entry, target in zip(entries, values)
        )
        plan = Plan(data, self.begin, self.seed)
        self.seed = self.ranks.agree(plan).seed
        yield from self.ranks.epochs(epochs, self.prepared.values)

    def once(self, work: Callable[[], T]) -> T:
        return self.ranks.once(work)

    @property
    def is_first(self) -> bool:
        return self.ranks.rank == 0

    def save(self, folder: Path) -> None:
        saving.save(folder, self.trainer)

    def load(self, folder: Path) -> None:
        saving.load(folder, self.trainer)

    def forgetful(self) -> list[str]:
        return [
            type(callback).__name__
            for callback in self.estimator.trainer_kwargs["callbacks"]
            if vars(callback)
        ]

    def seed_everything(self, seed: int) -> None:
        # Ranks that draw the same windows would learn nothing from another.
        rank = self.ranks.rank
        seed_everything(derived(seed, rank) if rank else seed)

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
        make = (
            self.estimator.create_validation_data_loader
            if is_validation
            else self.estimator.create_training_data_loader
        )
        return make(data, self.network, **kwargs)


class LearnFromFinite(pl.Callback):
    """
    A batch whose gradients are not finite teaches nothing.

    GluonTS leaves it out on MXNet; here one of them would ruin all weights.
    """

    def on_before_optimizer_step(
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,
        optimizer: Any,
    ) -> None:
        gradients = (p.grad for p in pl_module.parameters())
        total: Any = sum(g.sum() for g in gradients if g is not None)
        if not math.isfinite(total):
            if trainer.is_global_zero:
                logger.warning("A batch without a finite loss is left out.")
            optimizer.zero_grad()


def own_trainer_kwargs(kwargs: dict) -> dict:
    """
    The user's arguments for Lightning, and nothing that nobody asked for.

    GluonTS would write checkpoints and load back the "best" of them: losses
    under different masks cannot be compared, so the last weights are kept.
    Callbacks stay the user's own; so does a checkpoint among them.
    """
    callbacks = kwargs.get("callbacks") or []
    if not isinstance(callbacks, (list, tuple)):
        callbacks = [callbacks]
    saves = any(isinstance(c, pl.callbacks.Checkpoint) for c in callbacks)
    return {
        "logger": False,
        "enable_checkpointing": saves,
        **kwargs,
        "callbacks": [*callbacks, LearnFromFinite()],
    }
