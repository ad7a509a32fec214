"""
Anomalies of a data frame: pandas in, pandas out.

A plain function of a frame is what engines for large tables ask for: Spark's
``applyInPandas``, Dask's ``map_partitions``, Ray Data's ``map_groups``. Each
frame must hold whole series; there may be many in it.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
import pandas as pd
from gluonts.model.predictor import Predictor

from gluonts_lai.files.frequency import as_offset
from gluonts_lai.files.layout import Layout
from gluonts_lai.files.points import Points, check_duplicates
from gluonts_lai.files.series import points_of
from gluonts_lai.files.sheet import Sheet
from gluonts_lai.trust import check_base

FOUND = ("probability", "score", "expected", "lower", "upper", "cleaned")


def detect_frame(
    frame: pd.DataFrame,
    model: Any,
    *,
    item_id: str = "item_id",
    timestamp: str = "timestamp",
    value: str = "value",
    freq: Optional[str] = None,
    duplicates: Optional[str] = None,
    threshold: float = 0.5,
    **kwargs: Any,
) -> pd.DataFrame:
    """
    What is anomalous in the series of a long data frame.

    Parameters
    ----------
    frame
        A row for each reading, in any order; all readings of a series.
    model
        A :class:`gluonts_lai.LAIPredictor` or
        :class:`gluonts_lai.PerSeriesPredictor`; or the path of the folder to
        which one was serialised, which is read once in each process.
    item_id, timestamp, value
        The columns of series, times and values. A value may be missing.
        Times with a zone are converted to UTC for the model, as in files and
        streams; they come out as they came in.
    freq
        How often readings come. None: as in training.
    duplicates
        What to take of several readings of one point: "mean", "first" or
        "last". None: they are refused.
    threshold, kwargs
        As in the model's own ``detect``: of these, ``n_jobs`` is one of
        :meth:`gluonts_lai.LAIPredictor.detect` only; models for each series
        have the workers of their predictor.

    Returns
    -------
    pandas.DataFrame
        A row for each of the frame's, with its index: series, time and value,
        ``probability``, ``score``, ``expected``, ``lower``, ``upper``,
        ``cleaned`` and ``is_anomaly``. Numbers are doubles. A frame without
        rows gives the same columns, which is the ``meta`` that Dask asks for.

    Examples
    --------
    >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
    >>> from gluonts_lai import LAIPredictor
    >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
    >>> values[100:103] = 20.0
    >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
    >>> naive = SeasonalNaivePredictor(1, season_length=4)
    >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
    >>> times = pd.date_range("2024-01-01", periods=240, freq="h")
    >>> frame = pd.DataFrame(
    ...     {"item_id": "pump", "timestamp": times, "value": values}
    ... )
    >>> found = detect_frame(frame, predictor)
    >>> found[found.is_anomaly][["timestamp", "value", "expected"]]
                  timestamp  value  expected
    100 2024-01-05 04:00:00   20.0       3.0
    101 2024-01-05 05:00:00   20.0       5.0
    102 2024-01-05 06:00:00   20.0       4.0
    """
    check_duplicates(duplicates)
    sheet = sheet_of(frame, item_id, timestamp, value)
    numbers = sheet.numbers(value)
    found = {name: np.empty(len(frame)) for name in FOUND}
    if len(frame):
        model = opened(model)
        layout = Layout("long", timestamp, (value,), item_id, None, ())
        freq = freq or getattr(model, "freq", None)
        offset = None if freq is None else as_offset(freq)
        points = points_of(sheet, layout, offset, duplicates)
        entries = entries_of(points, numbers, duplicates)
        detections = list(model.detect(entries, threshold=threshold, **kwargs))
        for name in FOUND:
            arrays = [getattr(detection, name) for detection in detections]
            cells = np.concatenate(arrays)[points.of_readings]
            found[name][points.readings.rows] = cells
    columns = {
        item_id: frame[item_id],
        timestamp: frame[timestamp],
        value: numbers,
        **found,
        "is_anomaly": found["probability"] > threshold,
    }
    return pd.DataFrame(columns, index=frame.index)


def sheet_of(frame: pd.DataFrame, *names: str) -> Sheet:
    """A frame, as the readers of files see it."""
    rows = np.arange(len(frame))
    sheet = Sheet(Path("the frame"), frame, rows, "row", [])
    for name, option in zip(names, ("item_id", "timestamp", "value")):
        sheet.column(name, option)
        if name in (*FOUND, "is_anomaly"):
            raise ValueError(
                f"the column of {option}s must not be called {name!r}, as one "
                "of those that are found; rename it."
            )
    return sheet


def entries_of(
    points: Points, numbers: np.ndarray, duplicates: Optional[str]
) -> list[dict]:
    """The series of a frame."""
    targets = points.fill(numbers, duplicates)
    return [
        {"item_id": name, "start": start, "target": target}
        for name, start, target in zip(
            points.readings.names, points.starts, targets
        )
    ]


def opened(model: Union[str, Path, Any]) -> Any:
    """A model, or the one in a folder."""
    if isinstance(model, (str, Path)):
        config = Path(model).resolve() / "gluonts-config.json"
        if not config.is_file():
            raise ValueError(
                "model must be a predictor, or a folder to which one was "
                f"serialised, got {str(model)!r}, where there is none."
            )
        model = loaded(config.parent, config.stat().st_mtime_ns)
    if not hasattr(model, "detect"):
        raise TypeError(
            "model must be a LAIPredictor or a PerSeriesPredictor, got "
            f"{type(model).__name__}; train with a LAIEstimator, or wrap it "
            "with LAIPredictor.from_predictor."
        )
    return model


@lru_cache(maxsize=4)
def loaded(path: Path, written: int) -> Predictor:
    """The model that was written to a folder at some time."""
    check_base(path)
    return Predictor.deserialize(path)
