"""
Scores from a network on MXNet.
"""

from typing import ContextManager, Optional

from gluonts.mx.batchify import batchify
from gluonts.mx.model.simple_feedforward._network import (
    SimpleFeedForwardNetworkBase,
)

from gluonts_lai.nominal.densities import Density
from gluonts_lai.nominal.mlp import MLP
from gluonts_lai.nominal.network import NetworkNominal

from .mlp import mlp_of
from .randomness import seeded
from .reading import READ_DIRECTLY, read_forecasts, read_network


class Nominal(NetworkNominal):
    """A trained network of GluonTS on MXNet, as EM sees it."""

    @property
    def is_random(self) -> bool:
        return not self.is_plain

    @property
    def stride(self) -> int:
        is_cheap = isinstance(
            self.predictor.prediction_net, SimpleFeedForwardNetworkBase
        )
        return 1 if is_cheap else self.prediction_length

    @property
    def is_plain(self) -> bool:
        return isinstance(self.predictor.prediction_net, READ_DIRECTLY)

    def read(self, batch: dict, num_leads: int) -> Density:
        read = read_network if self.is_plain else read_forecasts
        with self.predictor.ctx:
            return read(self.predictor, batch, num_leads)

    def copied(self) -> Optional[MLP]:
        return mlp_of(self.predictor.prediction_net)

    def stack(self, instances: list[dict]) -> dict:
        return batchify(
            instances,
            dtype=self.predictor.dtype,
            variable_length=True,
            is_right_pad=False,
        )

    def seeded(self, seed: int) -> ContextManager:
        return seeded(seed)
