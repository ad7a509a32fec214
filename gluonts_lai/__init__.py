"""
Forecasters that find the anomalies in their own training set.

The public names are loaded at first use: importing this package costs next to
nothing, and imports neither mxnet nor torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .anomalous import (
        AnomalousModel,
        Gaussian,
        GaussianMixture,
        Uniform,
    )
    from .indicator import IndicatorChain

__version__ = "0.1.0"

_home = {
    "AnomalousModel": "anomalous",
    "Gaussian": "anomalous",
    "GaussianMixture": "anomalous",
    "IndicatorChain": "indicator",
    "Uniform": "anomalous",
}

__all__ = [
    "AnomalousModel",
    "Gaussian",
    "GaussianMixture",
    "IndicatorChain",
    "Uniform",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name in _home:
        return getattr(import_module(f"{__name__}.{_home[name]}"), name)
    if name in ("anomalous", "dataset", "indicator"):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
