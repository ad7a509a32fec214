"""
The weights of a SimpleFeedForward network on MXNet, copied.
"""

from typing import Any, Optional

import numpy as np
from gluonts.mx.block.scaler import MeanScaler
from gluonts.mx.distribution import GaussianOutput, StudentTOutput
from gluonts.mx.model.simple_feedforward._network import (
    SimpleFeedForwardNetworkBase,
)

from gluonts_lai.nominal.mlp import MLP, Layer


def mlp_of(network: Any) -> Optional[MLP]:
    """A copy of a network; None of one that is something else."""
    if (
        not isinstance(network, SimpleFeedForwardNetworkBase)
        or type(network.distr_output) not in (GaussianOutput, StudentTOutput)
        or network.batch_normalization
    ):
        return None
    *layers, _ = network.mlp
    loc, scale, *df = map(layer_of, network.distr_args_proj.proj)
    scaler = network.scaler
    scales = isinstance(scaler, MeanScaler)
    return MLP(
        list(map(layer_of, layers)),
        loc,
        scale,
        df[0] if df else None,
        scales,
        scaler.minimum_scale if scales else 1.0,
        (scaler.default_scale or scaler.minimum_scale) if scales else 1.0,
    )


def layer_of(dense: Any) -> Layer:
    weight, bias = dense.weight.data().asnumpy(), dense.bias.data().asnumpy()
    return Layer(np.ascontiguousarray(weight.T), bias)
