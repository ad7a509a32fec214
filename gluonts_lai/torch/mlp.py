"""
The weights of a SimpleFeedForward network on PyTorch, copied.
"""

from typing import Any, Optional

import numpy as np
from gluonts.torch.distributions import NormalOutput, StudentTOutput
from gluonts.torch.model.simple_feedforward.module import (
    SimpleFeedForwardModel,
)
from torch import nn

from gluonts_lai.nominal.mlp import MLP, Layer

LEAST_SCALE = 1e-5  # unless the model has one of its own


def mlp_of(model: Any) -> Optional[MLP]:
    """A copy of a model; None of one that is something else."""
    if not isinstance(model, SimpleFeedForwardModel) or type(
        model.distr_output
    ) not in (NormalOutput, StudentTOutput):
        return None
    layers = [layer_of(x) for x in model.nn if isinstance(x, nn.Linear)]
    *df, loc, scale = (layer_of(x) for x in model.args_proj.proj)
    least = getattr(model, "least_scale", LEAST_SCALE)
    return MLP(layers, loc, scale, df[0] if df else None, True, least, least)


def layer_of(linear: nn.Linear) -> Layer:
    weight, bias = (
        part.detach().cpu().numpy().astype(np.float32)
        for part in (linear.weight, linear.bias)
    )
    return Layer(np.ascontiguousarray(weight.T), bias)
