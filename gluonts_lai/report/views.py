"""
What to show of a series: which of its points, and which stretch of it.

A chart is about a thousand dots wide. Of a series far longer than that, each
bin of it keeps its extremes. A reader who follows a link to a segment wants
more: around segments every point is kept, as long as these are not so many
that the page would no longer open at once.
"""

from typing import Iterator, NamedTuple, Optional

import numpy as np

from gluonts_lai.plot.thinning import least

from .series import Series, strongest

NUM_BINS = 400  # of a long series, up to five points each
MOST_DETAIL = 2_500  # points in and around segments
MOST_POINTS = 5 * NUM_BINS + MOST_DETAIL
MARGIN = 20  # points to show on either side of a segment, at least


class Segment(NamedTuple):
    """A run of flagged points, and the stretch of a chart to show it in."""

    series: str
    chart: int
    begin: str
    end: str  # included
    length: int
    peak: float  # the greatest probability
    strongest: float  # the greatest log-odds
    first: float  # moments of its first and its last point
    last: float
    view: tuple  # ranges of x and y to show; no y where there is no value


def drawn_points(series: Series) -> np.ndarray:
    """
    Indices of the points to draw: all of a short series; of a long one the
    extremes of each bin, flagged points, and what lies around them.
    """
    num_points = series.value.size
    if num_points <= MOST_POINTS:
        return np.arange(num_points)
    width = -(-num_points // NUM_BINS)
    extremes = (
        series.value,
        -series.value,
        -series.probability,
        series.lower,
        -series.upper,
    )
    kept = [least(array, width) for array in extremes]
    return np.unique(np.concatenate([*kept, detail(series)]))


def detail(series: Series) -> np.ndarray:
    """
    Flagged points, with as much around them as there is room for; of too many
    flagged points evenly spread ones.
    """
    segments = series.segments()
    for margin in (MARGIN, MARGIN // 2, MARGIN // 4, 0):
        edges = np.zeros(series.value.size + 1, int)
        np.add.at(edges, np.maximum(segments.begin - margin, 0), 1)
        last = np.minimum(segments.end + margin, series.value.size)
        np.add.at(edges, last, -1)
        kept = np.flatnonzero(np.cumsum(edges)[:-1])
        if kept.size <= MOST_DETAIL:
            return kept
    return kept[:: -(-kept.size // MOST_DETAIL)]


def stretches(series: Series) -> Iterator[tuple[int, int]]:
    """What to show of each segment: as much again on either side, or more."""
    segments = series.segments()
    for begin, end in zip(segments.begin, segments.end):
        margin = max(end - begin, MARGIN)
        yield max(begin - margin, 0), min(end + margin, series.value.size)


def segments_of(series: Series, chart: int) -> Iterator[Segment]:
    """The segments of the series in a chart."""
    moments = series.moments(series.value.size + 1)
    segments = series.segments()
    for begin, end, (left, right) in zip(
        segments.begin, segments.end, stretches(series)
    ):
        yield Segment(
            series.name,
            chart,
            begin=series.when(begin),
            end=series.when(end - 1),
            length=int(end - begin),
            peak=float(series.probability[begin:end].max()),
            strongest=strongest(series.score[begin:end]),
            first=moments[begin],
            last=moments[end - 1],
            view=(
                (moments[left], moments[right]),
                height(series, slice(left, right)),
            ),
        )


def height(series: Series, part: slice) -> Optional[tuple[float, float]]:
    """From the least to the greatest of what is drawn there, and a little."""
    shown = (series.value, series.expected, series.lower, series.upper)
    values = np.concatenate([array[part] for array in shown])
    values = values[np.isfinite(values)].astype(float)
    if not values.size:
        return None
    low, high = values.min(), values.max()
    margin = 0.08 * (high - low) or 1.0
    return low - margin, high + margin
