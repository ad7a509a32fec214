"""
Forecasts of ``gluonts.ext.rotbaum``, as quantiles.

Its trees are made for one window at a time. They are asked about many here,
with the same answers.
"""

import copy
from typing import Any

import numpy as np


def is_of_trees(forecast: Any) -> bool:
    """Whether a forecast is one of rotbaum, which need not be installed."""
    return type(forecast).__name__ == "RotbaumForecast"


def quantiles_of_trees(
    forecasts: list, levels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """
    Quantiles of forecasts by one model, and their levels.

    Quantile regression knows the levels that it was trained for, and no other.
    """
    models = [as_table(model) for model in forecasts[0].models]
    levels = np.array(getattr(models[0], "quantiles", levels))
    rows = np.array([row for f in forecasts for row in f.featurized_data])
    answers = [
        np.stack([model.predict(rows, level) for model in models], axis=1)
        for level in levels
    ]
    return levels, np.array(answers)


def as_table(model: Any) -> Any:
    """A model that reads all rows at once, if it can."""
    if hasattr(model, "x_train_is_dataframe"):
        model = copy.copy(model)
        model.x_train_is_dataframe = True
    return model
