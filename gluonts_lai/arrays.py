"""
Arrays from outside: whatever holds real numbers will do.
"""

import warnings
from typing import Any

import numpy as np


def real_array(values: Any, name: str) -> np.ndarray:
    """
    ``values`` as an array of float32, if it is one, or else of float64.

    It may share memory with what came in, and must not be written to.
    """
    try:
        with warnings.catch_warnings():  # older numpys only warn of this
            warnings.simplefilter("ignore")
            array = np.asarray(values)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "fiub":
        raise ValueError(
            f"{name} must be an array of real numbers, got dtype "
            f"{array.dtype}; convert it with .astype(float), and pass series "
            "of different lengths one at a time."
        )
    dtype = np.float32 if array.dtype == np.float32 else np.float64
    return array.astype(dtype, copy=False)
