"""
What tests that know no framework want to see of MXNet.
"""

import random

import mxnet as mx
import numpy as np
from gluonts.core.component import validated
from gluonts.model.estimator import Estimator
from gluonts.mx.trainer.callback import Callback


def disturb() -> None:
    """Move all generators that GluonTS on MXNet draws from."""
    random.random()
    np.random.random(5)
    mx.nd.random.uniform(shape=5).asnumpy()


def seed_everything(seed: int) -> None:
    np.random.seed(seed)
    mx.random.seed(seed)


def weights_of(network: mx.gluon.Block) -> np.ndarray:
    """All weights of a network in one row."""
    return np.concatenate(
        [p.data().asnumpy().ravel() for p in network.collect_params().values()]
    )


class Losses(Callback):
    """Keeps the loss of each epoch."""

    @validated()
    def __init__(self) -> None:
        self.losses: list[float] = []

    def on_train_epoch_end(
        self, epoch_no, epoch_loss, training_network, trainer
    ):
        self.losses.append(epoch_loss)
        return True


class NoTraining(Callback):
    """Training must not begin."""

    @validated()
    def __init__(self) -> None:
        pass

    def on_train_start(self, max_epochs):
        raise AssertionError("training has begun")


def callbacks_of(estimator: Estimator) -> list[Callback]:
    """The user's callbacks, and those that GluonTS adds to them."""
    return estimator.trainer.callbacks.callbacks
