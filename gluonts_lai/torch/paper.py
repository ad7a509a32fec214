"""
The paper's own model.
"""

from gluonts.torch import SimpleFeedForwardEstimator
from gluonts.torch.distributions import NormalOutput


def mlp(
    context_length: int = 25, epochs: int = 25
) -> SimpleFeedForwardEstimator:
    """The last points in, a Gaussian for the next one out."""
    return SimpleFeedForwardEstimator(
        prediction_length=1,
        context_length=context_length,
        hidden_dimensions=[40, 40],
        distr_output=NormalOutput(),
        trainer_kwargs={
            "max_epochs": epochs,
            "logger": False,
            "enable_progress_bar": False,
            "enable_model_summary": False,
        },
    )
