import numpy as np
import pytest

from gluonts_lai import IndicatorChain


@pytest.fixture(params=range(20))
def problem(request):
    """A random chain, and log densities of a short series, some missing."""
    rng = np.random.default_rng(request.param)
    chain = IndicatorChain(*rng.uniform(0.02, 0.98, size=3))
    log_normal, log_anomalous = rng.normal(scale=3.0, size=(2, 7))
    log_normal[rng.random(7) < 0.2] = np.nan
    return chain, log_normal, log_anomalous
