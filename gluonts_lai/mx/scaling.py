"""
Window scaling of MXNet batches, and the networks it suits.
"""

from typing import Any

import mxnet as mx
import numpy as np
from gluonts.mx import distribution as outputs
from gluonts.mx.block.scaler import MeanScaler
from gluonts.mx.model.estimator import GluonEstimator
from gluonts.mx.model.n_beats import NBEATSEstimator
from gluonts.mx.util import get_hybrid_forward_input_names
from gluonts.transform import InstanceSplitter
from gluonts.transform.split import TFTInstanceSplitter

from gluonts_lai.nominal.scaling import as_numpy, like

# Families that a change of centre and width leaves what they are.
LOCATION_SCALE = (
    outputs.GaussianOutput,
    outputs.ISQFOutput,
    outputs.LaplaceOutput,
    outputs.PiecewiseLinearOutput,
    outputs.StudentTOutput,
    outputs.UniformOutput,
)


# Least width of a window that has been scaled: it is 1 but for flat windows.
LEAST_MEAN = 1.0


def can_scale(estimator: GluonEstimator, network: Any) -> bool:
    """
    Whether an estimator can be shown scaled windows.

    It must take a past and a future, both real-valued, cut by an ordinary
    splitter; NBEATS's losses are relative to a level that would be gone.
    """
    names = get_hybrid_forward_input_names(type(network))
    splitter = estimator._create_instance_splitter("test")
    return (
        {"past_target", "future_target"} <= set(names)
        and type(splitter) in (InstanceSplitter, TFTInstanceSplitter)
        and not isinstance(estimator, NBEATSEstimator)
        and is_real(getattr(estimator, "distr_output", None))
        and getattr(splitter, "output_NTC", True)
    )


def is_real(distr_output: Any) -> bool:
    """Whether a distribution, if there is any, is over the real line."""
    if isinstance(distr_output, outputs.MixtureDistributionOutput):
        return all(map(is_real, distr_output.distr_outputs))
    return distr_output is None or isinstance(distr_output, LOCATION_SCALE)


def leave_flat_windows(network: Any) -> None:
    """
    Let a flat window, which is next to zero once it is scaled, have width 1.

    GluonTS's scaler would divide it by next to nothing; where it is all zeros,
    by the mean width of the windows that happen to be in its batch.
    """
    scaler = getattr(network, "scaler", None)
    if isinstance(scaler, MeanScaler):
        scaler.minimum_scale = LEAST_MEAN
        if scaler.default_scale is None:
            scaler.default_scale = LEAST_MEAN


@as_numpy.register
def _(array: mx.nd.NDArray) -> np.ndarray:
    return array.asnumpy()


@like.register
def _(template: mx.nd.NDArray, array: np.ndarray) -> mx.nd.NDArray:
    array = np.ascontiguousarray(array, dtype=template.dtype)
    return mx.nd.from_numpy(array).as_in_context(template.context)
