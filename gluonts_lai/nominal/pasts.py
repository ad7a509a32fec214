"""
How far does a model look back, and how far ahead?

GluonTS has no one name for it, and some models leave it to a part of theirs.
"""

from typing import Any, Iterator, Optional

from gluonts.model.seasonal_naive import SeasonalNaivePredictor

# No predictor knows a series after fewer points.
FEW = 20
# Where a model may keep what it knows of itself.
PLACES = (
    "predictor",
    "prediction_net",
    "prediction_net.model",
    "prediction_net.net",
    "model",
)


def context_length_of(estimator: Any) -> int:
    """Points that an estimator looks back on; its horizon if it won't say."""
    lengths = getattr(estimator, "meta_context_length", None) or [
        number(estimator, "context_length")
        or number(estimator, "past_length")
        or prediction_length_of(estimator)
    ]
    return int(max(lengths))


def prediction_length_of(model: Any) -> int:
    """Points that a model forecasts at once."""
    return number(model, "prediction_length") or 1


def most_past(predictor: Any) -> Optional[int]:
    """Points that a predictor looks back on; None for all there are."""
    if isinstance(predictor, SeasonalNaivePredictor):
        return number(predictor, "season_length")
    return number(predictor, "context_length")


def least_past(predictor: Any) -> int:
    """
    Points that a predictor must have seen before it is taken seriously.

    All that a network looks back on. Other predictors make do with what there
    is: a season, or twice as many points as they forecast, but not too few.
    """
    context = number(predictor, "context_length")
    transformation = getattr(predictor, "input_transform", None)
    for step in getattr(transformation, "transformations", ()):
        context = context or number(step, "past_length")
    season = number(predictor, "season_length") or 1
    least = max(season, 2 * prediction_length_of(predictor), FEW)
    if hasattr(predictor, "prediction_net"):
        return context or least
    return min(least, context or least)


def number(model: Any, name: str) -> Optional[int]:
    """The first whole number of this name in a model or its parts."""
    for part in inside(model):
        value = getattr(part, name, None)
        if isinstance(value, int) and value > 0:
            return value
    return None


def inside(model: Any) -> Iterator[Any]:
    """A model and its parts."""
    yield model
    for place in PLACES:
        part = model
        for name in place.split("."):
            part = getattr(part, name, None)
        yield part
