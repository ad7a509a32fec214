"""
A wrapped estimator on MXNet does what its trainer was told.
"""

import mxnet as mx
import numpy as np
import pytest
from gluonts.core.component import validated
from gluonts.env import env
from gluonts.model.predictor import Predictor
from gluonts.mx.trainer.callback import Callback
from gluonts.mx.trainer.learning_rate_scheduler import LearningRateReduction
from gluonts.mx.trainer.model_averaging import ModelAveraging, SelectNBestMean
from gluonts.mx.trainer.model_iteration_averaging import (
    NTA,
    ModelIterationAveraging,
)

from gluonts_lai import LAIEstimator
from tests import contract
from tests.mx import zoo
from tests.mx.probes import weights_of
from tests.series import dataset

# A network that has hardly learned flags much, and nobody cares.
pytestmark = pytest.mark.filterwarnings("ignore:max_anomaly_share should not")

LENGTH = 96


@pytest.fixture(autouse=True)
def no_progress_bar():
    with env._let(use_tqdm=False):
        yield


def make(**trainer_kwargs):
    return zoo.CASES["SimpleFeedForward"].make(**trainer_kwargs)


@pytest.fixture(scope="module")
def data():
    return dataset("univariate", length=LENGTH)[0]


@pytest.fixture(scope="module")
def predictor(data):
    with env._let(use_tqdm=False):
        return LAIEstimator(make(), seed=0).train(data)


def test_lead_time_is_kept():
    case = zoo.CASES["LSTNet"]
    data, _ = dataset(case.data, length=LENGTH)
    plain = case.make()
    estimator = type(plain)(**{**plain.__init_args__, "lead_time": 2})

    predictor = LAIEstimator(estimator, seed=0).train(data)

    assert predictor.lead_time == 2
    contract.check_forecasts(contract.only(predictor), list(data))


# The user's trainer


class Watch(Callback):
    """Counts what the trainer does, and looks at the network."""

    @validated()
    def __init__(self) -> None:
        self.num_starts = 0
        self.num_ends = 0
        self.num_batches = 0
        self.epochs: list[int] = []
        self.rates: list[float] = []
        self.clips: list[float] = []
        self.weights: list[np.ndarray] = []

    def on_train_start(self, max_epochs):
        self.num_starts += 1

    def on_train_batch_end(self, training_network):
        self.num_batches += 1
        return True

    def on_train_epoch_end(
        self, epoch_no, epoch_loss, training_network, trainer
    ):
        self.epochs.append(epoch_no)
        self.rates.append(trainer.learning_rate)
        self.clips.append(trainer.optimizer.clip_gradient)
        self.weights.append(weights_of(training_network))
        return True

    def on_train_end(self, training_network, temporary_dir, ctx):
        self.num_ends += 1


def test_the_budget_is_the_trainers(data):
    watch = Watch()
    estimator = make(
        epochs=7,
        num_batches_per_epoch=5,
        learning_rate=0.0123,
        clip_gradient=3.5,
        callbacks=[watch],
    )

    LAIEstimator(estimator, seed=0).train(data)

    assert watch.num_starts == watch.num_ends == 1
    assert watch.epochs == list(range(7))
    assert watch.num_batches == 7 * 5
    assert watch.rates == [0.0123] * 7
    assert watch.clips == [3.5] * 7


def test_a_callback_can_stop_training(data):
    class Enough(Callback):
        @validated()
        def __init__(self) -> None:
            pass

        def on_train_epoch_end(
            self, epoch_no, epoch_loss, training_network, trainer
        ):
            return epoch_no < 2

    watch = Watch()
    estimator = make(epochs=9, callbacks=[watch, Enough()])

    output = LAIEstimator(estimator, seed=0).train_model(data)

    assert watch.epochs == [0, 1, 2]
    assert output.history[-1].epoch == 3
    assert estimator.trainer.halt is False


class Slower(Callback):
    """A learning rate schedule of the user's own."""

    @validated()
    def __init__(self) -> None:
        pass

    def on_train_epoch_end(
        self, epoch_no, epoch_loss, training_network, trainer
    ):
        trainer.set_learning_rate(trainer.learning_rate / 2)
        return True


def test_a_learning_rate_schedule_goes_on(data):
    watch = Watch()
    estimator = make(
        epochs=4,
        learning_rate=0.016,
        callbacks=[watch, Slower()],
        # GluonTS's own scheduler would have the last word.
        add_default_callbacks=False,
    )

    LAIEstimator(estimator, seed=0).train(data)

    np.testing.assert_allclose(watch.rates, [0.016, 0.008, 0.004, 0.002])


@pytest.mark.parametrize(
    "averaging",
    [
        lambda: ModelAveraging(avg_strategy=SelectNBestMean(num_models=2)),
        lambda: ModelIterationAveraging(NTA(epochs=6)),
    ],
    ids=["ModelAveraging", "ModelIterationAveraging"],
)
def test_the_last_weights_are_kept(data, averaging):
    watch = Watch()
    # So large a rate that the last epoch is hardly the best.
    estimator = make(
        epochs=6, learning_rate=1.0, callbacks=[watch, averaging()]
    )
    callbacks = list(estimator.trainer.callbacks.callbacks)

    predictor = LAIEstimator(estimator, seed=0).train(data)

    np.testing.assert_array_equal(
        weights_of(predictor.base.prediction_net), watch.weights[-1]
    )
    assert not np.array_equal(watch.weights[-1], watch.weights[-2])
    assert estimator.trainer.callbacks.callbacks == callbacks


def test_a_scheduler_forgets_the_last_run(data):
    """GluonTS's own would compare with the losses of another run."""
    watch = Watch()
    scheduler = LearningRateReduction(objective="min", patience=1)
    estimator = make(
        epochs=3, callbacks=[watch, scheduler], add_default_callbacks=False
    )
    wrapped = LAIEstimator(estimator, seed=0)

    wrapped.train(data)
    wrapped.train(data)

    assert watch.rates[:3] == watch.rates[3:]


def test_a_trainer_that_was_halted_trains(data):
    estimator = make(epochs=2)
    estimator.trainer.halt = True
    watch = Watch()
    estimator.trainer.callbacks.callbacks.append(watch)

    LAIEstimator(estimator, seed=0).train(data)

    assert watch.epochs == [0, 1]
    assert estimator.trainer.halt is True


def test_validation_data_are_used_as_the_trainer_would(data):
    class Validated(Callback):
        @validated()
        def __init__(self) -> None:
            self.losses: list[float] = []

        def on_validation_epoch_end(
            self, epoch_no, epoch_loss, training_network, trainer
        ):
            self.losses.append(epoch_loss)
            return True

    watch = Validated()

    LAIEstimator(make(epochs=3, callbacks=[watch]), seed=0).train(
        data, validation_data=data
    )

    assert len(watch.losses) == 3
    assert np.isfinite(watch.losses).all()


def test_the_context_is_the_trainers(data):
    estimator = make(ctx=mx.cpu(1))

    predictor = LAIEstimator(estimator, seed=0).train(data)

    assert predictor.base.ctx == mx.cpu(1)
    assert all(np.isfinite(f.samples).all() for f in predictor.predict(data))


def test_a_device_can_be_chosen_when_reading_from_disk(
    predictor, data, tmp_path
):
    predictor.serialize(tmp_path)

    again = Predictor.deserialize(tmp_path, ctx=mx.cpu())

    contract.assert_same_forecasts(
        again.predict(data), predictor.predict(data)
    )
