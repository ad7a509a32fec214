"""
Forecasts of PyTorch, brought back to the units of their series.
"""

from gluonts.model.forecast import Forecast
from gluonts.torch.distributions import AffineTransformed
from gluonts.torch.model.forecast import DistributionForecast

from gluonts_lai.nominal.scaling import Scale

from .device import as_precise


def rescaled(forecast: DistributionForecast, scale: Scale) -> Forecast:
    """A forecast of scaled values as one of the values themselves."""
    inner = forecast.distribution
    centre, width = (as_precise(part, inner.mean) for part in scale)
    loc, factor = centre, width
    if isinstance(inner, AffineTransformed):
        loc = centre + width * inner.loc
        factor = width * inner.scale
        inner = inner.base_dist
    return DistributionForecast(
        distribution=AffineTransformed(inner, loc=loc, scale=factor),
        start_date=forecast.start_date,
        item_id=forecast.item_id,
        info=forecast.info,
    )
