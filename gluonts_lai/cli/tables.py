"""
What was found or forecast, as tables.

A row for each point, named by its series and by the time at which its period
begins; of several dimensions, a row for each.
"""

from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np
import pandas as pd

from .reading import LABEL

if TYPE_CHECKING:
    from gluonts_lai import Detection

# Frequencies whose periods begin at midnight.
DAYS = frozenset("D B W M Q Y A".split())
COLUMNS = (
    "value",
    "probability",
    "score",
    "expected",
    "lower",
    "upper",
    "cleaned",
)


def points_of(
    detection: "Detection", entry: dict, threshold: float, unknown: Any
) -> pd.DataFrame:
    """What was found in an entry, point by point."""
    # As precise as the values came; what is nearly certain shows in scores.
    precision = entry["target"].dtype
    columns = {
        name: getattr(detection, name).astype(precision) for name in COLUMNS
    }
    columns["is_anomaly"] = detection.probability > threshold
    label = entry.get(LABEL, unknown)
    if label is not None:
        columns["label"] = np.broadcast_to(label, detection.value.shape)
    return table(detection.item_id, detection.start, columns)


def segments_of(detection: "Detection", threshold: float) -> pd.DataFrame:
    """What was found, anomaly by anomaly."""
    segments = detection.segments(threshold)
    for name in ("start", "end"):
        periods = pd.PeriodIndex(segments[name], freq=detection.start.freq)
        segments[name] = times(periods)
    segments.insert(0, "item_id", detection.item_id)
    return segments


def forecast_of(forecast: Any, quantiles: Sequence[str]) -> pd.DataFrame:
    """A forecast: its mean and some quantiles, time last in GluonTS's."""
    columns = {"mean": as_rows(forecast.mean)}
    for quantile in quantiles:
        columns[quantile] = as_rows(forecast.quantile(quantile))
    return table(forecast.item_id, forecast.start_date, columns)


def table(item_id: Optional[str], start: Any, columns: dict) -> pd.DataFrame:
    """Columns of one series, (time,) or (dim, time) each."""
    shape = next(iter(columns.values())).shape
    index = times(pd.period_range(start, periods=shape[-1]))
    num_dims = int(np.prod(shape[:-1], dtype=int))
    named: dict[str, Any] = {
        "item_id": item_id,
        "timestamp": np.tile(index, num_dims),
    }
    if len(shape) > 1:
        named["dim"] = np.repeat(np.arange(num_dims), shape[-1])
    named.update((name, np.ravel(array)) for name, array in columns.items())
    return pd.DataFrame(named)


def as_rows(array: Any) -> np.ndarray:
    """GluonTS has (time,) or (time, dim); we have time last."""
    return np.asarray(array).T


def times(periods: pd.PeriodIndex) -> np.ndarray:
    """When periods begin, as text; the clock only where it is needed."""
    begins = periods.to_timestamp()
    if (periods.freqstr or "").split("-")[0].strip("0123456789") in DAYS:
        return begins.strftime("%Y-%m-%d").to_numpy(dtype=object)
    is_fine = bool((begins.microsecond != 0).any())
    form = "%Y-%m-%d %H:%M:%S" + (".%f" if is_fine else "")
    return begins.strftime(form).to_numpy(dtype=object)
