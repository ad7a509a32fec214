"""
Data sets as GluonTS writes them: a JSON object a line, one for each series.

Such files have no frequency: the user gives it.
"""

from io import TextIOWrapper
from json import JSONDecodeError
from pathlib import Path
from typing import Any, Iterator, NamedTuple, Optional

import numpy as np
import pandas as pd

from gluonts_lai.arrivals import is_beyond
from gluonts_lai.documents import parse_json
from gluonts_lai.limits import is_brief
from gluonts_lai.zones import check_zone, in_utc, moment

from .layout import LABELS, plain
from .opening import (
    check_within_limits,
    opened,
    whole_text,
    without_compression,
)
from .precision import in_one_precision
from .sheet import listed, option_of

NULL = "write null where a value is missing"


class Line(NamedTuple):
    """An object of a file, and where it stands."""

    fields: dict
    place: str  # as a message has it

    def field(self, name: str, what: str) -> Any:
        if name not in self.fields:
            raise ValueError(
                f"{self.place} must have a field {name!r}, got "
                f"{listed(list(self.fields))}; add {what}."
            )
        return self.fields[name]

    def start(self, offset: Any) -> tuple[Any, bool]:
        """The period of the first point, and whether it had a time zone."""
        given = self.field("start", "the time of the first point")
        time = pd.NaT
        if isinstance(given, str) and is_brief(given):
            check_zone(given, f"'start' in {self.place}")
            time = moment(given)
        if time is pd.NaT or isinstance(given, (int, float)):
            raise ValueError(
                f"'start' in {self.place} must be a time from 1678 to 2261, "
                f"got {given!r:.60}; write it as 2024-01-31 17:00."
            )
        return pd.Period(in_utc(time), offset), time.tz is not None

    def numbers(self, name: str) -> np.ndarray:
        """Finite numbers, NaN where there are none."""
        given = self.field(name, "the list of its values")
        try:
            numbers = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.full((), np.nan)
        if numbers.ndim not in (1, 2) or is_beyond(numbers):
            raise ValueError(
                f"{name!r} in {self.place} must be a list of finite numbers, "
                f"or several of one length, got {given!r:.60}; {NULL}."
            )
        return numbers

    def labels(self, name: str, shape: tuple) -> np.ndarray:
        """1, 0, or NaN where nothing is known, for each point."""
        labels = self.numbers(name)
        wrong = labels[~np.isin(labels, [0, 1]) & ~np.isnan(labels)]
        if labels.shape != shape or len(wrong):
            got = f"{wrong[0]:g}" if len(wrong) else f"shape {labels.shape}"
            raise ValueError(
                f"{name!r} in {self.place} must hold 1, 0 or null for each "
                f"point of the target, of shape {shape}, got {got}; correct "
                "it."
            )
        return labels.astype(np.float32)


@whole_text
def read_jsonl(
    path: Path, offset: Optional[Any], label: Optional[str]
) -> tuple[list[dict], Optional[str], list[str]]:
    """Entries, the field of their labels, and what to tell the user."""
    if offset is None:
        raise ValueError(
            f"the frequency of {path} must be given, as JSON lines do not say "
            f"it; give {option_of('freq')} such as 'h', '15min', 'D' or 'M'."
        )
    check_within_limits(path, "JSON_BYTES")
    lines = list(lines_of(path))
    if not lines:
        raise ValueError(
            f"{path} must hold a series in each line, got an empty file; "
            "check that it was written."
        )
    label = label_of(lines, label)
    stem, entries, has_zone = without_compression(path).stem, [], False
    for i, line in enumerate(lines):
        name = stem if len(lines) == 1 else f"{stem}-{i}"
        start, zone = line.start(offset)
        target = line.numbers("target")
        entry = {**line.fields, "start": start, "target": target}
        entry["item_id"] = str(line.fields.get("item_id", name))
        if label is not None and label in line.fields:
            entry["label"] = line.labels(label, target.shape)
        entries.append(as_gluonts_has_it(entry, line.place, offset))
        has_zone |= zone
    entries = in_one_precision(entries)
    notes = ["starts have a time zone and are converted to UTC."]
    return entries, label, notes if has_zone else []


def label_of(lines: list[Line], label: Optional[str]) -> Optional[str]:
    """The field of labels: as the user named it, or one that is usual."""
    names = sorted({name for line in lines for name in line.fields})
    if label is not None and label not in names:
        lines[0].field(label, f"it, or name another with {option_of('label')}")
    return label or next((n for n in names if plain(n) in LABELS), None)


def lines_of(path: Path) -> Iterator[Line]:
    with TextIOWrapper(opened(path), "utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                fields, why = parse_json(line), ""
            except JSONDecodeError:
                fields, why = None, ""
            except ValueError as error:  # of its size, or its depth
                fields, why = None, f" ({error})"
            if not isinstance(fields, dict):
                raise ValueError(
                    f"each line of {path} must be a JSON object, with start "
                    f"and target, got {line.strip()[:40]!r}{why} in line "
                    f"{number}; write a series in each line."
                )
            yield Line(fields, f"line {number} of {path}")


def as_gluonts_has_it(entry: dict, place: str, offset: Any) -> dict:
    """Features are arrays."""
    from gluonts.dataset.common import ProcessDataEntry
    from gluonts.exceptions import GluonTSDataError

    process = ProcessDataEntry(
        offset, one_dim_target=entry["target"].ndim == 1
    )
    try:
        # A target would come out in single precision, which may not do.
        return {**process({**entry}), "target": entry["target"]}
    except (GluonTSDataError, TypeError, ValueError) as error:
        raise ValueError(
            f"features in {place} must be as GluonTS has them, got: {error}; "
            "correct or remove them."
        ) from error
