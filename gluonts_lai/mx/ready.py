"""
A predictor that is done with training.
"""

from gluonts.mx.model.predictor import GluonPredictor

from .scaling import leave_flat_windows


def make_ready(predictor: GluonPredictor, scaling: bool) -> None:
    """With scaled windows, if it is to see them."""
    if scaling:
        leave_flat_windows(predictor.prediction_net)


def weights_of(predictor: GluonPredictor) -> bytes:
    """All weights, to tell one network from another."""
    parts = predictor.prediction_net.collect_params().values()
    return b"".join(part.data().asnumpy().tobytes() for part in parts)
