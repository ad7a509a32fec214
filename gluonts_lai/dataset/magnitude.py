"""
HOW FAR are points moved?

By so many spreads of their series, up or down.
"""

from typing import Any, Union

import numpy as np

from gluonts_lai.value import is_number

MAGNITUDES = {  # in spreads
    "spikes": (4.0, 15.0),
    "runs": (2.0, 5.0),
    "level_shifts": (1.0, 3.0),
}

Magnitude = Union[None, float, tuple[float, float]]


def spread_of(values: np.ndarray) -> float:
    """What sizes are measured in."""
    low, high = np.percentile(values, [25, 75])
    if high > low:
        return high - low
    if values.max() > values.min():
        return values.std()
    return max(1.0, abs(values[0]))


def range_of(kind: str, magnitude: Magnitude) -> tuple[float, float]:
    """The least and the most by which points are moved."""
    if kind not in MAGNITUDES:
        if magnitude is not None:
            raise ValueError(
                f"magnitude must be None for {kind}, got {magnitude!r}: they "
                "are not moved by a number of spreads; leave it out."
            )
        return 0.0, 0.0
    if magnitude is None:
        return MAGNITUDES[kind]
    pair: Any = magnitude
    if is_number(magnitude):
        pair = magnitude, magnitude
    if not is_range(pair):
        raise ValueError(
            "magnitude must be a positive number of spreads, or a pair of the "
            f"least and the most, got {magnitude!r}; choose one such as 5 or "
            "(4, 15)."
        )
    low, high = pair
    return float(low), float(high)


def is_range(pair: Any) -> bool:
    try:
        low, high = pair
    except (TypeError, ValueError):
        return False
    if not (is_number(low) and is_number(high)):
        return False
    return bool(0 <= low <= high < np.inf and high > 0)
