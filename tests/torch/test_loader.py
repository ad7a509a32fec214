from itertools import islice

import numpy as np
import pytest
import torch

from gluonts_lai.nominal.treated import Treated
from gluonts_lai.panel import Panel
from gluonts_lai.torch import Training
from gluonts_lai.torch.loader import KNOWN, window_loader
from gluonts_lai.transform import Clean
from tests.series import CONTEXT, dataset

from . import zoo

NAMES = [
    name for name, case in zoo.CASES.items() if type(case.make()) in KNOWN
]
NUM_BATCHES = 20


def training_of(name, min_past):
    """A training run on series so short that windows begin before them."""
    case = zoo.CASES[name]
    panel = Panel.of(dataset(case.data, length=60)[0])
    estimator = case.make(num_batches_per_epoch=NUM_BATCHES)
    training = Training(estimator, panel, CONTEXT, False, seed=0)
    training.estimator.train_sampler.min_past = min_past
    data = Treated(training.prepared, Clean.as_observed(panel.values))
    return training, data


def test_every_estimator_that_is_known_is_in_the_zoo():
    assert {type(zoo.CASES[name].make()) for name in NAMES} == set(KNOWN)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("min_past", [0, CONTEXT])
def test_batches_are_those_of_gluonts(name, min_past):
    training, data = training_of(name, min_past)
    sampler = training.estimator.train_sampler

    np.random.seed(1)
    expected = list(training.gluonts_loader(data, False))
    sampler.total_length = sampler.n = 0
    np.random.seed(1)
    batches = list(
        window_loader(training.estimator, training.network, data, None)
    )

    assert len(batches) == len(expected) == NUM_BATCHES
    # The first windows of a series have padding in them.
    assert min_past or any(
        (batch["past_target"] == 0).any() for batch in batches
    )
    for batch, theirs in zip(batches, expected):
        # Inputs of the network, of all that GluonTS has in a batch.
        assert batch.keys() <= theirs.keys()
        for field, tensor in batch.items():
            assert tensor.dtype == theirs[field].dtype
            assert torch.equal(tensor, theirs[field])


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_has_all_that_the_loss_takes(name):
    training, data = training_of(name, CONTEXT)

    (batch,) = islice(training.loader(data, None), 1)

    assert torch.isfinite(training.network.training_step(batch, 0))


def test_series_that_give_no_window_are_an_error():
    training, data = training_of("SimpleFeedForward", 1_000)

    with pytest.raises(Exception, match="got none in 101 draws; give long"):
        next(iter(training.loader(data, None)))
