"""
Arrays from outside: whatever holds real numbers will do.
"""

from typing import Any

import numpy as np


def real_array(values: Any, name: str) -> np.ndarray:
    """
    ``values`` as an array of float32, if it is one, or else of float64.

    Masked points become NaN: missing. The result may share memory with what
    came in, and must not be written to.
    """
    if isinstance(values, np.ma.MaskedArray):
        floating = np.result_type(values.dtype, np.float32)
        values = np.ma.filled(values.astype(floating), np.nan)
    elif not hasattr(values, "dtype"):  # lists, tuples, single numbers
        try:
            values = np.asarray(values, dtype=float)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"{name} must be an array of real numbers, got "
                f"{str(values):.60}; pass series of different lengths one at "
                "a time."
            ) from error
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise ValueError(
            f"{name} must be an array of real numbers, got dtype "
            f"{array.dtype}; convert it with .astype(float)."
        )
    dtype = np.float32 if array.dtype == np.float32 else np.float64
    return array.astype(dtype, copy=False)
