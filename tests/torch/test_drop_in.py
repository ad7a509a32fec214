"""
A wrapped estimator on PyTorch does what Lightning was told.
"""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import torch
from gluonts.env import env
from gluonts.model.predictor import Predictor
from lightning.pytorch.callbacks import (
    Callback,
    EarlyStopping,
    ModelCheckpoint,
)
from lightning.pytorch.loggers import CSVLogger

from gluonts_lai import LAIEstimator
from gluonts_lai.torch import Nominal
from tests import contract
from tests.series import dataset
from tests.torch import zoo
from tests.torch.probes import weights_of

# A network that has hardly learned flags much, and nobody cares.
pytestmark = [
    pytest.mark.filterwarnings("ignore:max_anomaly_share should not"),
    pytest.mark.filterwarnings("ignore:the forecaster should explain"),
]


@pytest.fixture(autouse=True)
def no_progress_bar():
    with env._let(use_tqdm=False):
        yield


def make(**kwargs):
    return zoo.CASES["SimpleFeedForward"].make(**kwargs)


@pytest.fixture(scope="module")
def data():
    return dataset("univariate", length=96)[0]


class Watch(Callback):
    """Counts what the trainer does, and looks at the network."""

    def __init__(self):
        self.num_fits = 0
        self.num_batches = 0
        self.trainer = None
        self.epochs = []
        self.rates = []
        self.weights = []
        self.modes = []  # whether all of the network is in training
        self.dtypes = []
        self.gradients = []  # their norms, as the optimiser has seen them
        self.losses = []
        self.val_losses = []

    def on_fit_start(self, trainer, pl_module):
        self.num_fits += 1
        self.trainer = trainer

    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        self.modes.append(all(part.training for part in pl_module.modules()))
        self.dtypes.append(next(pl_module.parameters()).dtype)

    def on_before_zero_grad(self, trainer, pl_module, optimizer):
        grads = [p.grad for p in pl_module.parameters() if p.grad is not None]
        if grads:
            norm = torch.linalg.norm(torch.cat([g.ravel() for g in grads]))
            self.gradients.append(float(norm))

    def on_train_batch_end(self, trainer, pl_module, *batch):
        self.num_batches += 1

    def on_train_epoch_end(self, trainer, pl_module):
        self.epochs.append(trainer.current_epoch)
        self.rates.append(trainer.optimizers[0].param_groups[0]["lr"])
        self.weights.append(weights_of(pl_module))
        self.losses.append(float(trainer.callback_metrics["train_loss"]))

    def on_validation_epoch_end(self, trainer, pl_module):
        if not trainer.sanity_checking:
            loss = trainer.callback_metrics["val_loss"]
            self.val_losses.append(float(loss))


@pytest.fixture
def watch():
    return Watch()


def trained(data, **kwargs):
    """What comes of a training run, with these arguments for Lightning."""
    return LAIEstimator(make(**kwargs), seed=0).train_model(data)


def assert_forecasts(predictor, data):
    contract.check_forecasts(contract.only(predictor), list(data))


# What the trainer was told


def test_the_budget_is_the_trainers(data, watch):
    trained(
        data,
        epochs=7,
        num_batches_per_epoch=5,
        learning_rate=0.0123,
        callbacks=[watch],
    )

    assert watch.num_fits == 1
    assert watch.epochs == list(range(7))
    assert watch.num_batches == 7 * 5
    assert watch.rates == [0.0123] * 7


def test_a_number_of_steps_is_a_budget_too(data, watch):
    output = trained(
        data,
        epochs=-1,
        num_batches_per_epoch=4,
        max_steps=10,
        callbacks=[watch],
    )

    assert watch.num_batches == 10
    assert output.history[-1].epoch == 3


def test_callbacks_are_called_in_every_training(data, watch):
    estimator = make(epochs=2, callbacks=[watch])
    wrapped = LAIEstimator(estimator, seed=0)
    before = dict(estimator.trainer_kwargs)

    for num_fits in (1, 2):
        wrapped.train(data)

        assert watch.num_fits == num_fits
        assert watch.epochs == [0, 1] * num_fits
        assert estimator.trainer_kwargs == before
        assert estimator.trainer_kwargs["callbacks"] == [watch]


def test_a_callback_need_not_be_in_a_list(data, watch):
    trained(data, callbacks=watch)

    assert watch.num_fits == 1


def test_gradients_are_clipped(data):
    clipped, free = Watch(), Watch()

    trained(data, callbacks=[clipped], gradient_clip_val=1e-3)
    trained(data, callbacks=[free])

    # They are divided in single precision.
    assert max(clipped.gradients) < 1e-3 * (1 + 1e-5)
    assert max(free.gradients) > 1e-3


@pytest.mark.parametrize(
    "precision, dtype",
    [("bf16-mixed", torch.float32), ("64-true", torch.float64)],
)
def test_precision_is_the_trainers(data, watch, precision, dtype, tmp_path):
    predictor = trained(data, precision=precision, callbacks=[watch]).predictor

    assert watch.trainer.precision == precision
    assert set(watch.dtypes) == {dtype}
    assert np.isfinite(watch.losses).all()
    assert_forecasts(predictor, data)
    predictor.serialize(tmp_path)
    contract.assert_same_forecasts(
        Predictor.deserialize(tmp_path).predict(data), predictor.predict(data)
    )


def test_the_device_is_the_trainers(data, watch):
    predictor = trained(
        data, accelerator="cpu", devices=1, callbacks=[watch]
    ).predictor

    assert watch.trainer.num_devices == 1
    assert watch.trainer.strategy.root_device == torch.device("cpu")
    assert predictor.base.device == torch.device("cpu")


