"""
What GluonTS itself does not write to disk.
"""

import pytest
from gluonts.env import env
from gluonts.model.predictor import Predictor

from gluonts_lai import LAIEstimator
from tests import contract
from tests.series import dataset
from tests.torch import zoo


def restore_embeddings(network, like):
    """Those of DeepNPTS are in a list, which PyTorch does not look into."""
    network.net.embedder = like.net.embedder


def restore_flags(network, like):
    """MQF2's layers do not remember that they have been initialised."""
    for part in network.modules():
        if hasattr(part, "initialized"):
            part.initialized = True


LEFT_BEHIND = {"DeepNPTS": restore_embeddings, "MQF2": restore_flags}


@pytest.mark.parametrize("name", sorted(LEFT_BEHIND.keys() & zoo.CASES))
@pytest.mark.filterwarnings("ignore:max_anomaly_share should not")
@pytest.mark.filterwarnings("ignore:the forecaster should explain")
def test_all_that_gluonts_writes_is_the_same_after_a_trip_to_disk(
    name, tmp_path
):
    data, _ = dataset("univariate", num_series=2, length=56)
    with env._let(use_tqdm=False):
        estimator = LAIEstimator(zoo.CASES[name].make(), seed=0)
        predictor = estimator.train(data)
    predictor.serialize(tmp_path)

    again = Predictor.deserialize(tmp_path)
    LEFT_BEHIND[name](again.base.prediction_net, predictor.base.prediction_net)

    contract.assert_same_forecasts(
        again.predict(data), predictor.predict(data)
    )
    contract.assert_same_detections(again.detect(data), predictor.detect(data))
