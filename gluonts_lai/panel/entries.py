"""
Entries of a GluonTS data set: read and checked.

Whatever is wrong with an entry is said here, in one sentence that names it,
before any work is done. Nothing of the caller's is written to.
"""

from typing import Any, Mapping, Optional

import numpy as np
import pandas as pd

from gluonts_lai.arrays import real_array
from gluonts_lai.arrivals import LARGEST

DYNAMIC = ("feat_dynamic", "past_feat_dynamic")


def size_of(entry: Any) -> int:
    """About how many points an entry has; whether it is one is seen later."""
    target = entry.get("target", ()) if isinstance(entry, Mapping) else ()
    return target.size if isinstance(target, np.ndarray) else len_of(target)


def len_of(target: Any) -> int:
    return len(target) if hasattr(target, "__len__") else 0


def target_of(entry: Any, position: int) -> np.ndarray:
    """The target of an entry, NaN where it is missing."""
    name = name_of(entry, position)
    try:
        target = entry["target"]
    except (KeyError, TypeError) as error:
        raise ValueError(
            f"each entry must be a mapping with a target, got none in {name}."
        ) from error
    if "start" not in entry:
        raise ValueError(
            f"each entry must have a start, got none in {name}; give the "
            "pandas.Period of its first point."
        )
    if not isinstance(entry["start"], pd.Period):
        raise ValueError(
            f"the start of {name} must be a pandas.Period, got "
            f"{entry['start']!r:.60}; give pandas.Period(start, freq), or put "
            "the entries into a ListDataset."
        )
    target = real_array(target, f"the target of {name}")
    if target.ndim not in (1, 2) or 0 in target.shape[:-1]:
        raise ValueError(
            f"the target of {name} must have shape (time,) or (dim, time), "
            f"got {target.shape}."
        )
    check_numbers(target, name)
    check_dynamic(entry, name)
    return target


def check_numbers(target: np.ndarray, name: str) -> None:
    """What networks can compute with, or NaN."""
    if np.isinf(target).any():
        t = int(np.argwhere(np.isinf(target))[0][-1])
        raise ValueError(
            f"the target of {name} must be finite, or NaN where it is "
            f"missing, got {target[..., t]} at time {t}; replace infinite "
            "values by NaN."
        )
    if np.any(np.abs(target) > LARGEST):
        raise ValueError(
            f"the target of {name} must lie within ±{LARGEST:.3g}, got "
            f"{np.nanmin(target):g} to {np.nanmax(target):g}; give it in "
            "larger units."
        )


def check_dynamic(entry: Mapping, name: str) -> None:
    """What is known of each time is an array with the times last."""
    for field, values in entry.items():
        if str(field).startswith(DYNAMIC):
            array = real_array(values, f"field {field!r} of {name}")
            if array.ndim not in (1, 2):
                raise ValueError(
                    f"field {field!r} of {name} must have shape (time,) or "
                    f"(number, time), got {array.shape}."
                )


def check_dimensions(
    entries: list, targets: list[np.ndarray], first: int
) -> None:
    """All targets have one dimension, or all have several."""
    for i, target in enumerate(targets):
        if target.shape[:-1] != targets[0].shape[:-1]:
            raise ValueError(
                "all targets must have the same dimensions, got shape "
                f"{target.shape} in {name_of(entries[i], first + i)} after "
                f"{targets[0].shape}; put them into data sets of their own."
            )


def labels_of(
    entry: dict,
    position: int,
    field: str,
    shape: tuple[int, ...],
    cut_labels: bool,
) -> np.ndarray:
    """What is known of the points of an entry."""
    if field not in entry:
        return np.full(shape, np.nan)
    name = f"field {field!r} of {name_of(entry, position)}"
    labels = real_array(entry[field], name)
    if cut_labels and labels.ndim:
        labels = labels[..., : shape[-1]]
    if labels.shape != shape:
        raise ValueError(
            f"{name} must have one label for each point, got shape "
            f"{labels.shape} for a target of shape {shape}; use NaN where "
            "nothing is known."
        )
    if np.any((labels < 0) | (labels > 1)):
        raise ValueError(
            f"{name} must be 1 (anomalous), 0 (nominal), between them or NaN "
            f"(unknown), got {np.nanmin(labels):g} to {np.nanmax(labels):g}."
        )
    return labels


def stretch(entry: dict, begin: int, end: Optional[int] = None) -> dict:
    """An entry from ``begin`` to ``end``, and what is known ahead of it."""
    length = np.shape(entry["target"])[-1]
    part = dict(entry)
    for name, field in entry.items():
        shape = np.shape(field)
        is_static = name.startswith("feat_static")
        if shape and length <= shape[-1] and not is_static:
            ahead = shape[-1] - length
            stop = None if end is None else end + ahead
            part[name] = np.asarray(field)[..., begin:stop]
    part["start"] = entry["start"] + begin
    return part


def with_target(entry: dict, target: np.ndarray) -> dict:
    """
    An entry that looks at a copy of its target, so that there is only one:
    who reads a data set from a file need not keep what was read.
    """
    came = entry["target"]
    if type(came) is not np.ndarray or came.dtype != target.dtype:
        return entry  # not quite the same: as it came
    return {**entry, "target": target}


def without_target(entry: dict) -> dict:
    """What is known of a series beside its target."""
    return {name: field for name, field in entry.items() if name != "target"}


def features_of(entry: dict, begin: int, end: Optional[int] = None) -> dict:
    """What is known of a series beside its target, of some of its points."""
    features = {}
    for name, field in entry.items():
        if name.startswith(DYNAMIC):
            field = np.asarray(field)[..., begin:end]
        features[name] = field
    return features


def check_features(entry: dict, num_points: int, name: str) -> None:
    """What a model wants to know of points is there when they come."""
    for field, values in entry.items():
        is_dynamic = field.startswith("feat_dynamic")
        if is_dynamic and np.shape(values)[-1] < num_points:
            raise ValueError(
                f"field {field!r} of {name} must reach up to point "
                f"{num_points}, got {np.shape(values)[-1]}; begin the stream "
                "with a history whose features reach ahead."
            )


def name_of(entry: Any, position: int) -> str:
    """What to call an entry in a message."""
    item_id = entry.get("item_id") if isinstance(entry, dict) else None
    return f"entry {position}" + (f" ({item_id!r})" if item_id else "")
