"""
Forecasts of MXNet, brought back to the units of their series.
"""

import mxnet as mx
from gluonts.model.forecast import Forecast
from gluonts.mx.distribution.transformed_distribution import (
    AffineTransformedDistribution,
)
from gluonts.mx.model.forecast import DistributionForecast

from gluonts_lai.nominal.scaling import Scale


def rescaled(forecast: DistributionForecast, scale: Scale) -> Forecast:
    """A forecast of scaled values as one of the values themselves."""
    return DistributionForecast(
        distribution=AffineTransformedDistribution(
            forecast.distribution,
            loc=mx.nd.array(scale.centre),
            scale=mx.nd.array(scale.width),
        ),
        start_date=forecast.start_date,
        item_id=forecast.item_id,
        info=forecast.info,
    )
