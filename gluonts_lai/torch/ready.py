"""
A predictor that is done with training.
"""

from gluonts.torch.model.predictor import PyTorchPredictor

from .scaling import leave_flat_windows


def make_ready(predictor: PyTorchPredictor, scaling: bool) -> None:
    """Without dropout, and with scaled windows if it is to see them."""
    predictor.prediction_net.eval()
    if scaling:
        leave_flat_windows(predictor.prediction_net)


def weights_of(predictor: PyTorchPredictor) -> bytes:
    """All weights, to tell one network from another."""
    parts = predictor.prediction_net.parameters()
    return b"".join(p.detach().cpu().numpy().tobytes() for p in parts)
