"""
Window scaling of PyTorch batches, and the networks it suits.
"""

from functools import partial
from typing import Any, Optional

import numpy as np
import torch
from gluonts.torch import distributions as outputs
from gluonts.torch.model.estimator import PyTorchLightningEstimator
from gluonts.torch.model.simple_feedforward.module import (
    SimpleFeedForwardModel,
)
from gluonts.torch.scaler import MeanScaler, StdScaler
from gluonts.transform import InstanceSplitter
from gluonts.transform.split import TFTInstanceSplitter
from torch import nn

from gluonts_lai.nominal.scaling import as_numpy, like

# Outputs that a change of centre and width leaves what they are.
LOCATION_SCALE = (
    outputs.ImplicitQuantileNetworkOutput,
    outputs.LaplaceOutput,
    outputs.NormalOutput,
    outputs.QuantileOutput,
    outputs.StudentTOutput,
)
# Least width of a window that has been scaled: it is 1 but for flat windows.
LEAST_MEAN, LEAST_VARIANCE = 1.0, 0.1


def can_scale(estimator: PyTorchLightningEstimator, cutting: list) -> bool:
    """
    Whether an estimator can be shown scaled windows.

    It must take a past and a future, both real-valued, cut by an ordinary
    splitter and by nothing else.
    """
    return (
        len(cutting) == 1
        and type(cutting[0]) in (InstanceSplitter, TFTInstanceSplitter)
        and getattr(cutting[0], "output_NTC", True)
        and is_real(getattr(estimator, "distr_output", None))
    )


def is_real(distr_output: Any) -> bool:
    """Whether an output, if it is known, is over the real line."""
    name = type(distr_output).__name__  # importing MQF2 may fail
    return isinstance(distr_output, LOCATION_SCALE) or name.startswith("MQF2")


def leave_flat_windows(network: nn.Module) -> None:
    """
    Let a flat window, which is all zeros once it is scaled, be one of width 1.

    GluonTS would divide it by next to nothing.
    """
    model: Any = getattr(network, "model", network)
    scaler = getattr(model, "scaler", None)
    if isinstance(scaler, MeanScaler):
        scaler.minimum_scale = LEAST_MEAN
    elif isinstance(scaler, StdScaler):
        scaler.minimum_scale = LEAST_VARIANCE
    elif isinstance(model, SimpleFeedForwardModel):
        # The floor of its scale is written into its code.
        model.forward = partial(feed_forward, model)
        model.least_scale = LEAST_MEAN


def feed_forward(
    model: Any, past_target: torch.Tensor, num_leads: Optional[int] = None
) -> tuple:
    """
    What SimpleFeedForward says of the future of windows.

    Its last layer has a part for each lead; only those asked for are used.
    """
    num_leads = num_leads or model.prediction_length
    least = getattr(model, "least_scale", 1e-5)
    scale = past_target.abs().mean(1, keepdim=True).clamp(least, None)
    *layers, last = model.nn
    hidden = past_target / scale
    for layer in layers:
        hidden = layer(hidden)
    dim = model.hidden_dimensions[-1]
    units = num_leads * dim
    hidden = nn.functional.linear(
        hidden, last.weight[:units], last.bias[:units]
    )
    args = model.args_proj(hidden.reshape(-1, num_leads, dim))
    return args, torch.zeros_like(scale), scale


@as_numpy.register
def _(array: torch.Tensor) -> np.ndarray:
    return array.detach().cpu().numpy()


@like.register
def _(template: torch.Tensor, array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array)).to(template)
