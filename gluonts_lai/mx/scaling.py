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

from gluonts_lai.nominal.scaling import Scale, window_scale

# Families that a change of centre and width leaves what they are.
LOCATION_SCALE = (
    outputs.GaussianOutput,
    outputs.ISQFOutput,
    outputs.LaplaceOutput,
    outputs.PiecewiseLinearOutput,
    outputs.StudentTOutput,
    outputs.UniformOutput,
)


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


def scale_batch(batch: dict, context_length: int) -> tuple[dict, Scale]:
    """A batch with each window scaled by its context, and the scales."""
    past = as_numpy(batch["past_target"])
    scale = window_scale(past[:, -context_length:])
    scaled = scale.apply(past)
    if "past_observed_values" in batch:
        # What pads a short past stays what it was.
        padding = (past == 0) & (as_numpy(batch["past_observed_values"]) == 0)
        scaled[padding] = 0.0
    batch = {**batch, "past_target": like(scaled, batch["past_target"])}
    if "future_target" in batch:
        future = batch["future_target"]
        batch["future_target"] = like(scale.apply(as_numpy(future)), future)
    return batch, scale


def leave_flat_windows(network: Any) -> None:
    """
    Let a flat window, which is all zeros once it is scaled, be one of width 1.

    GluonTS's scaler would give it the mean width of the windows that happen to
    be in its batch.
    """
    scaler = getattr(network, "scaler", None)
    if isinstance(scaler, MeanScaler) and scaler.default_scale is None:
        scaler.default_scale = 1.0


def as_numpy(array: Any) -> np.ndarray:
    return array if isinstance(array, np.ndarray) else array.asnumpy()


def like(array: np.ndarray, template: Any) -> Any:
    """An array where and what its template is."""
    if isinstance(template, np.ndarray):
        return array
    array = np.ascontiguousarray(array, dtype=template.dtype)
    return mx.nd.from_numpy(array).as_in_context(template.context)
