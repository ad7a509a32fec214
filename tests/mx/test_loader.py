import numpy as np
import pytest
from numpy.testing import assert_array_equal

from gluonts_lai.mx import Training
from gluonts_lai.mx.loader import window_loader
from gluonts_lai.nominal.treated import Treated
from gluonts_lai.panel import Panel
from gluonts_lai.transform import Clean
from tests.series import dataset

from . import zoo


@pytest.mark.parametrize("name", ["SimpleFeedForward", "DeepAR"])
@pytest.mark.parametrize("min_past", [0, 12])
def test_batches_are_those_of_gluonts(name, min_past):
    panel = Panel.of(dataset("univariate", length=60)[0])
    training = Training(zoo.CASES[name].make(), panel, 12, False, seed=0)
    estimator = training.estimator
    estimator.train_sampler.min_past = min_past
    data = Treated(training.prepared, Clean.as_observed(panel.values))
    ours = window_loader(estimator, training.network, data, None)

    np.random.seed(1)
    theirs = iter(estimator.create_training_data_loader(data))
    expected = [next(theirs) for _ in range(20)]
    estimator.train_sampler.total_length = estimator.train_sampler.n = 0
    np.random.seed(1)
    batches = [batch for batch, _ in zip(ours, range(20))]

    # The first windows of a series have padding in them.
    assert min_past or any(
        (batch["past_target"].asnumpy() == 0).any() for batch in batches
    )
    for batch, theirs in zip(batches, expected):
        assert list(batch) == list(theirs)
        for field, array in batch.items():
            assert array.dtype == theirs[field].dtype
            assert_array_equal(array.asnumpy(), theirs[field].asnumpy())


def test_series_that_give_no_window_are_an_error():
    panel = Panel.of(dataset("univariate", length=60)[0])
    make = zoo.CASES["SimpleFeedForward"].make
    training = Training(make(), panel, 12, False, seed=0)
    training.estimator.train_sampler.min_past = 1_000
    data = Treated(training.prepared, Clean.as_observed(panel.values))

    with pytest.raises(Exception, match="got none in 101 draws; give long"):
        next(iter(training.loader(data, None)))
