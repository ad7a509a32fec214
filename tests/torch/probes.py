"""
What tests that know no framework want to see of PyTorch.
"""

import random

import numpy as np
import torch
from gluonts.core.component import validated
from gluonts.model.estimator import Estimator
from lightning.pytorch.callbacks import Callback


def disturb() -> None:
    """Move all generators that GluonTS on PyTorch draws from."""
    random.random()
    np.random.random(5)
    torch.rand(5)


def seed_everything(seed: int) -> None:
    np.random.seed(seed)
    torch.manual_seed(seed)


def weights_of(network: torch.nn.Module) -> np.ndarray:
    """All weights of a network in one row."""
    return np.concatenate(
        [p.detach().numpy().ravel() for p in network.parameters()]
    )


class Losses(Callback):
    """Keeps the loss of each epoch."""

    @validated()
    def __init__(self) -> None:
        self.losses: list[float] = []

    def on_train_epoch_end(self, trainer, pl_module):
        self.losses.append(float(trainer.callback_metrics["train_loss"]))


class NoTraining(Callback):
    """Training must not begin."""

    @validated()
    def __init__(self) -> None:
        pass

    def on_fit_start(self, trainer, pl_module):
        raise AssertionError("training has begun")


def callbacks_of(estimator: Estimator) -> list[Callback]:
    """The user's callbacks."""
    return estimator.trainer_kwargs["callbacks"]
