"""
Batches of training windows on MXNet.
"""

from typing import Any, Optional, Sequence

import mxnet as mx
import numpy as np
from gluonts.mx.model.deepar import DeepAREstimator
from gluonts.mx.model.estimator import GluonEstimator
from gluonts.mx.model.simple_feedforward import SimpleFeedForwardEstimator
from gluonts.mx.util import get_hybrid_forward_input_names

from gluonts_lai.nominal.loader import WindowLoader

# Estimators whose batches are windows and nothing else.
KNOWN = (DeepAREstimator, SimpleFeedForwardEstimator)


def window_loader(
    estimator: GluonEstimator,
    network: Any,
    data: Sequence[dict],
    context_length: Optional[int],
) -> WindowLoader:
    """An endless stream of batches for one of the known estimators."""

    def as_tensor(array: np.ndarray) -> mx.nd.NDArray:
        array = np.ascontiguousarray(array, dtype=np.float32)
        return mx.nd.from_numpy(array).as_in_context(estimator.trainer.ctx)

    return WindowLoader(
        estimator._create_instance_splitter("training"),
        get_hybrid_forward_input_names(type(network)),
        estimator.batch_size,
        data,
        context_length,
        as_tensor,
    )
