"""
The networks that benchmarks of quality and speed share.

SimpleFeedForward with two hidden layers of 40, and DeepAR with one layer of 40
that looks back on the hours before, the day before and the week before: the
same on both frameworks, trained by batches of 32 at GluonTS's own learning
rate.
"""

from typing import Any

from gluonts_lai import LAIEstimator

OUTPUTS = ("student", "gaussian")
BATCHES_AN_EPOCH = 50
# How a network is trained: as it is, with LAI, with LAI less one of its parts.
MODELS: dict[str, dict] = {
    "plain": {"em": False},
    "LAI": {},
    "not calibrated": {"calibration": False},
}


def feed_forward_mx(output, epochs, **lengths) -> Any:
    from gluonts.mx import SimpleFeedForwardEstimator, Trainer
    from gluonts.mx.distribution import GaussianOutput, StudentTOutput

    outputs = {"student": StudentTOutput, "gaussian": GaussianOutput}
    return SimpleFeedForwardEstimator(
        sampling=False,  # forecasts are distributions, as on PyTorch
        num_hidden_dimensions=[40, 40],
        distr_output=outputs[output](),
        batch_size=32,
        trainer=Trainer(epochs=epochs, num_batches_per_epoch=BATCHES_AN_EPOCH),
        **lengths,
    )


def trainer_kwargs(epochs) -> dict:
    return {
        "max_epochs": epochs,
        "logger": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
    }


def feed_forward_torch(output, epochs, **lengths) -> Any:
    from gluonts.torch import SimpleFeedForwardEstimator
    from gluonts.torch.distributions import NormalOutput, StudentTOutput

    outputs = {"student": StudentTOutput, "gaussian": NormalOutput}
    return SimpleFeedForwardEstimator(
        hidden_dimensions=[40, 40],
        distr_output=outputs[output](),
        batch_size=32,
        num_batches_per_epoch=BATCHES_AN_EPOCH,
        trainer_kwargs=trainer_kwargs(epochs),
        **lengths,
    )


FEED_FORWARD = {"torch": feed_forward_torch, "mx": feed_forward_mx}


def feed_forward(
    backend: str,
    prediction_length: int,
    context_length: int,
    output: str = "student",
    epochs: int = 40,
) -> Any:
    """An estimator that is not trained yet, of one of the frameworks."""
    return FEED_FORWARD[backend](
        output,
        epochs,
        prediction_length=prediction_length,
        context_length=context_length,
    )


LAGS = [1, 2, 3, 24, 168]


def deep_ar_mx(output, epochs, **lengths) -> Any:
    from gluonts.mx import DeepAREstimator, Trainer
    from gluonts.mx.distribution import GaussianOutput, StudentTOutput

    outputs = {"student": StudentTOutput, "gaussian": GaussianOutput}
    return DeepAREstimator(
        freq="h",
        num_layers=1,
        num_cells=40,
        lags_seq=LAGS,
        distr_output=outputs[output](),
        batch_size=32,
        trainer=Trainer(epochs=epochs, num_batches_per_epoch=BATCHES_AN_EPOCH),
        **lengths,
    )


def deep_ar_torch(output, epochs, **lengths) -> Any:
    from gluonts.torch import DeepAREstimator
    from gluonts.torch.distributions import NormalOutput, StudentTOutput

    outputs = {"student": StudentTOutput, "gaussian": NormalOutput}
    return DeepAREstimator(
        freq="h",
        num_layers=1,
        hidden_size=40,
        lags_seq=LAGS,
        distr_output=outputs[output](),
        batch_size=32,
        num_batches_per_epoch=BATCHES_AN_EPOCH,
        trainer_kwargs=trainer_kwargs(epochs),
        **lengths,
    )


DEEP_AR = {"torch": deep_ar_torch, "mx": deep_ar_mx}


def deep_ar(
    backend: str,
    prediction_length: int,
    context_length: int,
    output: str = "student",
    epochs: int = 40,
) -> Any:
    """The same for DeepAR; its forecasts are samples."""
    return DEEP_AR[backend](
        output,
        epochs,
        prediction_length=prediction_length,
        context_length=context_length,
    )


def wrapped(model: str, estimator: Any, seed: int) -> LAIEstimator:
    """An estimator, to be trained in one of these ways."""
    return LAIEstimator(estimator, seed=seed, **MODELS[model])


def chosen(choice: str, choices: Any) -> list[str]:
    """What an option stands for: one of the choices, or both."""
    return list(choices) if choice == "both" else [choice]
