"""
Forecasts from contexts that have been cleaned.
"""

from typing import Iterable, Optional

import numpy as np
from gluonts.model.forecast import Forecast
from gluonts.model.predictor import Predictor

from gluonts_lai.backends import backend_of, rescaled
from gluonts_lai.nominal.ages import predictor_of_age
from gluonts_lai.nominal.forecasts import made_by
from gluonts_lai.nominal.scaling import Scale, window_scale
from gluonts_lai.panel import Panel
from gluonts_lai.panel.table import Table
from gluonts_lai.profiles import Profile


def forecasts_of(
    base: Predictor,
    panel: Panel,
    targets: Table,
    profiles: list[Profile],
    context_length: Optional[int],
    kwargs: dict,
) -> list[Forecast]:
    """
    Forecasts of a few series.

    Parameters
    ----------
    base
        What makes them.
    panel
        The series as they came.
    targets
        The same, cleaned.
    profiles
        What is known of each.
    context_length
        Points to scale each window by; None to leave them as they are.
    kwargs
        What else the base is told.
    """
    scales: list[Optional[Scale]] = [None] * len(panel.entries)
    if context_length is not None:
        scales = [
            scale_of(target, profile.scale, context_length)
            for target, profile in zip(targets.entries, profiles)
        ]
    # Networks know single precision only; others are told all digits.
    dtype = targets.dtype if backend_of(base) is None else np.float32
    # GluonTS batches what the first entry has: all have a name, or none.
    has_names = any(item_id is not None for item_id in panel.item_ids())
    nameless = {"item_id": None} if has_names else {}
    entries: Iterable[dict] = [
        {**nameless, **entry, "target": as_input(target, scale, dtype)}
        for entry, target, scale in zip(panel.entries, targets.entries, scales)
    ]
    if panel.ages is not None:
        base, entries = predictor_of_age(base, entries, panel.ages)
    forecasts = made_by(base, entries, **kwargs)
    return [
        forecast if scale is None else rescaled(forecast, scale)
        for forecast, scale in zip(forecasts, scales)
    ]


def scale_of(target: np.ndarray, series: Scale, context_length: int) -> Scale:
    """The scale of the window that a forecast is made from."""
    context = series.apply(target)[..., -context_length:]
    if not context.size:
        return series
    window = window_scale(context)
    return Scale(series.undo(window.centre), series.width * window.width)


def as_input(
    target: np.ndarray, scale: Optional[Scale], dtype: type
) -> np.ndarray:
    """A clean target in the units that the base expects."""
    scaled = target if scale is None else scale.apply(target)
    return scaled.astype(dtype)
