"""
Every estimator of GluonTS, wrapped, keeps the contract.
"""

from functools import lru_cache, partial

import numpy as np
import pytest
from gluonts.env import env

from gluonts_lai import (
    Gaussian,
    GaussianMixture,
    IndicatorChain,
    LAIEstimator,
)
from tests import contract
from tests.backends import EACH
from tests.series import dataset

# Long enough for DeepAR's lags and a few windows, short enough to be quick.
TINY = {"num_series": 2, "length": 56}
# A network that has hardly learned flags much, and nobody cares.
pytestmark = pytest.mark.filterwarnings("ignore:max_anomaly_share should not")

each_estimator = pytest.mark.parametrize("backend, name", EACH)
# GluonTS itself cannot write it to disk.
NOT_SERIALISABLE = {"MLPForecaster"}
# GluonTS leaves something behind: see tests/torch/test_contract.py.
NOT_SERIALISED = {"DeepNPTS", "MQF2"}
# They are trained by GluonTS out of our sight.
NO_CALLBACKS = {"NBEATSEnsemble", "DeepNPTS"}


@lru_cache(maxsize=None)
def trained_on_gaps(backend, name):
    """One model for all checks, trained on data with missing values."""
    case = backend.zoo.CASES[name]
    data, _ = dataset(case.data, **TINY)

    def make():
        losses = backend.probes.Losses()
        return case.make(num_batches_per_epoch=2, callbacks=[losses])

    return contract.train(make, contract.with_gaps(data))


@pytest.fixture
def trained(backend, name):
    return trained_on_gaps(backend, name)


@pytest.fixture
def complete(backend, name):
    """Data of the same kind with no missing values."""
    kind = backend.zoo.CASES[name].data
    return list(dataset(kind, seed=1, **TINY)[0])


@each_estimator
def test_the_posterior_is_a_probability_for_each_point(trained):
    contract.check_posterior(trained)


@each_estimator
def test_the_posterior_is_what_detect_says_in_hindsight(trained):
    contract.check_posterior_is_what_detect_says(trained)


@each_estimator
def test_the_history_has_a_record_of_each_round(trained):
    contract.check_history(trained)


@each_estimator
def test_no_epoch_is_lost_to_missing_values(backend, name, trained):
    if name in NO_CALLBACKS:
        pytest.skip("its networks are trained out of our sight")

    (recorder,) = [
        callback
        for callback in backend.probes.callbacks_of(
            trained.estimator.estimator
        )
        if isinstance(callback, backend.probes.Losses)
    ]

    assert len(recorder.losses) >= 2
    assert np.isfinite(recorder.losses).all()


@each_estimator
def test_forecasts_are_finite_and_in_order(trained, complete):
    contract.check_forecasts(trained, complete)


@each_estimator
def test_forecasts_from_a_context_with_gaps_are_finite(trained):
    assert np.isnan(trained.data[0]["target"][..., -1]).all()

    contract.check_forecasts(trained, trained.data)


@each_estimator
def test_forecasts_are_like_those_of_the_wrapped_estimator(trained, complete):
    contract.check_forecasts_are_of_the_same_kind(trained, complete)


@each_estimator
def test_a_model_is_the_same_after_a_trip_to_disk(
    name, trained, complete, tmp_path
):
    if name in NOT_SERIALISED:
        pytest.skip("GluonTS does not write all of it")
    if name in NOT_SERIALISABLE:
        contract.check_serialisation_fails_alike(trained, complete, tmp_path)
    else:
        contract.check_serialisation(trained, tmp_path)


@each_estimator
def test_data_are_untouched(trained):
    contract.check_data_are_untouched(trained)


@each_estimator
def test_the_wrapped_estimator_is_untouched(trained):
    contract.check_estimator_is_untouched(trained)


@each_estimator
def test_the_callers_generator_is_untouched(trained):
    contract.check_callers_chance_is_untouched(trained)


@each_estimator
def test_training_again_gives_an_equal_model(backend, trained):
    contract.check_training_again_gives_an_equal_model(
        trained, backend.probes.disturb
    )


@pytest.mark.parametrize("name", ["SimpleFeedForward", "DeepAR"])
def test_another_seed_gives_another_model(trained):
    contract.check_another_seed_gives_another_model(trained)


# Spikes of 4 to 9 amplitudes at one point in twenty

# A network that must learn where its 256 bins are takes longer; those that
# are trained again in each round may be quick about it. DeepNPTS must be: on
# so few points it soon picks a single one of its context, and is sure of it.
SETTINGS = {
    "WaveNet": {"epochs": 40},
    "NBEATSEnsemble": {"epochs": 6},
    "DeepNPTS": {"epochs": 8, "learning_rate": 0.003},
}


