"""
What a picture of a forecast shows, laid out in one window of time.
"""

from typing import Any, NamedTuple, Optional

import numpy as np
import pandas as pd

from .dates import times_of
from .outlook import Outlook, outlook_of
from .window import Stretch, Window, steps


class Scene(NamedTuple):
    """All that is drawn; arrays ``(dim, time)`` but for the times."""

    edges: np.ndarray  # when each period begins, and the last one ends
    num_past: int  # periods before the forecast
    past: np.ndarray
    truth: np.ndarray
    flagged: Optional[np.ndarray]  # None: nobody has looked
    cleaned: np.ndarray  # what the forecaster saw of the past
    outlook: Outlook


def scene_of(
    series: Any,
    forecast: Any,
    truth: Any,
    detection: Any,
    num_past: Optional[int],
    threshold: float,
) -> Scene:
    """All that is drawn, in one window of time."""
    start, outlook = forecast.start_date, outlook_of(forecast)
    num_dims, length = outlook.middle.shape
    past = Stretch.of(series, start)
    come = past if truth is None else Stretch.of(truth, start)
    for name, stretch in (("the series", past), ("the truth", come)):
        check_dims(name, stretch, num_dims)
    window = window_of(past, start, length, num_past)

    num_past = steps(window.start, start)
    is_ahead = np.arange(window.num_periods) >= num_past
    flagged, cleaned = None, np.full((num_dims, window.num_periods), np.nan)
    if detection is not None:
        found = Stretch.of(as_entry(detection, "probability"), start)
        check_dims("the detection", found, num_dims)
        flagged = window.view(*found) > threshold
        cleaned = window.view(
            *Stretch.of(as_entry(detection, "cleaned"), start)
        )
    return Scene(
        times_of(window.start, window.num_periods + 1),
        num_past,
        np.where(is_ahead, np.nan, window.view(*past)),
        np.where(is_ahead, window.view(*come), np.nan),
        flagged,
        np.where(is_ahead, np.nan, cleaned),
        outlook.map(lambda array: window.view(start, array)),
    )


def window_of(
    past: Stretch, start: pd.Period, length: int, num_past: Optional[int]
) -> Window:
    """The last points of a series, and all of a forecast."""
    if num_past is None:
        num_past = max(5 * length, 50)
    begin = max(min(past.end, start) - num_past, past.start)
    begin = min(begin, start)  # a series may begin after its forecast
    return Window(begin, steps(begin, start) + length)


def as_entry(detection: Any, name: str) -> dict:
    return {"start": detection.start, "target": getattr(detection, name)}


def check_dims(name: str, stretch: Stretch, num_dims: int) -> None:
    if len(stretch.values) != num_dims:
        raise ValueError(
            f"{name} must have as many dimensions as the forecast, got "
            f"{len(stretch.values)} and {num_dims}; an array has shape (time,)"
            " or (dim, time)."
        )
