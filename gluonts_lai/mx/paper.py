"""
The paper's own model.
"""

from gluonts.dataset import Dataset
from gluonts.model.predictor import Predictor
from gluonts.mx import SimpleFeedForwardEstimator, Trainer
from gluonts.mx.distribution import GaussianOutput


def mlp(
    context_length: int = 25, epochs: int = 25
) -> SimpleFeedForwardEstimator:
    """The last points in, a Gaussian for the next one out."""
    return SimpleFeedForwardEstimator(
        prediction_length=1,
        context_length=context_length,
        sampling=False,
        distr_output=GaussianOutput(),
        trainer=Trainer(epochs=epochs),
    )


def trained(dataset: Dataset) -> Predictor:
    """The model, trained as GluonTS does it."""
    return mlp().train(dataset)