@each_estimator
def test_spikes_rank_above_other_points(backend, name):
    case = backend.zoo.CASES[name]
    data, labels = dataset(case.data, rate=0.05)
    settings = {"epochs": 20, "learning_rate": 0.01, **SETTINGS.get(name, {})}
    num_epochs = settings["epochs"]
    network = case.make(num_batches_per_epoch=10, **settings)
    # Few rounds: the time goes into looking at the data, not into training.
    estimator = LAIEstimator(
        network,
        num_warmup_epochs=num_epochs // 2,
        num_paths=num_epochs // 4,
        seed=1,
    )

    output = estimator.train_model(data)

    assert contract.spike_auc(output, labels) > 0.9


# Settings


@pytest.fixture(scope="module")
def make(backend):
    """A SimpleFeedForward that has time to learn something."""
    return partial(
        backend.zoo.CASES["SimpleFeedForward"].make,
        epochs=12,
        num_batches_per_epoch=20,
        learning_rate=0.01,
    )


@pytest.fixture(scope="module")
def spiked():
    return dataset("univariate", rate=0.05)


def test_without_em_there_is_no_indicator(make, spiked):
    data, _ = spiked

    trained = contract.train(make, data, em=False)

    assert list(trained.output.history) == []
    assert trained.output.history.to_frame().empty
    contract.check_posterior(trained)
    contract.check_forecasts(trained, data)
    contract.check_estimator_is_untouched(trained)


@pytest.mark.parametrize(
    "settings",
    [
        {"treatment": "mask"},
        {"transitions": "expected"},
        {"chain_scope": "series"},
        {"anomalous": Gaussian()},
        {"anomalous": GaussianMixture()},
        {"window_scaling": True},
        {"window_scaling": False},
        {"num_paths": 1},
        {"num_warmup_epochs": 6},
        {"max_anomaly_share": 0.1},
        {"chain": IndicatorChain.from_prior(0.05, 1.5)},
    ],
    ids=str,
)
def test_every_setting_finds_the_spikes(make, spiked, settings):
    data, labels = spiked

    trained = contract.train(make, data, **settings)

    # Two components that are learned beside a young network take some ordinary
    # points for their own: 0.875 was the least of 16 trainings.
    is_mixture = isinstance(settings.get("anomalous"), GaussianMixture)
    least = 0.8 if is_mixture else 0.9
    assert contract.spike_auc(trained.output, labels) > least
    contract.check_posterior(trained)
    contract.check_history(trained)
    contract.check_forecasts(trained, contract.with_gaps(data))


def test_each_series_may_have_a_chain_of_its_own(make, spiked):
    data, labels = spiked
    # Spikes in the first series only: its chain must know.
    quiet = dataset("univariate", rate=0.0)[0]
    mixed = [next(iter(data)), *list(quiet)[1:]]

    trained = contract.train(make, mixed, chain_scope="series")

    chains = trained.output.predictor.chains
    assert sorted(chains) == ["a", "b", "c"]
    assert chains["a"].p_enter > 2 * max(
        chains["b"].p_enter, chains["c"].p_enter
    )


def test_no_more_rounds_than_there_are_epochs_for(make, spiked):
    data, _ = spiked

    output = LAIEstimator(
        make(epochs=10), num_warmup_epochs=2, num_paths=4, seed=0
    ).train_model(data)

    # Two rounds of four epochs after the warm-up, and the last look.
    assert [record.epoch for record in output.history] == [2, 6, 10]


@pytest.fixture(scope="module")
def labelled(make, spiked):
    """A spike that is known to be nominal, and a quiet point that is not."""
    data, labels = spiked
    entries = [dict(entry) for entry in data]
    spikes = np.flatnonzero(labels[0])
    quiet = np.flatnonzero(labels[0] == 0)
    known = np.full(entries[0]["target"].shape, np.nan)
    nominal, anomalous = spikes[0], quiet[quiet > 30][0]
    known[nominal], known[anomalous] = 0, 1
    entries[0]["known"] = known
    with env._let(use_tqdm=False):
        estimator = LAIEstimator(make(), label_field="known", seed=0)
        output = estimator.train_model(entries)
    return entries, output, nominal, anomalous, spikes[1:]


def test_labels_overrule_what_is_inferred(labelled):
    _, output, nominal, anomalous, spikes = labelled

    assert output.posterior[0][nominal] < 1e-6
    assert output.posterior[0][anomalous] > 1 - 1e-6
    # The others are as they were.
    assert (output.posterior[0][spikes] > 0.5).all()


@pytest.mark.parametrize("mode", ["filter", "smooth"])
def test_labels_overrule_what_is_detected(labelled, mode):
    entries, output, nominal, anomalous, _ = labelled

    detection, *_ = output.predictor.detect(entries, mode)

    assert detection.probability[nominal] < 1e-6
    assert detection.probability[anomalous] > 1 - 1e-6
