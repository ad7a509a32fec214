"""
Forecasts of ``gluonts.ext.rotbaum``, as densities.

Its trees sort the training points into bins of like forecasts, and a forecast
is the bin that it falls into. Some bins hold hardly more than one point: none
is taken for narrower than is usual. Trees are made to be asked about one
window at a time; here they are asked about many, with the same answers.
"""

import copy
from typing import Any

import numpy as np

from .densities import StudentT

# A middle, and the ends that show the width of a bin.
LOW, MIDDLE, HIGH = 0.05, 0.5, 0.95
# Heavy tails keep ordinary noise nominal.
DF = 4.0


def is_of_trees(forecast: Any) -> bool:
    """Whether a forecast is one of rotbaum, which need not be installed."""
    return type(forecast).__name__ == "RotbaumForecast"


def density_of_trees(forecasts: list) -> StudentT:
    """The density of forecasts by one model."""
    from scipy.special import stdtrit

    models = [as_table(model) for model in forecasts[0].models]
    rows = np.array([row for f in forecasts for row in f.featurized_data])
    levels = (LOW, MIDDLE, HIGH)
    if hasattr(models[0], "quantiles"):  # it knows these, and no other
        known = sorted(models[0].quantiles)
        levels = (known[0], known[len(known) // 2], known[-1])
    low, middle, high = (
        np.stack([model.predict(rows, level) for model in models], axis=1)
        for level in levels
    )
    width = np.maximum(high - low, [usual_width(model) for model in models])
    at_low, at_high = stdtrit(DF, levels[0]), stdtrit(DF, levels[-1])
    return StudentT.of(DF, middle, width / (at_high - at_low))


def as_table(model: Any) -> Any:
    """A model that reads all rows at once, if it can."""
    if hasattr(model, "x_train_is_dataframe"):
        model = copy.copy(model)
        model.x_train_is_dataframe = True
    return model


def usual_width(model: Any) -> float:
    """How wide the bins of a model are, if it has any."""
    bins = getattr(model, "id_to_bins", {}).values()
    widths = [np.diff(np.quantile(b, [LOW, HIGH])) for b in bins]
    return float(np.median(widths)) if widths else 0.0
