"""
DATA, read as the user says; what was guessed is shown.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Sequence

from .talk import Talk

if TYPE_CHECKING:
    from gluonts_lai.files import SeriesFile

LABEL = "label"  # the field in which a file's labels come


def read_data(
    path: Path, talk: Talk, freq: Optional[str] = None, **columns: Any
) -> "SeriesFile":
    """
    The series in a file.

    Parameters
    ----------
    path
        The file.
    talk
        Who is told what was guessed.
    freq
        How often points come; None for a guess.
    columns
        Names of columns, and what to do with duplicates, as
        :func:`gluonts_lai.files.read_series` takes them.
    """
    from gluonts_lai.files import read_series

    values = columns.pop("value", ())
    series = read_series(path, freq=freq, value=one_or_many(values), **columns)
    talk.say(series.summary())
    for note in series.notes:
        talk.caution(note)
    return series


def blind(entries: Sequence[dict]) -> list[dict]:
    """Series without their labels: what is known is not to be found out."""
    return [
        {name: field for name, field in entry.items() if name != LABEL}
        for entry in entries
    ]


def one_or_many(values: tuple) -> Any:
    """No name, one name, or a list of them."""
    if len(values) > 1:
        return list(values)
    return values[0] if values else None
