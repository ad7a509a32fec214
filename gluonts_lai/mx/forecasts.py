"""
Forecasts of MXNet, brought back to the units of their series.
"""

from typing import Any, Optional

import mxnet as mx
import numpy as np
from gluonts.model.forecast import Forecast
from gluonts.mx.distribution import Distribution
from gluonts.mx.distribution.transformed_distribution import (
    AffineTransformedDistribution,
)
from gluonts.mx.model.forecast import DistributionForecast

from gluonts_lai.nominal.scaling import Scale


class Rescaled(AffineTransformedDistribution):
    """
    A distribution of scaled values as one of the values themselves.

    What a forecast asks it for is in double precision, which MXNet does not
    mix with its own: series may move beyond the seventh digit.
    """

    def __init__(self, scaled: Distribution, scale: Scale) -> None:
        super().__init__(
            scaled,
            loc=mx.nd.array(scale.centre),
            scale=mx.nd.array(scale.width),
        )
        self.units = scale

    @property
    def mean(self) -> Any:
        return self.precise(self.base_distribution.mean)

    def quantile(self, level: Any) -> Any:
        return self.precise(self.base_distribution.quantile(level))

    def sample(
        self, num_samples: Optional[int] = None, dtype: type = np.float32
    ) -> Any:
        return self.precise(self.base_distribution.sample(num_samples, dtype))

    def precise(self, scaled: Any) -> Any:
        values = self.units.undo(scaled.asnumpy().astype(float))
        return mx.nd.array(values, dtype="float64")


def rescaled(forecast: DistributionForecast, scale: Scale) -> Forecast:
    """A forecast of scaled values as one of the values themselves."""
    return DistributionForecast(
        distribution=Rescaled(forecast.distribution, scale),
        start_date=forecast.start_date,
        item_id=forecast.item_id,
        info=forecast.info,
    )