def test_a_device_can_be_chosen_when_reading_from_disk(data, tmp_path):
    predictor = trained(data).predictor
    predictor.serialize(tmp_path)

    again = Predictor.deserialize(tmp_path, device=torch.device("cpu"))

    contract.assert_same_forecasts(
        again.predict(data), predictor.predict(data)
    )


def test_a_logger_has_the_loss_of_each_epoch(data, watch, tmp_path):
    logger = CSVLogger(tmp_path)

    trained(
        data, epochs=3, logger=logger, log_every_n_steps=1, callbacks=[watch]
    )

    (path,) = tmp_path.rglob("metrics.csv")
    logged = pd.read_csv(path)["train_loss"].dropna()
    np.testing.assert_allclose(logged, watch.losses, rtol=1e-5)


def test_a_checkpoint_is_written_where_the_user_wants_it(data, tmp_path):
    checkpoint = ModelCheckpoint(dirpath=tmp_path / "kept", save_last=True)

    predictor = trained(data, epochs=3, callbacks=[checkpoint]).predictor

    state = torch.load(tmp_path / "kept" / "last.ckpt", weights_only=False)
    assert state["epoch"] == 2
    for name, weights in predictor.base.prediction_net.state_dict().items():
        assert torch.equal(state["state_dict"][name], weights)


def test_early_stopping_stops(data, watch):
    reached = EarlyStopping("train_loss", stopping_threshold=np.inf)

    output = trained(data, epochs=9, callbacks=[watch, reached])

    assert watch.epochs == [0]
    assert output.history[-1].epoch == 1
    assert_forecasts(output.predictor, data)


def test_the_last_weights_are_kept(data, watch, tmp_path):
    best = ModelCheckpoint(dirpath=tmp_path, monitor="train_loss")

    # So large a rate that the last epoch is not the best.
    predictor = trained(
        data, epochs=5, learning_rate=30.0, callbacks=[watch, best]
    ).predictor

    assert watch.losses[-1] > min(watch.losses)
    np.testing.assert_array_equal(
        weights_of(predictor.base.prediction_net), watch.weights[-1]
    )
    assert not np.array_equal(watch.weights[-1], watch.weights[-2])


@pytest.mark.parametrize("name", ["SimpleFeedForward", "TFT"])
def test_validation_data_are_used(data, watch, name):
    estimator = zoo.CASES[name].make(epochs=3, callbacks=[watch])

    LAIEstimator(estimator, seed=0).train(data, validation_data=data)

    assert len(watch.val_losses) == 3
    assert np.isfinite(watch.val_losses).all()
    assert watch.epochs == [0, 1, 2]


# What happens between epochs


def test_the_network_is_in_training_in_each_epoch(data, watch):
    """Also after we have looked at it, without its dropout."""
    estimator = zoo.CASES["PatchTST"].make(
        epochs=5, num_batches_per_epoch=3, callbacks=[watch]
    )

    output = LAIEstimator(estimator, num_paths=1, seed=0).train_model(data)

    assert len(output.history) > 1
    assert watch.modes == [True] * 5 * 3


class Trouble(Exception):
    """Nobody else raises it."""


def test_what_goes_wrong_between_epochs_reaches_the_user(
    data, watch, monkeypatch, tmp_path
):
    trouble = Trouble("in the E-step")

    def score(self, *args, **kwargs):
        raise trouble

    monkeypatch.setattr(Nominal, "score", score)
    # GluonTS 0.17 takes a checkpoint for a success, whatever happened.
    checkpoint = ModelCheckpoint(dirpath=tmp_path, monitor="train_loss")

    with pytest.raises(Trouble) as caught:
        trained(data, epochs=5, callbacks=[watch, checkpoint])

    assert caught.value is trouble
    assert watch.epochs == [0]
    assert list(tmp_path.iterdir())


# What stays as it was


def test_no_files_are_left_behind(data, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    estimator = make()
    del estimator.trainer_kwargs["logger"]

    predictor = LAIEstimator(estimator, seed=0).train(data)
    list(predictor.predict(data))
    list(predictor.detect(data))

    assert list(tmp_path.iterdir()) == []


def test_the_callers_generator_of_pytorch_is_untouched(data):
    torch.rand(3)
    before = torch.get_rng_state()

    predictor = LAIEstimator(zoo.CASES["DeepAR"].make(), seed=0).train(data)
    list(predictor.predict(data))
    list(predictor.detect(data))

    assert torch.equal(torch.get_rng_state(), before)


SAY = """
import sys
from gluonts.env import env
from gluonts_lai import LAIEstimator
from tests.series import dataset
from tests.torch import zoo

estimator = zoo.CASES["SimpleFeedForward"].make(
    epochs=12, num_batches_per_epoch=20, learning_rate=0.01
)
if sys.argv[1] == "wrapped":
    estimator = LAIEstimator(estimator, seed=0)
data, _ = dataset("univariate")
with env._let(use_tqdm=False):
    list(estimator.train(data).predict(data))
"""


def test_wrapped_it_says_no_more_than_it_would(tmp_path, pytestconfig):
    """To somebody who has switched the progress bar off."""

    def said(how):
        done = subprocess.run(
            [sys.executable, "-c", SAY, how],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(pytestconfig.rootpath)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
        # GluonTS's own remarks on each epoch are not for us to repeat.
        return {
            line
            for line in done.stdout.splitlines()
            if not line.startswith("Epoch")
        }

    plain, wrapped = said("plain"), said("wrapped")

    assert wrapped <= plain
