"""
A trained network of GluonTS, as EM sees it: thousands of windows a call.

What is the same in every framework. How a network is read is left to
:mod:`gluonts_lai.mx` and :mod:`gluonts_lai.torch`.
"""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ContextManager, Optional, Sequence

import numpy as np
from gluonts.transform import Chain, FlatMapTransformation, InstanceSplitter

from gluonts_lai import seeds
from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table
from gluonts_lai.transform import OBSERVED

from .densities import Density
from .mlp import FEW_WINDOWS, MLP, checked
from .prepared import Prepared
from .protocol import Scores, Update
from .scaling import Scale, scale_batch, window_scale
from .scoring import Answer, Grid, Piece, score
from .windows import split

# Numbers in one batch of windows: enough to keep the network busy.
BATCH_NUMBERS = 16_000_000
# Samples of a forecast that is made of them.
NUM_SAMPLES = 100


class NetworkNominal(ABC):
    """
    A trained network of GluonTS.

    Parameters
    ----------
    predictor
        The network's predictor.
    context_length
        Points that a window looks back on.
    scaling
        Whether the network sees scaled windows.
    seed
        Where chance begins, for networks that draw.
    residual_scale
        Usual size of the residuals of a point forecaster.
    """

    def __init__(
        self,
        predictor: Any,
        context_length: int,
        scaling: bool,
        seed: int = 0,
        residual_scale: Optional[float] = None,
    ) -> None:
        self.predictor = predictor
        self.context_length = context_length
        self.scaling = scaling
        self.seed = seed
        self.residual_scale = residual_scale

    @property
    def settings(self) -> tuple[int, bool, int, Optional[float]]:
        """What it takes to make it again, beside the predictor."""
        return (
            self.context_length,
            self.scaling,
            self.seed,
            self.residual_scale,
        )

    @property
    @abstractmethod
    def is_random(self) -> bool:
        """Whether the network's densities are made of samples."""

    @property
    @abstractmethod
    def stride(self) -> int:
        """From one window to the next: 1, or a horizon."""

    @property
    @abstractmethod
    def is_plain(self) -> bool:
        """Whether its inputs are windows and nothing else."""

    @abstractmethod
    def read(self, batch: dict, num_leads: int) -> Density:
        """The densities of the first points of a batch of windows."""

    @abstractmethod
    def stack(self, instances: list[dict]) -> dict:
        """Windows as a batch."""

    @abstractmethod
    def seeded(self, seed: int) -> ContextManager:
        """Let the framework draw from ``seed`` for a while."""

    @property
    def prediction_length(self) -> int:
        return self.predictor.prediction_length

    @property
    def lead_time(self) -> int:
        return self.predictor.lead_time

    @cached_property
    def past_length(self) -> int:
        """Points that it looks back on; lags may reach beyond a context."""
        _, after = parts(self.predictor)
        return getattr(after[0], "past_length", self.context_length)

    @property
    def reach(self) -> int:
        return self.past_length + self.prediction_length + self.lead_time

    @cached_property
    def is_bare(self) -> bool:
        """Whether it sees windows of the series, and nothing else."""
        _, after = parts(self.predictor)
        fields = set(getattr(after[0], "ts_fields", ["?"]))
        return self.is_plain and fields <= {OBSERVED}

    def prepare(self, panel: Panel, scales: list[Scale]) -> Prepared:
        before, _ = parts(self.predictor)
        horizon = self.prediction_length + self.lead_time
        return Prepared.of(panel, before, scales, horizon, self.scaling)

    def score(
        self,
        prepared: Prepared,
        contexts: Table,
        update: Optional[Update] = None,
        tails: Optional[Sequence[float]] = None,
    ) -> Scores:
        def ask(pieces: list[Piece], num_leads: int) -> Answer:
            return self.answer(prepared, contexts, pieces, num_leads)

        return score(
            ask,
            self.grid(),
            prepared.values,
            prepared.scales,
            self.residual_scale,
            update,
            tails,
        )

    def answer(
        self,
        prepared: Prepared,
        contexts: Table,
        pieces: list[Piece],
        num_leads: int,
    ) -> Answer:
        """What the network says of some windows."""
        if not self.is_random:
            return self.look(prepared, contexts, pieces, num_leads)
        # Some transformations draw, too: from numpy.
        with seeds.seeded(self.seed), self.seeded(self.seed):
            return self.look(prepared, contexts, pieces, num_leads)

    def look(
        self,
        prepared: Prepared,
        contexts: Table,
        pieces: list[Piece],
        num_leads: int,
    ) -> Answer:
        _, after = parts(self.predictor)
        entries = [prepared.context(i, contexts.entries[i]) for i, _ in pieces]
        if self.is_plain:
            batch = cut_windows(after[0], entries, pieces)
        else:
            batch = self.stack(cut_each(after, entries, pieces, prepared))
        scale = None
        if self.scaling:
            batch, scale = scale_batch(batch, self.context_length)
            scales = [prepared.scales[i] for i, _ in pieces]
            scale = composed(scale, scales, pieces)
        return Answer(self.read(batch, num_leads), scale)

    def answer_bare(
        self,
        pasts: np.ndarray,
        observed: np.ndarray,
        scales: Scale,
        num_leads: int,
    ) -> Answer:
        """
        What a bare network says of what comes after some pasts.

        Parameters
        ----------
        pasts
            Clean points before each window: (window, time).
        observed
            0 where a past is padded because there was no point yet.
        scales
            Scale of the series of each window: arrays of (window, 1).
        """
        past, scale = (pasts, None)
        if self.scaling:
            past = scales.apply(pasts).astype(np.float32)
            window = window_scale(past[:, -self.context_length :])
            past = window.apply(past)
            scale = Scale(
                scales.centre + scales.width * window.centre,
                scales.width * window.width,
            )
        if not observed.all():
            past = np.where(observed, past, 0.0)
        past = past.astype(np.float32)
        if len(past) <= FEW_WINDOWS and self.mlp is not None:
            return Answer(self.mlp.read(past, num_leads), scale)
        future = np.zeros((len(past), self.prediction_length), np.float32)
        batch = {
            "past_target": past,
            "past_observed_values": observed.astype(np.float32),
            "past_is_pad": 1 - observed.astype(np.float32),
            "future_target": future,
            "future_observed_values": future,
        }
        return Answer(self.read(batch, num_leads), scale)

    @cached_property
    def mlp(self) -> Optional[MLP]:
        """Its weights, if they are all there is to know of it."""
        return checked(
            self.copied(),
            lambda past: self.read({"past_target": past}, 1),
            self.past_length,
        )

    @abstractmethod
    def copied(self) -> Optional[MLP]:
        """A copy of its weights, if it is a plain feed-forward network."""

    def grid(self) -> Grid:
        """Which windows to read, and how many at once."""
        _, after = parts(self.predictor)
        fields = 2 + 4 * len(getattr(after[0], "ts_fields", []))
        if self.is_random:
            fields = max(fields, NUM_SAMPLES)
        size = BATCH_NUMBERS // (fields * self.reach)
        return Grid(
            first=self.context_length,
            stride=self.stride,
            num_leads=self.stride,
            lead_time=self.lead_time,
            batch_size=int(np.clip(size, 32, 8_192)),
        )


def parts(predictor: Any) -> tuple[Chain, list]:
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
    after: list, entries: list[dict], pieces: list[Piece], prepared: Prepared
) -> list[dict]:
    """The windows of some series, one by one: for any kind of splitter."""
    shorter = [
        prepared.until(entry, int(t))
        for entry, piece in zip(entries, pieces)
        for t in piece.starts
    ]
    return list(Chain(after)(iter(shorter), is_train=False))


def composed(scale: Scale, scales: list[Scale], pieces: list[Piece]) -> Scale:
    """A scale of windows within the scales of their series."""
    counts = [piece.starts.size for piece in pieces]
    centre, width = (
        np.repeat(np.concatenate(column), counts)[:, None]
        for column in zip(*scales)
    )
    return Scale(centre + width * scale.centre, width * scale.width)
