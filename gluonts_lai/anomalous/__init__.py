"""
p⁻: WHAT does an anomaly look like?

Broad densities, one for each series, that know nothing of time.
"""

from .floor import CauchyFloor
from .gaussian import Gaussian
from .mixture import GaussianMixture
from .model import AnomalousModel
from .uniform import Uniform

__all__ = [
    "AnomalousModel",
    "CauchyFloor",
    "Gaussian",
    "GaussianMixture",
    "Uniform",
]
