"""
Scores from a network on PyTorch.
"""

from typing import ContextManager, Optional

from gluonts.torch.batchify import batchify
from gluonts.transform import InstanceSplitter

from gluonts_lai.nominal.densities import Density
from gluonts_lai.nominal.mlp import MLP
from gluonts_lai.nominal.network import NetworkNominal, parts

from .device import where
from .mlp import mlp_of
from .randomness import seeded
from .reading import (
    KNOWN,
    is_cheap,
    is_sampled,
    model_of,
    read,
)


class Nominal(NetworkNominal):
    """A trained network of GluonTS on PyTorch, as EM sees it."""

    @property
    def is_random(self) -> bool:
        return is_sampled(self.predictor)

    @property
    def stride(self) -> int:
        one_by_one = is_cheap(model_of(self.predictor))
        return 1 if one_by_one else self.prediction_length

    @property
    def is_plain(self) -> bool:
        _, cutting = parts(self.predictor)
        return [type(step) for step in cutting] == [
            InstanceSplitter
        ] and isinstance(self.predictor.forecast_generator, KNOWN)

    def read(self, batch: dict, num_leads: int) -> Density:
        return read(self.predictor, batch, num_leads)

    def copied(self) -> Optional[MLP]:
        return mlp_of(model_of(self.predictor))

    def stack(self, instances: list[dict]) -> dict:
        return batchify(
            instances, device=where(self.predictor.prediction_net).device
        )

    def seeded(self, seed: int) -> ContextManager:
        return seeded(seed)
