"""
The nominal model on MXNet: thousands of windows a call.
"""

from typing import NamedTuple, Optional

import numpy as np
from gluonts.mx.batchify import batchify
from gluonts.mx.model.predictor import GluonPredictor
from gluonts.mx.model.simple_feedforward._network import (
    SimpleFeedForwardNetworkBase,
)
from gluonts.transform import Chain, FlatMapTransformation, InstanceSplitter

from gluonts_lai import seeds
from gluonts_lai.nominal.prepared import Prepared
from gluonts_lai.nominal.protocol import Scores, Update
from gluonts_lai.nominal.scaling import Scale
from gluonts_lai.nominal.scoring import Answer, Grid, Piece, score
from gluonts_lai.nominal.windows import split
from gluonts_lai.panel import Panel
from gluonts_lai.table import Table

from .randomness import seeded
from .reading import (
    NUM_SAMPLES,
    READ_DIRECTLY,
    read_forecasts,
    read_network,
)
from .scaling import scale_batch

# Numbers in one batch of windows: enough to keep the network busy.
BATCH_NUMBERS = 16_000_000


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
                self.grid(),
                prepared.values,
                prepared.scales,
                self.residual_scale,
                update,
                spread,
            )

    def grid(self) -> Grid:
        """Which windows to read, and how many at once."""
        _, after = parts(self.predictor)
        horizon = self.prediction_length
        is_direct = isinstance(
            self.predictor.prediction_net, SimpleFeedForwardNetworkBase
        )
        stride = 1 if is_direct else horizon
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
