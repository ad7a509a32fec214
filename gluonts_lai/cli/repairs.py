"""
A user's file again, with some of its points replaced.

All that was not replaced stays as it was: other columns, the order of rows,
numbers to their last digit.
"""

from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)

import numpy as np
import pandas as pd

from gluonts_lai.files.jsonl import lines_of
from gluonts_lai.files.layout import find_layout
from gluonts_lai.files.reading import kind_of, sheet_of
from gluonts_lai.files.series import called, series_of
from gluonts_lai.files.sheet import is_text
from gluonts_lai.files.times import read_times

from .results import decimal, dump

if TYPE_CHECKING:
    from gluonts_lai import Detection


class Repair(NamedTuple):
    """The points of a series that are to be replaced."""

    item_id: Any
    start: Any
    replaced: np.ndarray
    value: np.ndarray  # as it is to be

    @classmethod
    def of(cls, detection: "Detection") -> "Repair":
        """What was missing stays missing."""
        observed = ~np.isnan(detection.value)
        replaced = observed & (detection.cleaned != detection.value)
        return cls(
            detection.item_id,
            detection.start,
            replaced,
            decimal(np.where(replaced, detection.cleaned, detection.value)),
        )

    def at(self, moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Whether points at some moments are replaced, and by what."""
        periods = pd.period_range(self.start, periods=len(self.value))
        begins = periods.to_timestamp().to_numpy()
        places = np.searchsorted(begins, moments, side="right") - 1
        return (places >= 0) & self.replaced[places], self.value[places]


def is_table(path: Path) -> bool:
    """Whether a file has rows and columns."""
    return kind_of(path) != "json"


def repaired(
    path: Path, repairs: Sequence[Repair], columns: Mapping[str, Any]
) -> pd.DataFrame:
    """
    The table of a file, with some of its points replaced.

    Parameters
    ----------
    path
        The file.
    repairs
        What to replace in each of its series.
    columns
        The names of columns that the user has said.
    """
    sheet = sheet_of(path, kind_of(path), columns.get("item_id"))
    layout = find_layout(sheet, **columns)
    moments = read_times(sheet, layout.timestamp)
    names, owners = series_of(sheet, layout)
    by_name = {repair.item_id: repair for repair in repairs}
    frame = sheet.frame.copy()
    for column in layout.values:
        if is_text(frame[column]):  # decimal commas
            frame[column] = sheet.numbers(column)
        cells = frame[column].to_numpy(object, copy=True)
        for i, name in enumerate(names):
            repair = by_name.get(called(name, column, layout))
            if repair is None:  # a column without any value
                continue
            rows = np.flatnonzero((owners == i) & frame[column].notna())
            replaced, values = repair.at(moments[rows])
            cells[rows[replaced]] = values[replaced]
        frame[column] = cells
    return frame


def repaired_lines(path: Path, repairs: Sequence[Repair]) -> Iterator[str]:
    """The JSON lines of a file, with some of their points replaced."""
    for line, repair in zip(lines_of(path), repairs):
        target = np.array(line.fields["target"], object)
        target[repair.replaced] = repair.value[repair.replaced]
        yield dump({**line.fields, "target": target})
