"""
Numbers for a browser: small, and with all the digits that can be seen.
"""

import numpy as np

LEAST_DIGITS = 5


def in_steps(times: np.ndarray) -> dict:
    """
    Times as small whole numbers: from each to the next, so many units.

    Months differ in length, but all are so many days.
    """
    micros = np.rint(times * 1_000).astype(np.int64)
    steps = np.diff(micros, prepend=micros[:1])
    unit = np.gcd.reduce(steps) or 1
    return {
        "first": float(micros[0]) / 1_000 if micros.size else 0.0,
        "unit": float(unit) / 1_000,
        "steps": (steps // unit).tolist(),
    }


def compact(values: np.ndarray) -> np.ndarray:
    """In half the bytes, where nobody could see the difference."""
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    known = values[np.isfinite(values)]
    error = np.abs(single[np.isfinite(values)] - known)
    if error.max(initial=0.0) > 1e-5 * spread(known):
        return values.astype(np.float64)
    return single


def spread(known: np.ndarray) -> float:
    return float(np.ptp(known)) if known.size else 0.0


def num_digits(values: np.ndarray) -> int:
    """As many as it takes to tell values from one another."""
    known = values[np.isfinite(values)]
    extent = spread(known)
    if not extent:
        return LEAST_DIGITS
    greatest = np.abs(known).max()
    return int(np.clip(np.log10(greatest / extent) + 5, LEAST_DIGITS, 15))
