import pickle

import numpy as np
import pytest
from gluonts.core.serde import dump_json, load_json

from gluonts_lai import Gaussian, GaussianMixture, IndicatorChain, Uniform

SERIES = np.append(np.random.default_rng(0).normal(size=50), [30.0, np.nan])
WEIGHTS = (SERIES > 20).astype(float)
VALUES = [
    IndicatorChain(),
    IndicatorChain(np.float32(0.1), 1e-300, 1 - 1e-16),
    *(recipe() for recipe in (Uniform, Gaussian, GaussianMixture)),
    *(
        recipe().fit(SERIES, WEIGHTS)
        for recipe in (Uniform, Gaussian, GaussianMixture)
    ),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_goes_through_json_and_back(value):
    assert load_json(dump_json(value)) == value


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_can_be_sent_to_another_process(value):
    assert pickle.loads(pickle.dumps(value)) == value


@pytest.mark.parametrize("value", VALUES[-3:], ids=repr)
def test_a_density_is_the_same_after_the_journey(value):
    x = np.linspace(-50, 50, 20)

    back = load_json(dump_json(value))

    np.testing.assert_array_equal(back.log_prob(x), value.log_prob(x))


def test_fields_are_written_by_name():
    assert '"p_enter"' in dump_json(IndicatorChain())
