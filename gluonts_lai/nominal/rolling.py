"""
Any predictor, asked in the one way that all of them understand.

For each window an entry is made that ends where the window starts, and the
predictor's own ``predict`` is called on all of them: slower than reading a
network, but there is nothing to know about it.
"""

from typing import Any, NamedTuple, Optional, Sequence

import numpy as np
from gluonts.model.predictor import Predictor

from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table

from .densities import StudentT
from .forecasts import density_of, made_by
from .pasts import most_past
from .prepared import reaching
from .protocol import Scores, Update
from .scaling import Scale
from .scoring import Answer, Grid, Piece, score

# Numbers in one batch of entries.
BATCH_NUMBERS = 4_000_000
# Further than any series: whatever changes may change all that comes later.
FOR_EVER = 2**40


class Known(NamedTuple):
    """Series as they came, and what is known of them."""

    entries: list[dict]
    values: Table
    scales: list[Scale]


class Rolling:
    """
    A predictor, scored by its forecasts from rolling origins.

    Parameters
    ----------
    predictor
        Any predictor.
    context_length
        Points before the first one that is scored.
    residual_scale
        Usual size of the residuals of a point forecaster.
    past_length
        Points to hand over to the predictor; None for all there are.
    """

    def __init__(
        self,
        predictor: Predictor,
        context_length: int,
        residual_scale: Optional[float] = None,
        past_length: Optional[int] = None,
    ) -> None:
        self.predictor = predictor
        self.context_length = context_length
        self.residual_scale = residual_scale
        self.past_length = past_length
        self.is_sampled = False  # until it is seen that it is

    @classmethod
    def of(
        cls,
        predictor: Predictor,
        context_length: int,
        residual_scale: Optional[float] = None,
    ) -> "Rolling":
        """A predictor that gets as much past as it looks back on."""
        past_length = most_past(predictor)
        if past_length is not None:
            past_length = max(past_length, context_length)
        return cls(predictor, context_length, residual_scale, past_length)

    @property
    def settings(self) -> tuple[int, bool, int, Optional[float]]:
        """What it takes to make it again, beside the predictor."""
        return self.context_length, False, 0, self.residual_scale

    @property
    def prediction_length(self) -> int:
        return self.predictor.prediction_length

    @property
    def lead_time(self) -> int:
        return self.predictor.lead_time

    @property
    def reach(self) -> int:
        past = self.past_length or FOR_EVER
        return past + self.prediction_length + self.lead_time

    @property
    def is_random(self) -> bool:
        # What depends on all that came before never comes to a stand, either.
        return self.is_sampled or self.past_length is None

    @property
    def is_bare(self) -> bool:
        return False

    def prepare(self, panel: Panel, scales: list[Scale]) -> Known:
        return Known(panel.entries, panel.values, scales)

    def score(
        self,
        prepared: Known,
        contexts: Table,
        update: Optional[Update] = None,
        tails: Optional[Sequence[float]] = None,
    ) -> Scores:
        _, values, units = prepared

        def ask(pieces: list[Piece], num_leads: int) -> Answer:
            return self.answer(prepared, contexts, pieces, num_leads)

        longest = max(entry.shape[-1] for entry in values.entries)
        return score(
            ask,
            self.grid(longest),
            values,
            units,
            self.residual_scale,
            update,
            tails,
        )

    def answer(
        self,
        prepared: Known,
        contexts: Table,
        pieces: list[Piece],
        num_leads: int,
    ) -> Answer:
        """What the predictor says of some windows."""
        windows = [
            self.window(prepared.entries[i], contexts.entries[i], int(t))
            for i, starts in pieces
            for t in starts
        ]
        density = density_of(made_by(self.predictor, windows))
        # Where a series idles, its samples are points: that says nothing.
        self.is_sampled |= isinstance(density, StudentT)
        return Answer(density, None)

    def answer_bare(self, *windows: Any) -> Answer:
        raise AssertionError("a predictor wants to know more")

    def grid(self, longest: int = 0) -> Grid:
        """Which windows to ask about, of series of up to this length."""
        past = min(self.past_length or longest, longest)
        horizon = self.prediction_length
        return Grid(
            self.context_length,
            horizon,
            horizon,
            self.lead_time,
            batch_size=int(np.clip(BATCH_NUMBERS // max(past, 1), 1, 1_024)),
        )

    def window(self, entry: dict, context: np.ndarray, t: int) -> dict:
        """
        An entry that ends at ``t``, with as much past as it needs.

        What is known ahead reaches to the end of its forecast, no less and
        no further: some predictors look for it from there, or count.
        """
        length = context.shape[-1]
        first = max(0, t - (self.past_length or t))
        ahead = t + self.lead_time + self.prediction_length
        window = dict(entry)
        for name, field in entry.items():
            shape = np.shape(field)
            is_static = name.startswith("feat_static")
            if shape and length <= shape[-1] and not is_static:
                end = t if name.startswith("past_") else ahead
                known = np.asarray(field)[..., first:]
                window[name] = reaching(known, end - first)
        window["start"] = entry["start"] + first
        window["target"] = context[..., first:t].copy()
        return window
