"""
Batches of training windows on PyTorch.
"""

import sys
from itertools import islice
from typing import Any, Iterator, Optional, Sequence

import numpy as np
import torch
from gluonts.torch.model.d_linear import DLinearEstimator
from gluonts.torch.model.deepar import DeepAREstimator
from gluonts.torch.model.estimator import PyTorchLightningEstimator
from gluonts.torch.model.i_transformer import ITransformerEstimator
from gluonts.torch.model.lag_tst import LagTSTEstimator
from gluonts.torch.model.simple_feedforward import SimpleFeedForwardEstimator
from gluonts.torch.model.tide import TiDEEstimator

from gluonts_lai.nominal.loader import WindowLoader

# Estimators whose batches are windows and nothing else.
KNOWN = (
    DeepAREstimator,
    DLinearEstimator,
    ITransformerEstimator,
    LagTSTEstimator,
    SimpleFeedForwardEstimator,
    TiDEEstimator,
)


def window_loader(
    estimator: PyTorchLightningEstimator,
    network: Any,
    data: Sequence[dict],
    context_length: Optional[int],
) -> Iterator[dict]:
    """The batches of an epoch of one of the known estimators."""
    home = sys.modules[type(estimator).__module__]
    loader = WindowLoader(
        estimator._create_instance_splitter(network, "training"),
        home.TRAINING_INPUT_NAMES,
        estimator.batch_size,
        data,
        context_length,
        as_tensor,
    )
    return islice(loader, estimator.num_batches_per_epoch)


def as_tensor(array: np.ndarray) -> torch.Tensor:
    """An array as GluonTS hands it to Lightning."""
    if array.dtype == np.float64:
        array = array.astype(np.float32)
    return torch.from_numpy(np.ascontiguousarray(array))
