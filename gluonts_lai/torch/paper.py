"""
The paper's own model.
"""

from tempfile import TemporaryDirectory

from gluonts.dataset import Dataset
from gluonts.model.predictor import Predictor
from gluonts.torch import SimpleFeedForwardEstimator
from gluonts.torch.distributions import NormalOutput


def mlp(
    context_length: int = 25, epochs: int = 25
) -> SimpleFeedForwardEstimator:
    """The last points in, a Gaussian for the next one out."""
    return SimpleFeedForwardEstimator(
        prediction_length=1,
        context_length=context_length,
        hidden_dimensions=[40, 40],  # as in GluonTS on MXNet
        distr_output=NormalOutput(),
        trainer_kwargs={
            "max_epochs": epochs,
            "logger": False,
            "enable_progress_bar": False,
            "enable_model_summary": False,
        },
    )


def trained(dataset: Dataset) -> Predictor:
    """
    The model, trained as GluonTS does it.

    It writes checkpoints, to take the best of them in the end: they are not
    left behind.
    """
    estimator = mlp()
    with TemporaryDirectory() as folder:
        estimator.trainer_kwargs["default_root_dir"] = folder
        return estimator.train(dataset)
