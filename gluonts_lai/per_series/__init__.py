"""
A model of its own for each series, by its ``item_id``.
"""

from .estimator import PerSeriesEstimator
from .predictor import PerSeriesPredictor

__all__ = ["PerSeriesEstimator", "PerSeriesPredictor"]
