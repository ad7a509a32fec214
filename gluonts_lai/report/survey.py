"""
Which of many series are worth a chart?

Detections pass by once. Of each series a line of numbers is kept, of the
first in the ranking all that it takes to draw them.
"""

import heapq
from typing import Iterable, NamedTuple

from gluonts_lai.detection import Detection

from .series import Series, Summary, series_of


class Survey(NamedTuple):
    """All series, and those to draw: the most flagged points first."""

    summaries: list[Summary]
    drawn: list[Series]  # of the first summaries, in the same order

    @classmethod
    def of(
        cls, detections: Iterable[Detection], threshold: float, top: int
    ) -> "Survey":
        """What was found, with up to ``top`` series to draw."""
        summaries: list[Summary] = []
        best: list[tuple] = []  # a heap, the least of them first
        for position, detection in enumerate(detections):
            for series in series_of(detection, position, threshold):
                summary = Summary.of(series)
                # Of equals the first, and series are never compared.
                heapq.heappush(best, (*summary.rank, -len(summaries), series))
                summaries.append(summary)
                if len(best) > top:
                    heapq.heappop(best)
        drawn = [series for *_, series in sorted(best, reverse=True)]
        ranked = sorted(summaries, key=lambda s: s.rank, reverse=True)
        return cls(ranked, drawn)

    @property
    def num_found(self) -> int:
        """Series with a flagged point."""
        return sum(summary.num_flagged > 0 for summary in self.summaries)

    def total(self, field: str) -> int:
        """Sum of one field of the summaries."""
        return sum(getattr(summary, field) for summary in self.summaries)
