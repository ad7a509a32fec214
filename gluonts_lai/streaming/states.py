"""
Streams that stop and go on: their state as plain JSON.

A state holds what a stream remembers of its series, not the model: it fits the
model that it was made with, and no other. NaN and infinity, which JSON does
not know, are null.
"""

import hashlib
import math
import reprlib
from typing import Any, Callable

import numpy as np
import pandas as pd
from gluonts.core.serde import dump_json

from gluonts_lai.limits import is_brief

KIND, VERSION = "gluonts_lai.StreamingDetector", 1


def fingerprint(*parts: Any) -> str:
    """What tells one model from another."""
    return hashlib.sha256(dump_json(parts).encode()).hexdigest()[:16]


def header(model: str) -> dict:
    """What every state begins with."""
    return {"kind": KIND, "version": VERSION, "model": model}


def check_header(state: Any, model: str) -> None:
    """Whether a state is one, of this version, and of this model."""
    if not isinstance(state, dict) or state.get("kind") != KIND:
        raise ValueError(
            "a state must be what StreamingDetector.to_dict gave, got "
            f"{reprlib.repr(state):.60}; load it with json.loads first."
        )
    if state.get("version") != VERSION:
        raise ValueError(
            f"a state must be of version {VERSION}, got "
            f"{state.get('version')!r:.60}; begin a new stream with the last "
            "points as its history."
        )
    if state.get("model") != model:
        raise ValueError(
            "a state must belong to the model that goes on with it, got one "
            f"of model {state.get('model')!r:.60} for {model!r}; load the "
            "predictor that it was made with, or begin a new stream."
        )


def as_json(value: Any) -> Any:
    """Arrays, numbers and periods as JSON knows them."""
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return as_json(value.tolist())
    if isinstance(value, pd.Period):
        return {"period": str(value), "freq": value.freqstr}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ValueError(
        "what is known of a series must be numbers, text, arrays or periods "
        f"to be kept as JSON, got {value!r:.60}; leave it out of the history."
    )


def as_field(value: Any) -> Any:
    """A field of an entry, as it was."""
    if isinstance(value, dict) and set(value) == {"period", "freq"}:
        if not all(map(is_brief, value.values())):
            raise ValueError("a period that is none")
        return pd.Period(value["period"], freq=value["freq"])
    if isinstance(value, list):
        array = np.array(value)
        # None among numbers was NaN.
        return array.astype(float) if array.dtype == object else array
    return value


def as_numbers(values: Any, shape: tuple) -> np.ndarray:
    """Numbers of a shape; null is NaN."""
    numbers = np.array(values, dtype=float)  # None becomes NaN
    if numbers.shape != shape:
        raise ValueError(f"numbers of shape {numbers.shape}, not {shape}")
    return numbers


def undamaged(read: Callable[[], Any]) -> Any:
    """What is read from a state; or say that it is damaged."""
    try:
        return read()
    except MemoryError:
        raise
    except Exception as error:  # pandas and numpy have many
        raise ValueError(
            f"a state must be whole, got one that is damaged ({error!r:.80}); "
            "go back to an earlier one."
        ) from error
