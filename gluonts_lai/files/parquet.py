"""
Parquet files, as pandas and others write them.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from .sheet import Sheet


def read_parquet(path: Path) -> Sheet:
    """The table of a file; what was its index is a column of it."""
    if find_spec("pyarrow") is None:
        raise ImportError(
            f"pyarrow must be installed to read {path}; "
            "pip install 'gluonts-lai[parquet]'."
        )
    try:
        frame = pd.read_parquet(path, engine="pyarrow")
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{path} must be a whole Parquet file, got one that cannot be "
            f"read ({type(error).__name__}); write it again."
        ) from error
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    frame.columns = [str(name) for name in frame.columns]
    return Sheet(path, frame, np.arange(len(frame)) + 1, "row", [])
