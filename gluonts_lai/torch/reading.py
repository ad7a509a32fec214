"""
Densities from a PyTorch network.

SimpleFeedForward and DLinear are asked about as many leads as are wanted.
DeepAR and ITransformer have a distribution that their forecasts do not show;
DeepAR is read with the clean points themselves as its inputs (teacher
forcing). Any other network is asked for what its forecasts are
made of: a distribution, quantiles or samples.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from gluonts.model.forecast_generator import (
    DistributionForecastGenerator,
    QuantileForecastGenerator,
    SampleForecastGenerator,
)
from gluonts.torch.distributions import (
    ImplicitQuantileNetworkOutput,
    NormalOutput,
    StudentTOutput,
)
from gluonts.torch.model.d_linear.module import DLinearModel
from gluonts.torch.model.deepar.module import DeepARModel
from gluonts.torch.model.i_transformer.module import ITransformerModel
from gluonts.torch.model.predictor import PyTorchPredictor
from gluonts.torch.model.simple_feedforward.module import (
    SimpleFeedForwardModel,
)
from torch.distributions import Distribution, Normal
from torch.nn.functional import linear

from gluonts_lai.nominal.bells import GAUSSIAN_DF
from gluonts_lai.nominal.densities import Density, StudentT
from gluonts_lai.nominal.forecasts import (
    density_of,
    density_of_quantiles,
    density_of_samples,
)

from .device import as_array, as_tensor, at_rest, where
from .scaling import feed_forward

# What makes forecasts from what a network says, in a way that we know.
KNOWN = (
    DistributionForecastGenerator,
    QuantileForecastGenerator,
    SampleForecastGenerator,
)


def model_of(predictor: PyTorchPredictor) -> Any:
    """The model inside a Lightning module."""
    network = predictor.prediction_net
    return getattr(network, "model", network)


def is_cheap(model: Any) -> bool:
    """Whether a window more costs next to nothing."""
    return isinstance(model, (SimpleFeedForwardModel, DLinearModel))


def is_unrolled(model: Any) -> bool:
    """Whether the inputs of a model can be the points that it forecasts."""
    return type(model) is DeepARModel and not isinstance(
        model.distr_output, ImplicitQuantileNetworkOutput
    )


def is_sampled(predictor: PyTorchPredictor) -> bool:
    """Whether a network is known by its samples alone."""
    model, generator = model_of(predictor), predictor.forecast_generator
    return not (
        isinstance(generator, KNOWN[:2])
        or is_unrolled(model)
        or isinstance(model, ITransformerModel)
    )


def read(predictor: PyTorchPredictor, batch: dict, num_leads: int) -> Density:
    """What a network says of the first points of windows, as a density."""
    network, model = predictor.prediction_net, model_of(predictor)
    with at_rest(network):
        if not isinstance(predictor.forecast_generator, KNOWN):
            return density_of(list(forecasts(predictor, batch)))
        names = list(predictor.input_names)
        if is_unrolled(model):
            names.append("future_target")
        like = where(network)
        inputs = {
            name: as_tensor(batch[name], like)
            for name in names
            if isinstance(batch.get(name), (np.ndarray, torch.Tensor))
        }
        if is_unrolled(model):
            params, scale, *_ = model.unroll_lagged_rnn(**inputs)
            args = [p[:, -model.prediction_length :] for p in params]
            said: Any = [p[:, :num_leads] for p in args], None, scale
        elif is_cheap(model):
            is_linear = isinstance(model, DLinearModel)
            ask = decompose if is_linear else feed_forward
            said = ask(model, **inputs, num_leads=num_leads)
        elif isinstance(model, ITransformerModel):
            said = model(**inputs)
        else:
            said = network(**inputs)
        return density(predictor, model, said)


def decompose(
    model: DLinearModel,
    past_target: torch.Tensor,
    past_observed_values: torch.Tensor,
    num_leads: int,
) -> tuple:
    """
    What DLinear says of the future of windows.

    Its layers have a part for each lead; only those asked for are used.
    """
    scaled, loc, scale = model.scaler(past_target, past_observed_values)
    dim = model.hidden_dimension
    layers = model.linear_seasonal, model.linear_trend
    units = num_leads * dim
    hidden: Any = sum(
        linear(part.squeeze(-1), layer.weight[:units], layer.bias[:units])
        for part, layer in zip(model.decomposition(scaled[..., None]), layers)
    )
    args = model.args_proj(hidden.reshape(-1, num_leads, dim))
    return args, loc, scale


def density(predictor: PyTorchPredictor, model: Any, said: Any) -> Density:
    """The output of a network as a density."""
    generator = predictor.forecast_generator
    if is_sampled(predictor):
        return density_of_samples(as_array(said))
    if isinstance(generator, QuantileForecastGenerator):
        (quantiles,), loc, scale = said
        if scale is not None:
            quantiles = quantiles * scale.unsqueeze(-1)
        if loc is not None:
            quantiles = quantiles + loc.unsqueeze(-1)
        levels = np.array(generator.quantiles, dtype=float)
        return density_of_quantiles(levels, as_array(quantiles.movedim(-1, 0)))
    args, loc, scale = said
    output = getattr(generator, "distr_output", None) or model.distr_output
    if type(output) in (StudentTOutput, NormalOutput):
        *df, centre, width = args
        return as_student(df, centre, width, loc, scale)
    return Distributed(output.distribution(args, loc=loc, scale=scale))


def as_student(
    df: list, centre: Any, width: Any, loc: Any, scale: Any
) -> StudentT:
    """A Student-t of PyTorch, or a Gaussian with no ``df``, as ours."""
    if scale is not None:
        centre, width = scale * centre, scale * width
    if loc is not None:
        centre = centre + loc
    return StudentT.of(
        as_array(df[0]) if df else GAUSSIAN_DF,
        as_array(centre),
        as_array(width),
    )


def forecasts(predictor: PyTorchPredictor, batch: dict) -> Any:
    """The forecasts of windows, by whatever makes them."""
    return predictor.forecast_generator(
        inference_data_loader=[batch],
        prediction_net=predictor.prediction_net,
        input_names=predictor.input_names,
        output_transform=predictor.output_transform,
        num_samples=None,
    )


class Distributed(NamedTuple):
    """A distribution of PyTorch that knows its density."""

    distribution: Distribution

    @property
    def mean(self) -> np.ndarray:
        return as_array(self.distribution.mean)

    def log_prob(self, values: np.ndarray) -> np.ndarray:
        points = as_tensor(values, self.distribution.mean)
        return as_array(lenient(self.distribution).log_prob(points))

    def quantile(self, level: float) -> np.ndarray:
        mean = self.distribution.mean
        levels = torch.full_like(mean, level)
        try:
            return as_array(self.distribution.icdf(levels))
        except NotImplementedError:  # as far as in a Gaussian
            sds = Normal(0.0, 1.0).icdf(levels)
            return as_array(mean + sds * self.distribution.stddev)


def lenient(distribution: Any) -> Any:
    """A distribution that may be asked about NaN, or between whole numbers."""
    distribution._validate_args = False
    if hasattr(distribution, "base_dist"):
        lenient(distribution.base_dist)
    return distribution
