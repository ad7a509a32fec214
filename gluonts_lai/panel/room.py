"""
Room for many numbers: in memory, or in a file where they are too many.

The file has no name, or loses it at once: it vanishes with the last array that
looks at it, however a program ends. It lies where temporary files do (set
``TMPDIR`` for another place).
"""

import mmap
import os
import tempfile

import numpy as np

# Bytes that are kept in memory at once; 2**30 are 268 million points.
MAX_BYTES = 2**30
# The same in MB, as the user has it.
VARIABLE = "GLUONTS_LAI_MAX_TABLE_MB"


def max_bytes() -> float:
    """Bytes of one table above which it goes to a file."""
    said = os.environ.get(VARIABLE)
    if said is None:
        return MAX_BYTES
    try:
        most = float(said)
    except ValueError:
        most = -1.0
    if not most >= 0:
        raise ValueError(
            f"{VARIABLE} must be a number of MB, got {said!r}; "
            f"{MAX_BYTES // 2**20} is the default."
        )
    return most * 2**20


def is_in_memory(num_points: int, dtype: np.dtype) -> bool:
    """Whether there is room in memory for so many numbers."""
    return num_points * dtype.itemsize <= max_bytes()


def room(num_points: int, dtype: np.dtype) -> np.ndarray:
    """
    An array of so many numbers, which may be any.

    Examples
    --------
    >>> array = room(3, np.dtype(np.float32))
    >>> array[...] = 1
    >>> array
    array([1., 1., 1.], dtype=float32)
    """
    if is_in_memory(num_points, dtype) or not num_points:
        return np.empty(num_points, dtype)
    size = num_points * dtype.itemsize
    with tempfile.TemporaryFile() as file:
        try:
            reserve(file.fileno(), size)
        except OSError as error:
            raise OSError(
                f"{tempfile.gettempdir()} must have room for a table of "
                f"{size / 2**20:,.0f} MB, got {error.strerror!r}; set TMPDIR "
                f"to another folder, or {VARIABLE} to keep more in memory."
            ) from error
        # The file lasts for as long as it is mapped.
        return np.frombuffer(mmap.mmap(file.fileno(), size), dtype)


def reserve(file: int, size: int) -> None:
    """Give a file its size; on a full disk, it fails here and not later."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
    else:
        os.ftruncate(file, size)
