"""
The series of a user's file, whatever its layout.
"""

import warnings
from pathlib import Path
from typing import NamedTuple, Optional

from .frequency import as_offset
from .guesses import Guesses
from .jsonl import read_jsonl
from .layout import ITEM_IDS, Names, find_layout, plain
from .opening import check_readable, without_compression
from .parquet import read_parquet
from .points import check_duplicates
from .series import entries_of
from .sheet import Sheet, counted, option_of
from .text import read_csv
from .writing import Location

KINDS = {
    "text": (".csv", ".tsv", ".txt"),
    "parquet": (".parquet", ".pq"),
    "json": (".json", ".jsonl"),
}
WORKING_DAYS = r"Period( with BDay|Dtype\[B\])"


class SeriesFile(NamedTuple):
    """The series of a file."""

    entries: list[dict]  # item_id, start, target; label if it is known
    freq: str
    guesses: Guesses
    notes: list[str]  # sentences that the user should read

    def summary(self) -> str:
        """What was read, in a line."""
        num_points = sum(e["target"].shape[-1] for e in self.entries)
        return (
            f"{len(self.entries):,} series, {counted(num_points, 'point')}; "
            f"{self.guesses.summary()}"
        )


def read_series(
    path: Location,
    *,
    item_id: Optional[str] = None,
    timestamp: Optional[str] = None,
    value: Names = None,
    label: Optional[str] = None,
    freq: Optional[str] = None,
    duplicates: Optional[str] = None,
) -> SeriesFile:
    """
    The series of a file, as entries of a GluonTS data set.

    Parameters
    ----------
    path
        A long CSV file (a line for each reading), a wide one (a column for
        each series), a Parquet file of either kind, or a file of JSON lines
        as GluonTS writes it. CSV and JSON may be compressed.
    item_id
        The column that says which series a reading belongs to. None: the one
        that has a usual name; without any there is one series, named after
        the file.
    timestamp
        The column of times. None: the one with a usual name, or with dates.
    value
        The column of values, or several. None: guessed.
    label
        The column that says which readings are anomalous (1) or nominal (0),
        empty where nobody knows. None: the one with a usual name, if any.
    freq
        How often readings come: "h", "15min", "D", "M" or another frequency
        of pandas. None: guessed from the times. Where it is given, a reading
        belongs to the period that its time lies in.
    duplicates
        What to take of several readings of one time: "mean", "first" or
        "last". None: they are refused.

    Returns
    -------
    SeriesFile
        The entries, their frequency, what was guessed, and what the user
        should know of. Targets are float32, as GluonTS has them; float64 if
        one of them moves in digits that float32 does not have.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "pump.csv"
    >>> _ = path.write_text(
    ...     "Time,Pressure\\n"
    ...     "2024-01-01 00:00,1.5\\n"
    ...     "2024-01-01 00:15,1.7\\n"
    ...     "2024-01-01 00:45,1.6\\n"
    ... )
    >>> file = read_series(path)
    >>> file.entries[0]["item_id"], file.entries[0]["target"].tolist()
    ('pump', [1.5, 1.7000000476837158, nan, 1.600000023841858])
    >>> file.freq
    '15min'
    >>> print(file.guesses.summary())
    long, one point each 15min; time in 'Time'; values in 'Pressure'
    """
    path = Path(path)
    check_duplicates(duplicates)
    offset = None if freq is None else as_offset(freq)
    check_readable(path)
    kind = kind_of(path)
    with warnings.catch_warnings():
        # Periods of working days are to go, some day.
        warnings.filterwarnings("ignore", WORKING_DAYS, FutureWarning)
        if kind == "json":
            check_tables_only(
                path,
                item_id=item_id,
                timestamp=timestamp,
                value=value,
                duplicates=duplicates,
            )
            entries, label, notes = read_jsonl(path, offset, label)
            layout = None
        else:
            sheet = sheet_of(path, kind, item_id)
            layout = find_layout(sheet, item_id, timestamp, value, label)
            entries = entries_of(sheet, layout, offset, duplicates)
            notes = sheet.notes
        guesses = Guesses.of(entries, layout, label)
    return SeriesFile(entries, guesses.freq, guesses, notes)


def kind_of(path: Path) -> str:
    """What to read a file as: its ending says it."""
    ending = without_compression(path).suffix.lower()
    for kind, endings in KINDS.items():
        if ending in endings:
            return kind
    known = ", ".join(
        ending for endings in KINDS.values() for ending in endings
    )
    raise ValueError(
        f"{path} must end in one of {known}, got {ending!r}; export it as CSV."
    )


def check_tables_only(path: Path, **options: Names) -> None:
    """What is said of columns is not said of JSON lines, which have none."""
    given = [name for name, option in options.items() if option]
    if given:
        raise ValueError(
            f"{option_of(given[0])} must be left out for {path}, got "
            f"{options[given[0]]!r}; JSON lines have fields of fixed names."
        )


def sheet_of(path: Path, kind: str, item_id: Optional[str]) -> Sheet:
    """The table of a file that has one."""

    def is_name(name: str) -> bool:
        return name == item_id if item_id else plain(name) in ITEM_IDS

    parquet = kind == "parquet"
    sheet = read_parquet(path) if parquet else read_csv(path, is_name)
    if not len(sheet.frame):
        raise ValueError(
            f"{path} must hold readings, got none below its header; check "
            "that it was written to its end."
        )
    return sheet
