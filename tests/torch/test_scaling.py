"""
Windows that are flat, as those of a sensor that is stuck.
"""

import numpy as np
import pytest
from gluonts.env import env
from gluonts.model.predictor import Predictor

from gluonts_lai import LAIEstimator
from tests import contract
from tests.series import dataset
from tests.torch import zoo

FLAT = slice(60, 100)  # three contexts
pytestmark = [
    pytest.mark.filterwarnings("ignore:max_anomaly_share should not"),
    pytest.mark.filterwarnings("ignore:the forecaster should explain"),
]


@pytest.fixture
def stuck():
    data, _ = dataset("univariate", num_series=1)
    (entry,) = data
    entry["target"][FLAT] = 10.0
    return contract.read_only([entry])


@pytest.mark.parametrize(
    "name", ["SimpleFeedForward", "DeepAR", "PatchTST", "TFTDistribution"]
)
def test_a_flat_window_is_not_divided_by_next_to_nothing(
    name, stuck, tmp_path
):
    with env._let(use_tqdm=False):
        estimator = LAIEstimator(zoo.CASES[name].make(), seed=0)
        predictor = estimator.train(stuck)
    assert predictor.scaling

    (detection,) = predictor.detect(stuck)

    # The series moves by 2: a density of e⁴ would be a hundred times as sure.
    # Divided by GluonTS's own least scale, it is e¹⁰ and more.
    inside = detection.log_density[FLAT][12:]
    assert np.isfinite(inside).all() and inside.max() < 4
    predictor.serialize(tmp_path)
    contract.assert_same_detections(
        Predictor.deserialize(tmp_path).detect(stuck), [detection]
    )
