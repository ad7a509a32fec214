"""
Comma-separated values, as people have them.

Separated by commas, semicolons, tabs or bars; compressed or not. The first
line names the columns.
"""

import csv
import re
import warnings
from collections import Counter
from io import TextIOWrapper
from pathlib import Path
from typing import Callable

import numpy as np
import pandas as pd

from .opening import SAVE, check_within_limits, opened, whole_text
from .sheet import Sheet, check_columns, counted, listed

SEPARATORS = ",;\t|"
SAMPLE = 2**16


@whole_text
def read_csv(path: Path, is_name: Callable[[str], bool]) -> Sheet:
    """
    The table of a file.

    Parameters
    ----------
    path
        Where it is. The name may end in that of a compression.
    is_name
        Whether a column holds names: texts, even if they look like numbers.
    """
    check_within_limits(path, "LINE_BYTES")
    head = sample(path)
    try:
        separator = separator_of(head)
        names = header(path, head, separator)
    except csv.Error as error:
        raise no_table(path, str(error)) from error
    try:
        with warnings.catch_warnings():
            # Of columns that hold several types: they are looked at later.
            warnings.simplefilter("ignore", pd.errors.DtypeWarning)
            frame = pd.read_csv(
                path,
                sep=separator,
                encoding="utf-8-sig",
                # Lines are counted, even where nothing stands in them.
                skip_blank_lines=False,
                skiprows=1,
                header=None,
                names=names,
                dtype={name: "category" for name in names if is_name(name)},
                low_memory=False,
                # What is written again must be what was read.
                float_precision="round_trip",
            )
    except pd.errors.EmptyDataError:
        frame = pd.DataFrame(columns=names)
    except pd.errors.ParserError as error:
        raise no_table(path, str(error)) from error
    return sheet_of(path, frame, separator)


def sheet_of(path: Path, frame: pd.DataFrame, separator: str) -> Sheet:
    """A table with its lines, of which those that are empty are left out."""
    num_columns = frame.shape[1]
    if not isinstance(frame.index, pd.RangeIndex) and len(frame):
        # pandas takes what is too much in line 2 for an index.
        num_cells = num_columns + frame.index.nlevels
        raise wrong_number(path, 2, num_columns, num_cells)
    if frame.iloc[:, -1].isna().any():
        check_lengths(path, separator, num_columns)
    lines = np.arange(len(frame)) + 2
    full = frame.notna().any(axis=1).to_numpy()
    if not full.all():
        frame, lines = frame[full].reset_index(drop=True), lines[full]
    return Sheet(path, frame, lines, "line", [])


def sample(path: Path) -> str:
    """The beginning of a file, as text."""
    with opened(path) as file:
        head = file.read(SAMPLE)
        if len(head) == SAMPLE and b"\n" not in head:
            head += file.readline()  # which is not too long
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ValueError(f"{path} must be text in UTF-8, got UTF-16; {SAVE}.")
    if b"\0" in head:
        raise ValueError(
            f"{path} must be a text of comma-separated values, got a binary "
            "file; give it the ending of what it is, or export it as CSV."
        )
    # The last character may be cut in two.
    errors = "replace" if len(head) >= SAMPLE else "strict"
    return head.decode("utf-8-sig", errors)


def separator_of(head: str) -> str:
    """What splits the first two lines alike, and into most cells."""

    def splits(separator: str) -> tuple[bool, int]:
        lines = [line for line in head.splitlines()[:9] if line.strip()][:2]
        rows = csv.reader(lines, delimiter=separator)
        try:
            num_cells = [len(row) for row in rows]
        except csv.Error:  # cells that are too long: not this one
            return False, 0
        return len(set(num_cells)) == 1 < max(num_cells), max(num_cells)

    return max(SEPARATORS, key=splits) if head.strip() else ","


def header(path: Path, head: str, separator: str) -> list[str]:
    """The names of the columns."""
    if not head.strip():
        raise ValueError(
            f"{path} must hold a header and readings, got an empty file; "
            "check that it was written."
        )
    first = next(csv.reader(head.splitlines()[:1], delimiter=separator), [])
    names = [name.strip() for name in first] or [""]
    check_columns(path, len(names))
    if names[0] == "" and "index" not in names and len(names) > 1:
        names[0] = "index"  # which pandas writes without its name
    if "" in names:
        raise ValueError(
            f"{path} must name each column in line 1, got nothing for column "
            f"{names.index('') + 1}; name it, or remove it."
        )
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ValueError(
            f"{path} must give each column a name of its own in line 1, got "
            f"{listed(twice)} more than once; rename one of them."
        )
    return names


def check_lengths(path: Path, separator: str, num_columns: int) -> None:
    """A line that stops early is not one whose last cells are empty."""
    with TextIOWrapper(opened(path), "utf-8-sig", newline="") as file:
        rows = csv.reader(file, delimiter=separator)
        try:
            for row in rows:
                if len(row) != num_columns and "".join(row).strip():
                    raise wrong_number(
                        path, rows.line_num, num_columns, len(row)
                    )
        except csv.Error as error:
            raise no_table(path, str(error)) from error


def no_table(path: Path, message: str) -> ValueError:
    """What pandas or Python has to say of a file that is no table."""
    pattern = r"Expected (\d+) fields in line (\d+), saw (\d+)"
    found = re.search(pattern, message)
    if found:
        wanted, line, got = map(int, found.groups())
        return wrong_number(path, line, wanted, got)
    short = message.split("C error:")[-1].strip()
    return ValueError(
        f"{path} must be a text of comma-separated values, got {short!r}; "
        "check its quotes, and its last line."
    )


def wrong_number(path: Path, line: int, wanted: int, got: int) -> ValueError:
    return ValueError(
        f"each line of {path} must have {counted(wanted, 'cell')}, as line 1 "
        f"has, got {got} in line {line}; correct one of the two lines."
    )
