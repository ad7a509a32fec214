"""
Densities from an MXNet network: thousands of windows a call.

Networks that give a distribution, SimpleFeedForward and DeepAR, are read
directly; DeepAR with the clean points themselves as its inputs (teacher
forcing). Of any other network the predictor makes forecasts, and these become
densities.
"""

from typing import Any, NamedTuple, Optional

import mxnet as mx
import numpy as np
from gluonts.model.forecast_generator import DistributionForecastGenerator
from gluonts.mx.batchify import batchify
from gluonts.mx.distribution import Distribution
from gluonts.mx.model.deepar._network import DeepARNetwork
from gluonts.mx.model.predictor import GluonPredictor
from gluonts.mx.model.simple_feedforward._network import (
    SimpleFeedForwardNetworkBase,
)
from gluonts.transform import Chain, FlatMapTransformation, InstanceSplitter

from gluonts_lai import seeds
from gluonts_lai.nominal.densities import StudentT, from_quantiles
from gluonts_lai.nominal.forecasts import LEVELS, density_of
from gluonts_lai.nominal.prepared import Prepared
from gluonts_lai.nominal.protocol import Scores, Update
from gluonts_lai.nominal.scaling import Scale
from gluonts_lai.nominal.scoring import Answer, Density, Grid, Piece, score
from gluonts_lai.nominal.windows import split
from gluonts_lai.panel import Panel
from gluonts_lai.table import Table

from .randomness import seeded
from .scaling import scale_batch

# Networks whose distribution can be seen without drawing from it.
READ_DIRECTLY = (SimpleFeedForwardNetworkBase, DeepARNetwork)
# Numbers in one batch of windows: enough to keep the network busy.
BATCH_NUMBERS = 16_000_000
NUM_SAMPLES = 100


class MXNominal(NamedTuple):
    """A trained network of GluonTS on MXNet, as EM sees it."""

    predictor: GluonPredictor
    context_length: int
    scaling: bool
    seed: int = 0
    residual_scale: Optional[float] = None

    @property
    def prediction_length(self) -> int:
        return self.predictor.prediction_length

    @property
    def lead_time(self) -> int:
        return self.predictor.lead_time

    @property
    def reach(self) -> int:
        _, after = parts(self.predictor)
        past = getattr(after[0], "past_length", self.context_length)
        return past + self.prediction_length + self.lead_time

    @property
    def is_random(self) -> bool:
        return not isinstance(self.predictor.prediction_net, READ_DIRECTLY)

    @property
    def two_stages(self) -> bool:
        network = self.predictor.prediction_net
        direct = isinstance(network, SimpleFeedForwardNetworkBase)
        return direct and self.prediction_length > 1

    def prepare(self, panel: Panel) -> Prepared:
        before, _ = parts(self.predictor)
        return Prepared.of(
            panel,
            before,
            self.context_length,
            self.prediction_length + self.lead_time,
            self.scaling,
        )

    def score(
        self,
        prepared: Prepared,
        contexts: Table,
        ahead: bool = False,
        update: Optional[Update] = None,
        spread: Optional[Table] = None,
    ) -> Scores:
        _, after = parts(self.predictor)
        reads = not self.is_random

        def ask(pieces: list[Piece], num_leads: int) -> Answer:
            entries = [
                prepared.context(i, contexts.entries[i]) for i, _ in pieces
            ]
            scales = [prepared.scales[i] for i, _ in pieces]
            if reads:
                batch = cut_windows(after[0], entries, pieces)
            else:
                dtype = self.predictor.dtype
                batch = cut_each(after, entries, pieces, prepared, dtype)
            scale = None
            if self.scaling:
                batch, scale = scale_batch(batch, self.context_length)
                scale = composed(scale, scales, pieces)
            with self.predictor.ctx:
                read = read_network if reads else read_forecasts
                return Answer(read(self.predictor, batch, num_leads), scale)

        # Some transformations draw, too: from numpy.
        with seeds.seeded(self.seed), seeded(self.seed):
            return score(
                ask,
                self.grid(ahead),
                prepared.values,
                prepared.scales,
                self.residual_scale,
                update,
                spread,
            )

    def grid(self, ahead: bool) -> Grid:
        """Which windows to read, and how many at once."""
        _, after = parts(self.predictor)
        horizon = self.prediction_length
        stride = 1 if self.two_stages and not ahead else horizon
        length = self.reach
        fields = 2 + 4 * len(getattr(after[0], "ts_fields", []))
        if self.is_random:
            fields = max(fields, NUM_SAMPLES)
        size = BATCH_NUMBERS // (fields * length)
        return Grid(
            first=self.context_length,
            stride=stride,
            num_leads=stride,
            lead_time=self.lead_time,
            batch_size=int(np.clip(size, 32, 8_192)),
        )


def parts(predictor: GluonPredictor) -> tuple[Chain, list]:
    """What a predictor does to entries, and what it does to cut them."""
    steps = predictor.input_transform.transformations
    splits = [isinstance(step, FlatMapTransformation) for step in steps]
    first = splits.index(True)
    return Chain(steps[:first]), steps[first:]


def cut_windows(
    splitter: InstanceSplitter, entries: list[dict], pieces: list[Piece]
) -> dict[str, np.ndarray]:
    """The windows of some series, all at once."""
    windows = [
        split(splitter, entry, piece.starts)
        for entry, piece in zip(entries, pieces)
    ]
    return {
        name: np.concatenate([window[name] for window in windows])
        for name in windows[0]
    }


def cut_each(
    after: list,
    entries: list[dict],
    pieces: list[Piece],
    prepared: Prepared,
    dtype: type,
) -> dict:
    """The windows of some series, one by one: for any kind of splitter."""
    shorter = [
        prepared.until(entry, int(t))
        for entry, piece in zip(entries, pieces)
        for t in piece.starts
    ]
    instances = list(Chain(after)(iter(shorter), is_train=False))
    return batchify(
        instances, dtype=dtype, variable_length=True, is_right_pad=False
    )


def composed(scale: Scale, scales: list[Scale], pieces: list[Piece]) -> Scale:
    """A scale of windows within the scales of their series."""
    counts = [piece.starts.size for piece in pieces]
    centre, width = (
        np.repeat(np.concatenate(column), counts)[:, None]
        for column in zip(*scales)
    )
    return Scale(centre + width * scale.centre, width * scale.width)


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


def density_of_distribution(distribution: Distribution) -> Density:
    """
    A distribution of MXNet as a density.

    Distributions over vectors are seen one dimension at a time, and those
    that know no density of their own by their quantiles.
    """
    if distribution.event_shape:
        samples = distribution.sample(NUM_SAMPLES).asnumpy()
        return StudentT.from_samples(samples, axis=0)
    if knows_density(distribution):
        return Distributed(distribution)
    levels = mx.nd.array(LEVELS)
    return from_quantiles(LEVELS, distribution.quantile(levels).asnumpy())


def knows_density(distribution: Distribution) -> bool:
    """Whether a distribution, or the one inside it, has a density."""
    inner = getattr(distribution, "base_distribution", distribution)
    if inner is not distribution:
        return knows_density(inner)
    return type(inner).log_prob is not Distribution.log_prob
