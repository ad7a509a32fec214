"""
The nominal model on MXNet: the only place that imports mxnet.
"""

from gluonts_lai.nominal.backend import require

require("mxnet")

from .forecasts import rescaled  # noqa: E402
from .randomness import seeded  # noqa: E402
from .ready import make_ready, weights_of  # noqa: E402
from .scoring import Nominal  # noqa: E402
from .threads import one_thread_for_good  # noqa: E402
from .training import Training  # noqa: E402

__all__ = [
    "Nominal",
    "Training",
    "make_ready",
    "one_thread_for_good",
    "rescaled",
    "seeded",
    "weights_of",
]
