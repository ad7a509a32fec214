"""
Columns of a CSV file: read and checked.

Whatever is wrong is said in one sentence that names the file.
"""

from pathlib import Path

import numpy as np
import pandas as pd


class Columns:
    """The columns of a file, by name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.frame = pd.read_csv(path)
        except pd.errors.EmptyDataError:
            self.frame = pd.DataFrame()

    @property
    def names(self) -> list[str]:
        return list(self.frame)

    def numbers(self, name: str) -> np.ndarray:
        """NaN where a cell is empty."""
        column = self[name]
        numbers = pd.to_numeric(column, errors="coerce").astype(float)
        self.refuse(numbers.isna() & column.notna(), name, "numbers")
        return numbers.to_numpy()

    def counts(self, name: str) -> np.ndarray:
        """Numbers, none of them missing."""
        numbers = self.numbers(name)
        self.refuse(np.isnan(numbers), name, "numbers")
        return numbers

    def flags(self, name: str) -> np.ndarray:
        numbers = self.numbers(name)
        self.refuse(~np.isin(numbers, [0, 1]), name, "0 and 1")
        return numbers == 1

    def times(self, name: str) -> np.ndarray:
        times = pd.to_datetime(self[name], errors="coerce")
        self.refuse(times.isna(), name, "timestamps")
        return times.to_numpy("datetime64[ns]")

    def __getitem__(self, name: str) -> pd.Series:
        if name not in self.frame:
            names = ", ".join(self.names) or "none"
            raise ValueError(
                f"{self.path} must have a column {name!r}, got {names}; check "
                "that it is a file of the original data set."
            )
        return self.frame[name]

    def refuse(self, wrong: np.ndarray, name: str, wanted: str) -> None:
        if np.any(wrong):
            row = int(np.argmax(wrong))
            raise ValueError(
                f"column {name!r} of {self.path} must hold {wanted}, got "
                f"{str(self.frame[name][row])!r} in row {row + 1} below the "
                "header; correct it, or remove the row."
            )
