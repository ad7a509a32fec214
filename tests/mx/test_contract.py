"""
What GluonTS itself cannot train.
"""

import pytest

from gluonts_lai import LAIEstimator
from tests import contract
from tests.mx import zoo
from tests.series import dataset


@pytest.mark.parametrize("name", zoo.BROKEN)
def test_what_gluonts_cannot_train_fails_with_its_own_error(name):
    make = zoo.BROKEN[name]
    data, _ = dataset("univariate", num_series=2, length=56)

    contract.assert_fail_alike(
        lambda: LAIEstimator(make(), seed=1).train(data),
        lambda: make().train(data),
    )
