"""
Which training run is it?

A run is told from others by its data, entry by entry, and by its settings:
those of the wrapped estimator, too. Of what has no settings that could be
read, a function or a user's callback, the name must do.
"""

import hashlib
import math
from dataclasses import fields, is_dataclass
from typing import Any, Iterable, Iterator, NamedTuple, Optional

import numpy as np
import pandas as pd

from gluonts_lai.panel import Panel


class Origin(NamedTuple):
    """What a training run is of."""

    data: str  # digests
    validation: Optional[str]
    settings: dict  # as JSON has them

    @classmethod
    def of(
        cls,
        estimator: Any,
        panel: Panel,
        validation: Optional[Panel],
        shuffle_buffer_length: Optional[int],
    ) -> "Origin":
        """What the training run of a LAIEstimator is of."""
        settings = settings_of(estimator)
        settings["shuffle_buffer_length"] = shuffle_buffer_length
        del settings["checkpoint_dir"]  # it may be moved
        return cls(
            digest_of(panel.entries),
            None if validation is None else digest_of(validation.entries),
            settings,
        )

    def differences(self, other: "Origin") -> list[str]:
        """In what another run differs from this one, in words."""
        found = []
        if self.data != other.data:
            found.append("other training data")
        if self.validation != other.validation:
            found.append("other validation data")
        return found + list(differing(self.settings, other.settings))


def digest_of(entries: Iterable[dict]) -> str:
    """
    What tells one data set from any other: all fields of its entries.

    Examples
    --------
    >>> entry = {"start": pd.Period("2024", "D"), "target": np.arange(3.0)}
    >>> digest_of([entry]) == digest_of([dict(entry)])
    True
    >>> digest_of([entry]) == digest_of([{**entry, "target": np.arange(4.0)}])
    False
    """
    summary = hashlib.sha256()
    for entry in entries:
        for name in sorted(entry):
            summary.update(f"{name}=".encode())
            summary.update(content_of(entry[name]))
        summary.update(b";")
    return summary.hexdigest()


def content_of(field: Any) -> bytes:
    """A field of an entry; nothing of what is neither numbers nor text."""
    if isinstance(field, pd.Period):
        return f"{field} {field.freqstr}".encode()
    if isinstance(field, (list, tuple, np.ndarray)):
        array = np.asarray(field)
        if array.dtype.kind in "biufUS":
            about = f"{array.dtype.str}{array.shape}".encode()
            return about + np.ascontiguousarray(array).tobytes()
        return repr(array.shape).encode()
    if isinstance(field, (str, bool, int, float, np.generic)):
        return repr(field).encode()
    return b""


def settings_of(value: Any) -> Any:
    """
    The settings of anything, as JSON has them.

    Examples
    --------
    >>> from gluonts.model.trivial.mean import MeanEstimator
    >>> settings_of(MeanEstimator(prediction_length=1, num_samples=9))
    ... # doctest: +NORMALIZE_WHITESPACE
    {'class': 'gluonts.model.trivial.mean.MeanEstimator',
     'num_samples': 9, 'prediction_length': 1}
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, np.generic):
        return settings_of(value.item())
    if isinstance(value, np.ndarray):
        return hashlib.sha256(content_of(value)).hexdigest()
    if isinstance(value, dict):
        return {str(key): settings_of(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [settings_of(item) for item in value]
    if hasattr(value, "__init_args__"):
        return {"class": name_of(value), **settings_of(value.__init_args__)}
    if is_dataclass(value) and not isinstance(value, type):
        args = {f.name: getattr(value, f.name) for f in fields(value)}
        return {"class": name_of(value), **settings_of(args)}
    return name_of(value)


def name_of(value: Any) -> str:
    """What a class, a function, or the class of a thing is called."""
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{named.__module__}.{named.__qualname__}"


def differing(mine: Any, other: Any, path: str = "") -> Iterator[str]:
    """Where settings differ, and how."""
    if isinstance(mine, dict) and isinstance(other, dict):
        for name in sorted({*mine, *other}):
            inner = f"{path}.{name}" if path else name
            yield from differing(mine.get(name), other.get(name), inner)
    elif mine != other:
        yield f"{path}={other!r:.40} for {mine!r:.40}"
