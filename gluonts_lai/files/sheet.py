"""
A table of a user's file: its columns, read and checked.

Whatever is wrong is said in one sentence that names the file, the column and
the line, as the user's editor counts them: the header of a CSV file is line 1.
"""

from pathlib import Path
from typing import Any, NamedTuple, Sequence

import numpy as np
import pandas as pd

from gluonts_lai.arrivals import are_beyond
from gluonts_lai.limits import most, raised_by

FIX = "correct it, or remove the row"
EMPTY = "correct it, or leave it empty where there is no value"
PLAIN = (np.float64, np.int64)
COMMA = r"\s*[-+]?\d*,\d+\s*$"
THOUSANDS = r"\s*[-+]?[1-9]\d{0,2},\d{3}\s*$"


class Sheet(NamedTuple):
    """The cells of a file, and where they stand in it."""

    path: Path
    frame: pd.DataFrame
    lines: np.ndarray  # of each row
    unit: str  # what they are called
    notes: list[str]  # what was found on the way, for the user to know

    @property
    def names(self) -> list[str]:
        return list(self.frame)

    def column(self, name: str, option: str) -> pd.Series:
        """A column, which the user may have named with an option."""
        if name not in self.frame:
            raise ValueError(
                f"{self.path} must have a column {name!r}, got "
                f"{listed(self.names)}; name another with {option_of(option)}."
            )
        column = self.frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            return column.astype(column.cat.categories.dtype)
        return column

    def numbers(self, name: str) -> np.ndarray:
        """Finite numbers, NaN where a cell is empty."""
        column = self.column(name, "value")
        numbers = as_numbers(column)
        wrong = are_none(numbers, column)
        if wrong.any() and has_commas(column):
            self.refuse(
                may_be_thousands(column),
                name,
                "numbers that can be read in one way",
                "write it without the comma, or with a decimal point",
            )
            example = column[wrong].iloc[0].strip()
            self.notes.append(
                f"numbers in column {name!r} are read with a decimal comma: "
                f"{example} as {example.replace(',', '.')}."
            )
            numbers = as_numbers(column.str.replace(",", "."))
            wrong = are_none(numbers, column)
        self.refuse(wrong, name, "numbers", EMPTY)
        self.refuse(are_beyond(numbers), name, "finite numbers", EMPTY)
        return numbers

    def labels(self, name: str) -> np.ndarray:
        """1, 0, or NaN where nothing is known."""
        column = self.column(name, "label")
        if is_text(column):
            words = column.str.strip().str.lower()
            column = words.replace({"true": "1", "false": "0", "": None})
        labels = as_numbers(column)
        self.refuse(
            ~np.isin(labels, [0, 1]) & column.notna().to_numpy(),
            name,
            "1 (anomalous), 0 (nominal) or nothing",
            f"correct it, or name another column with {option_of('label')}",
        )
        return labels.astype(np.float32)

    def refuse(
        self, wrong: np.ndarray, name: str, wanted: str, advice: str = FIX
    ) -> None:
        """Name the first of the cells that are wrong, if there are any."""
        if wrong.any():
            row = int(np.argmax(wrong))
            cell = self.frame[name].iloc[row]
            said = f"{cell:g}" if isinstance(cell, float) else str(cell)
            got = "nothing" if pd.isna(cell) else repr(said[:60])
            raise ValueError(
                f"column {name!r} of {self.path} must hold {wanted}, got "
                f"{got} in {self.place(row)}; {advice}."
            )

    def place(self, row: int) -> str:
        return f"{self.unit} {self.lines[row]}"


def check_columns(path: Path, number: int) -> None:
    """A table is not so wide that it must be a mistake."""
    if number > most("COLUMNS"):
        raise ValueError(
            f"{path} must have at most {most('COLUMNS'):,} columns, got "
            f"{number:,}; put the series below each other, with a column of "
            f"their names, or {raised_by('COLUMNS')}."
        )


def as_numbers(column: pd.Series) -> np.ndarray:
    """What can be read as a number; NaN for the rest."""
    if column.dtype in PLAIN:  # wide tables have thousands of these
        return column.to_numpy(dtype=float)
    if pd.api.types.is_datetime64_any_dtype(column):
        return np.full(len(column), np.nan)
    numbers = pd.to_numeric(column, errors="coerce")
    return numbers.to_numpy(dtype=float, na_value=np.nan)


def are_none(numbers: np.ndarray, column: pd.Series) -> np.ndarray:
    """Which cells hold something else than a number."""
    wrong = np.isnan(numbers)
    if wrong.any():
        wrong &= column.notna().to_numpy()
    if wrong.any() and is_text(column):
        wrong &= column.str.strip().ne("").to_numpy(bool)
    return wrong


def has_commas(column: pd.Series) -> bool:
    """Whether numbers are written with a decimal comma: none has a point."""
    if not is_text(column):
        return False
    texts = pd.Series(column.dropna().unique())
    has_point = texts.str.contains(".", regex=False).any()
    return bool(texts.str.match(COMMA).any() and not has_point)


def may_be_thousands(column: pd.Series) -> np.ndarray:
    """
    Which commas may stand between thousands: 850 and 1,020 in one column.

    Whoever writes three decimals writes them everywhere.
    """
    has_comma = column.str.contains(",", regex=False, na=False).to_numpy(bool)
    is_like = column.str.match(THOUSANDS, na=False).to_numpy(bool)
    has_whole = (column.notna().to_numpy() & ~has_comma).any()
    return has_comma & is_like.all(where=has_comma) & has_whole


def is_text(column: pd.Series) -> bool:
    """Whether cells are words, of which some may look like numbers."""
    return pd.api.types.infer_dtype(column, skipna=True) == "string"


def option_of(name: str) -> str:
    """What to write, in Python or on the command line."""
    return f"{name}= (--{name.replace('_', '-')})"


def listed(names: Sequence[Any], most: int = 8) -> str:
    """Some names, not too many of them."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return (", ".join(map(repr, names[:most])) or "none") + more


def counted(number: int, noun: str) -> str:
    """1 gap, 2 gaps."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
