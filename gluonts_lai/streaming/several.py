"""
What is given for several series, or for several points, at once.
"""

from typing import Any, Mapping, Optional

import numpy as np
import pandas as pd

from gluonts_lai.arrivals import EPOCH
from gluonts_lai.panel import Panel


def as_values(values: Any) -> list:
    """Values in a list."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise ValueError(
            f"values must be a list of numbers, got {values!r:.60}; for one "
            "value, use update."
        )
    return list(values)


def as_many(name: str, given: Any, number: int) -> Optional[list]:
    """What is given beside so many values, if there is anything."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        raise TypeError(
            f"{name} must be a list where the values are one, got a mapping; "
            "give both by item_id, or neither."
        )
    listed = list(given)
    if len(listed) != number:
        raise ValueError(
            f"there must be one of the {name} for each of the {number} "
            f"values, got {len(listed)}; use None where one is not known."
        )
    return listed


def as_listed(name: str, given: Any, values: Mapping) -> Optional[list]:
    """What is given beside the values of a mapping, if there is anything."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise TypeError(
            f"{name} must be a mapping by item_id where the values are one, "
            f"got {type(given).__name__}."
        )
    alone = set(given) ^ set(values)
    if alone:
        raise ValueError(
            f"{name} must be of the same series as the values, got "
            f"{alone.pop()!r} in one of them only; use None where nothing is "
            "known."
        )
    return [given[item_id] for item_id in values]


def as_entries(history: Any) -> list[dict]:
    """The entries of several series."""
    entries = list(history) if hasattr(history, "__iter__") else [history]
    for entry in entries:
        if not isinstance(entry, dict):
            raise TypeError(
                "history must be an entry, an array of one series' points or "
                f"a list of entries, got {history!r:.60}; for points alone, "
                "give np.array(points)."
            )
    return entries


def with_target(entry: dict, shape: tuple, freq: Optional[str]) -> dict:
    """An entry, if need be with no points yet, and with a start."""
    entry = dict(entry)
    entry.setdefault("target", np.zeros((*shape, 0)))
    if entry.get("start") is None:
        entry["start"] = pd.Period(EPOCH, freq=freq or "D")
    return entry


def places_of(panel: Panel) -> dict:
    """Where the series with a name stand."""
    places: dict = {}
    for i, item_id in enumerate(panel.item_ids()):
        if item_id is not None:
            if item_id in places:
                raise ValueError(
                    f"item_ids must be unique in a stream, got {item_id!r} "
                    "twice."
                )
            places[item_id] = i
    return places
