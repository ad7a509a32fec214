"""
What was found, and what is known of the same points.

Two files, or two columns of one, joined by series and time.
"""

from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np
import pandas as pd

from gluonts_lai.files import read_series
from gluonts_lai.files.layout import LABELS, plain
from gluonts_lai.files.opening import check_readable
from gluonts_lai.files.reading import kind_of, sheet_of
from gluonts_lai.files.sheet import listed

from .talk import Talk


class Judgements(NamedTuple):
    """Of each series, the points of which something is known."""

    labels: list[np.ndarray]
    scores: list[np.ndarray]
    flags: Optional[list[np.ndarray]]


def read_judgements(
    found: Path,
    labels: Optional[Path],
    threshold: float,
    columns: dict,
    talk: Talk,
) -> Judgements:
    """
    Read and join what was found and what is known.

    Parameters
    ----------
    found
        A file with a column of scores, of probabilities, or of both.
    labels
        A file with a column of labels; None if the first has one.
    threshold
        Probability above which a point is flagged.
    columns
        Names of columns that the user has said, of the file with labels, and
        the frequency.
    talk
        Who is told what was read.
    """
    label = columns.pop("label")
    names = names_of(found)
    if not {"score", "probability"} & set(names):
        raise ValueError(
            f"{found} must have a column 'probability' or 'score', got "
            f"{listed(names)}; give the file that 'gluonts-lai detect' wrote."
        )
    if "dim" in names:
        raise ValueError(
            f"{found} must be of series of one dimension, got a column 'dim'; "
            "split it by dimension first."
        )
    # What a user says of columns is said of the file with labels.
    own = columns if labels is None else {"freq": columns["freq"]}
    told = {
        name: read_column(found, name, names, own)
        for name in ("score", "probability")
        if name in names
    }
    scores = told.get("score") or told["probability"]
    columns["freq"] = next(iter(scores.values())).index.freqstr
    known = read_labels(found, labels, label, columns)
    if len(scores) == len(known) == 1:  # whatever they are called
        known = dict(zip(scores, known.values()))
    pairs = joined(scores, known)
    check_pairs(pairs, scores, known, labels or found)
    talk.say(
        f"{sum(map(len, pairs.values())):,} points of {len(pairs):,} series "
        f"are labelled, {int(sum(map(sum, pairs.values()))):,} of them "
        "anomalous."
    )
    flags = None
    if "probability" in told:
        chances = told["probability"]
        flags = [chances[k][pairs[k].index] > threshold for k in pairs]
    return Judgements(
        [label.to_numpy() for label in pairs.values()],
        [scores[k][label.index].to_numpy() for k, label in pairs.items()],
        flags and [flag.to_numpy() for flag in flags],
    )


def names_of(path: Path) -> list[str]:
    """The columns of a table."""
    check_readable(path)
    kind = kind_of(path)
    if kind == "json":
        raise ValueError(
            f"{path} must be a table, got JSON; write it as .csv or .parquet."
        )
    return sheet_of(path, kind, None).names


def read_column(
    path: Path, name: str, names: list[str], columns: dict
) -> dict[str, pd.Series]:
    """A column of numbers, by series and time."""
    # A column of labels that is not asked for must not be in the way.
    others = [other for other in names if is_label(other) and other != name]
    label = others[0] if others else None
    file = read_series(path, value=name, label=label, **columns)
    return {
        entry["item_id"]: pd.Series(
            entry["target"],
            index=pd.period_range(
                entry["start"], periods=len(entry["target"])
            ),
        )
        for entry in file.entries
    }


def read_labels(
    found: Path, labels: Optional[Path], label: Optional[str], columns: dict
) -> dict[str, pd.Series]:
    """What is known, by series and time."""
    path = labels or found
    names = names_of(path)
    # What a detector says is no label.
    theirs = [n for n in names if is_label(n) and (labels or n == "label")]
    if label is None and len(theirs) != 1:
        got = f"several ({listed(theirs)})" if theirs else listed(names)
        raise ValueError(
            f"{path} must have a column of labels, got {got}; name it with "
            "--label, or give a second file that has one."
        )
    chosen = label or theirs[0]
    read = read_column(path, chosen, names, columns)
    for name, series in read.items():
        if not series.dropna().isin([0, 1]).all():
            raise ValueError(
                f"column {chosen!r} of {path} must hold 1 (anomalous), 0 "
                f"(nominal) or nothing, got other numbers in series {name!r}; "
                "name another column with --label."
            )
    return read


def is_label(name: str) -> bool:
    return plain(name) in LABELS


def joined(
    scores: dict[str, pd.Series], known: dict[str, pd.Series]
) -> dict[str, pd.Series]:
    """The labels of points that have a score, by series."""
    pairs = {}
    for name, score in scores.items():
        if name in known:
            label = known[name].reindex(score.dropna().index).dropna()
            if len(label):
                pairs[name] = label
    return pairs


def check_pairs(pairs: dict, scores: dict, known: dict, labels: Path) -> None:
    """There must be something to compare."""
    if pairs:
        return
    theirs, ours = listed(list(known), 3), listed(list(scores), 3)
    raise ValueError(
        f"labels must be of points that were judged, got none in {labels}: "
        f"its series are {theirs}, those that were judged {ours}; check "
        "their names and times."
    )
