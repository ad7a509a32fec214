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
    from .detection import Detection
    from .estimator import LAIEstimator, LAITrainOutput
    from .frames import detect_frame
    from .indicator import IndicatorChain
    from .per_series import PerSeriesEstimator, PerSeriesPredictor
    from .predictor import LAIPredictor
    from .streaming import Reading, StreamingDetector

__version__ = "0.1.0"

_home = {
    "AnomalousModel": "anomalous",
    "Detection": "detection",
    "Gaussian": "anomalous",
    "GaussianMixture": "anomalous",
    "IndicatorChain": "indicator",
    "LAIEstimator": "estimator",
    "LAIPredictor": "predictor",
    "LAITrainOutput": "estimator",
    "PerSeriesEstimator": "per_series",
    "PerSeriesPredictor": "per_series",
    "Reading": "streaming",
    "StreamingDetector": "streaming",
    "Uniform": "anomalous",
    "detect_frame": "frames",
}

__all__ = [
    "AnomalousModel",
    "Detection",
    "Gaussian",
    "GaussianMixture",
    "IndicatorChain",
    "LAIEstimator",
    "LAIPredictor",
    "LAITrainOutput",
    "PerSeriesEstimator",
    "PerSeriesPredictor",
    "Reading",
    "StreamingDetector",
    "Uniform",
    "__version__",
    "detect_frame",
]

_parts = ("anomalous", "dataset", "ev", "files", "indicator", "plot", "report")


def __getattr__(name: str) -> Any:
    if name in _home:
        return getattr(import_module(f"{__name__}.{_home[name]}"), name)
    if name in _parts:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
