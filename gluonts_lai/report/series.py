"""
What is there to say of one series?

A detection of several dimensions is as many series here: each has its own
line in the summary and its own chart. A segment is a run of flagged points,
from ``begin`` up to before ``end``.
"""

from typing import Any, Iterator, NamedTuple

import numpy as np

from gluonts_lai.detection import Detection
from gluonts_lai.gaps import Gaps
from gluonts_lai.plot.dates import times_of

LONGEST_NAME = 80  # characters


class Series(NamedTuple):
    """One dimension of a detection, arrays ``(time,)``."""

    name: str
    start: Any  # a period; None where nobody knows when
    value: np.ndarray
    expected: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    probability: np.ndarray
    score: np.ndarray  # log-odds
    flagged: np.ndarray

    def segments(self) -> Gaps:
        return Gaps.of(self.flagged[np.newaxis])

    def part(self, which: np.ndarray) -> "Series":
        """Some of the points."""
        arrays = {
            field: array[which]
            for field, array in self._asdict().items()
            if isinstance(array, np.ndarray)
        }
        return self._replace(**arrays)

    def when(self, t: int) -> str:
        """The name of a point of time."""
        return f"{t:,}" if self.start is None else str(self.start + int(t))

    def moments(self, num_periods: int) -> np.ndarray:
        """
        Where periods begin, in milliseconds since 1970, as browsers count;
        numbered from 0 where there is no start.
        """
        if self.start is None:
            return np.arange(num_periods, dtype=float)
        return times_of(self.start, num_periods).astype(np.int64) / 1_000


class Summary(NamedTuple):
    """A line of the summary."""

    name: str
    num_points: int
    num_missing: int
    num_flagged: int
    num_segments: int
    longest: int  # points of the longest segment
    strongest: float  # the greatest log-odds; -inf where there are none

    @property
    def share(self) -> float:
        return self.num_flagged / max(self.num_points, 1)

    @property
    def rank(self) -> tuple[int, float]:
        """What was found: the more the greater."""
        return self.num_flagged, self.strongest

    @classmethod
    def of(cls, series: Series) -> "Summary":
        segments = series.segments()
        lengths = segments.end - segments.begin
        return cls(
            series.name,
            num_points=series.value.size,
            num_missing=int(np.isnan(series.value).sum()),
            num_flagged=int(series.flagged.sum()),
            num_segments=lengths.size,
            longest=int(lengths.max(initial=0)),
            strongest=strongest(series.score),
        )


def strongest(score: np.ndarray) -> float:
    """The greatest log-odds; -inf where none is known."""
    return float(np.fmax.reduce(score, initial=-np.inf))


def series_of(
    detection: Detection, position: int, threshold: float
) -> Iterator[Series]:
    """
    The dimensions of a detection.

    Copies: its arrays may be views of a block with many other series, which
    would stay in memory as long as one of them does.
    """
    name = name_of(detection.item_id, position)
    arrays = {
        field: np.atleast_2d(getattr(detection, field))
        for field in Series._fields
        if field in Detection._fields and field != "start"
    }
    for dim in range(len(arrays["value"])):
        suffix = f" [dim {dim}]" if detection.value.ndim == 2 else ""
        rows = {field: rows[dim].copy() for field, rows in arrays.items()}
        yield Series(
            name + suffix,
            detection.start,
            flagged=rows["probability"] > threshold,
            **rows,
        )


def name_of(item_id: Any, position: int) -> str:
    """A name short enough for a table; a number where there is none."""
    name = "" if item_id is None else str(item_id).strip()
    if len(name) > LONGEST_NAME:
        name = name[: LONGEST_NAME - 1] + "…"
    return name or f"#{position}"
