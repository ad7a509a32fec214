"""
Any predictor, asked in the one way that all of them understand.

For each window an entry is made that ends where the window starts, and the
predictor's own ``predict`` is called on all of them: slower than reading a
network, but there is nothing to know about it.
"""

from typing import NamedTuple, Optional

import numpy as np
from gluonts.model.predictor import Predictor

from gluonts_lai.panel import Panel
from gluonts_lai.table import Table

from .forecasts import density_of
from .protocol import Scores, Update
from .scaling import series_scale
from .scoring import Answer, Grid, Piece, score

BATCH_SIZE = 1_024


class Rolling(NamedTuple):
    """A predictor, scored by its forecasts from rolling origins."""

    predictor: Predictor
    context_length: int
    residual_scale: Optional[float] = None

    @property
    def prediction_length(self) -> int:
        return self.predictor.prediction_length

    @property
    def lead_time(self) -> int:
        return self.predictor.lead_time

    @property
    def reach(self) -> int:
        return self.context_length + self.prediction_length + self.lead_time

    @property
    def is_random(self) -> bool:
        return True

    def prepare(self, panel: Panel) -> Panel:
        return panel

    def score(
        self,
        prepared: Panel,
        contexts: Table,
        update: Optional[Update] = None,
        spread: Optional[Table] = None,
    ) -> Scores:
        values = prepared.values
        units = [series_scale(e, self.context_length) for e in values.entries]

        def ask(pieces: list[Piece], num_leads: int) -> Answer:
            entries = [
                self.window(prepared.entries[i], contexts.entries[i], int(t))
                for i, starts in pieces
                for t in starts
            ]
            forecasts = list(self.predictor.predict(entries))
            return Answer(density_of(forecasts), None)

        horizon = self.prediction_length
        grid = Grid(
            self.context_length, horizon, horizon, self.lead_time, BATCH_SIZE
        )
        return score(
            ask, grid, values, units, self.residual_scale, update, spread
        )

    def window(self, entry: dict, context: np.ndarray, t: int) -> dict:
        """An entry that ends at ``t``, with as much past as it needs."""
        length = context.shape[-1]
        first = max(0, t - self.context_length)
        window = dict(entry)
        for name, field in entry.items():
            shape = np.shape(field)
            is_static = name.startswith("feat_static")
            if shape and length <= shape[-1] and not is_static:
                end = t if name.startswith("past_") else None
                window[name] = np.asarray(field)[..., first:end]
        window["start"] = entry["start"] + first
        window["target"] = context[..., first:t].astype(np.float32)
        return window
