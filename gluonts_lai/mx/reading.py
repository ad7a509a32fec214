"""
Densities from an MXNet network.

Networks that give a distribution, SimpleFeedForward and DeepAR, are read
directly; DeepAR with the clean points themselves as its inputs (teacher
forcing). Of any other network the predictor makes forecasts, and these become
densities.
"""

from typing import Any, NamedTuple

import mxnet as mx
import numpy as np
from gluonts.model.forecast_generator import DistributionForecastGenerator
from gluonts.mx import distribution as outputs
from gluonts.mx.distribution import Distribution
from gluonts.mx.distribution.transformed_distribution import (
    AffineTransformedDistribution,
)
from gluonts.mx.model.deepar._network import DeepARNetwork
from gluonts.mx.model.predictor import GluonPredictor
from gluonts.mx.model.simple_feedforward._network import (
    SimpleFeedForwardNetworkBase,
)
from scipy.special import ndtri

from gluonts_lai.nominal.bells import GAUSSIAN_DF
from gluonts_lai.nominal.densities import Density, StudentT, from_quantiles
from gluonts_lai.nominal.forecasts import LEVELS, density_of
from gluonts_lai.nominal.network import NUM_SAMPLES

# Networks whose distribution can be seen without drawing from it.
READ_DIRECTLY = (SimpleFeedForwardNetworkBase, DeepARNetwork)


def read_network(
    predictor: GluonPredictor, batch: dict[str, np.ndarray], num_leads: int
) -> Density:
    """The distribution that a network gives, without drawing from it."""
    network = predictor.prediction_net
    inputs = {name: as_tensor(value) for name, value in batch.items()}
    read = read_deepar if isinstance(network, DeepARNetwork) else read_mlp
    args, loc, scale = read(network, inputs, num_leads)
    return density_of_distribution(
        network.distr_output.distribution(args, loc=loc, scale=scale)
    )


def read_mlp(network: Any, inputs: dict, num_leads: int) -> tuple:
    """
    What SimpleFeedForward says of the future of windows.

    Its last layer has a part for each lead; only those asked for are used.
    """
    past = inputs["past_target"]
    hidden, scale = network.scaler(past, mx.nd.ones_like(past))
    *layers, last, _ = network.mlp
    for layer in layers:
        hidden = layer(hidden)
    dim = network.num_hidden_dimensions[-1]
    weight, bias = last.weight.data(), last.bias.data()
    units = num_leads * dim
    hidden = mx.nd.FullyConnected(
        hidden, weight[:units], bias[:units], num_hidden=units
    )
    args = network.distr_args_proj(hidden.reshape((-1, num_leads, dim)))
    return args, None, scale.expand_dims(axis=1)


def read_deepar(network: Any, inputs: dict, num_leads: int) -> tuple:
    """What DeepAR says of each point, given the points before it."""
    names = (
        "feat_static_cat",
        "feat_static_real",
        "past_time_feat",
        "past_target",
        "past_observed_values",
        "past_is_pad",
        "future_time_feat",
        "future_target",
        "future_observed_values",
    )
    outputs, _, scale, _, _ = network.unroll_encoder(
        mx.nd, **{name: inputs[name] for name in names}
    )
    outputs = outputs[:, -network.prediction_length :][:, :num_leads]
    return network.proj_distr_args(outputs), None, scale


def read_forecasts(
    predictor: GluonPredictor, batch: dict, num_leads: int
) -> Density:
    """The forecasts that a predictor makes of windows, as a density."""
    generator = predictor.forecast_generator
    if isinstance(generator, DistributionForecastGenerator):
        inputs = [batch[name] for name in predictor.input_names]
        outputs = predictor.prediction_net(*inputs)
        return density_of_distribution(
            generator.distr_output.distribution(*outputs)
        )
    return density_of(
        list(
            generator(
                inference_data_loader=[batch],
                prediction_net=predictor.prediction_net,
                input_names=predictor.input_names,
                output_transform=predictor.output_transform,
                num_samples=None,
            )
        )
    )


def as_tensor(array: np.ndarray) -> mx.nd.NDArray:
    """An array where the network is."""
    array = np.array(array, dtype=np.float32, order="C")
    return mx.nd.from_numpy(array).as_in_context(mx.context.current_context())


class Distributed(NamedTuple):
    """A distribution of MXNet that knows its density."""

    distribution: Distribution

    @property
    def mean(self) -> np.ndarray:
        return self.distribution.mean.asnumpy().astype(float)

    def log_prob(self, values: np.ndarray) -> np.ndarray:
        points = as_tensor(values)
        return self.distribution.log_prob(points).asnumpy().astype(float)

    def quantile(self, level: float) -> np.ndarray:
        try:
            quantile = self.distribution.quantile(mx.nd.array([level]))
            return quantile.asnumpy()[0].astype(float)
        except NotImplementedError:  # as far as in a Gaussian
            sd = self.distribution.stddev.asnumpy().astype(float)
            return self.mean + ndtri(level) * sd


def density_of_distribution(distribution: Distribution) -> Density:
    """
    A distribution of MXNet as a density.

    Distributions over vectors are seen one dimension at a time, and those
    that know no density of their own by their quantiles.
    """
    if is_student(distribution):
        return as_student(distribution)
    if distribution.event_shape:
        samples = distribution.sample(NUM_SAMPLES).asnumpy()
        return StudentT.from_samples(samples, axis=0)
    if knows_density(distribution):
        return Distributed(distribution)
    levels = mx.nd.array(LEVELS)
    return from_quantiles(LEVELS, distribution.quantile(levels).asnumpy())


def is_student(distribution: Distribution) -> bool:
    """Whether a distribution is a Student-t or a Gaussian."""
    if type(distribution) is AffineTransformedDistribution:
        distribution = distribution.base_distribution
    return type(distribution) in (outputs.StudentT, outputs.Gaussian)


def as_student(distribution: Any) -> StudentT:
    """A Student-t or a Gaussian of MXNet as ours."""
    loc, width, inner = np.array(0.0), np.array(1.0), distribution
    if type(distribution) is AffineTransformedDistribution:
        loc, width = map(as_array, (distribution.loc, distribution.scale))
        inner = distribution.base_distribution
    df = as_array(getattr(inner, "nu", GAUSSIAN_DF))
    mu, sigma = as_array(inner.mu), as_array(inner.sigma)
    return StudentT.of(df, loc + width * mu, width * sigma)


def as_array(tensor: Any) -> np.ndarray:
    """A tensor of MXNet, or a number, in double precision."""
    if isinstance(tensor, mx.nd.NDArray):
        tensor = tensor.asnumpy()
    return np.asarray(tensor, dtype=float)


def knows_density(distribution: Distribution) -> bool:
    """Whether a distribution, or the one inside it, has a density."""
    inner = getattr(distribution, "base_distribution", distribution)
    if inner is not distribution:
        return knows_density(inner)
    return type(inner).log_prob is not Distribution.log_prob
