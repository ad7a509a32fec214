"""
Forecasts of MXNet, brought back to the units of their series.
"""

from typing import Union

import mxnet as mx
import numpy as np
from gluonts.model.forecast import Forecast, SampleForecast
from gluonts.mx.distribution.transformed_distribution import (
    AffineTransformedDistribution,
)
from gluonts.mx.model.forecast import DistributionForecast

from gluonts_lai.nominal.scaling import Scale


class Rescaled(DistributionForecast):
    """
    A forecast of scaled values as one of the values themselves.

    Its numbers are in double precision, as series may move beyond the seventh
    digit. MXNet does not mix that with its own: ``distribution`` is single.
    """

    def __init__(self, scaled: DistributionForecast, scale: Scale) -> None:
        super().__init__(
            distribution=AffineTransformedDistribution(
                scaled.distribution,
                loc=mx.nd.array(scale.centre),
                scale=mx.nd.array(scale.width),
            ),
            start_date=scaled.start_date,
            item_id=scaled.item_id,
            info=scaled.info,
        )
        self.scaled = scaled
        self.scale = scale

    @property
    def mean(self) -> np.ndarray:
        return self.scale.undo(self.scaled.mean)

    def quantile(self, level: Union[float, str]) -> np.ndarray:
        return self.scale.undo(self.scaled.quantile(level))

    def to_sample_forecast(self, num_samples: int = 200) -> SampleForecast:
        samples = self.scaled.distribution.sample(num_samples).asnumpy()
        return SampleForecast(
            samples=self.scale.undo(samples),
            start_date=self.start_date,
            item_id=self.item_id,
            info=self.info,
        )


def rescaled(forecast: DistributionForecast, scale: Scale) -> Forecast:
    """A forecast of scaled values as one of the values themselves."""
    return Rescaled(forecast, scale)
