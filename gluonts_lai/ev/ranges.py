"""
Volume under the surface of precision and recall (Paparrizos et al. 2022).

Nobody knows to the point where an anomaly begins and ends. So each segment
gets a buffer on both sides, half of ``buffer`` points long. A point of it at
distance ``d`` is an anomaly of weight

    sqrt(1 - d / buffer)

or of weight 1 where buffers of two segments overlap. Where it is flagged, it
adds its weight to what was hit and half of it to what there was to hit; where
it is not, it costs nothing. Recall is multiplied by the share of segments of
which a point is flagged, those whose buffers overlap taken as one.

The area under precision and recall, averaged over the lengths of the buffer,
is the volume.
"""

import numpy as np

from .series import Segments, as_judged
from .sweep import Sweep


def vus_pr(
    labels: np.ndarray,
    scores: np.ndarray,
    max_buffer: int = 24,
    num_thresholds: int = 250,
) -> float:
    """
    Area under precision and recall, for segments with soft edges.

    Parameters
    ----------
    labels
        1 where a point is anomalous, 0 elsewhere; one series.
    scores
        The higher, the more anomalous. NaN results where nothing is labelled.
    max_buffer
        The average is over buffers of 0, 1, … up to this many points. The
        authors take the period of the series; ours is a day of hours.
    num_thresholds
        Number of thresholds, evenly spaced among the sorted scores; as many
        as the authors take. On longer series some are skipped, and even a
        perfect score stays below 1; with one for each point it does not.

    Examples
    --------
    An alarm that comes one point too early is worth something:

    >>> labels, scores = [0, 0, 0, 1, 1, 0], [0.0, 0.1, 0.9, 0.7, 0.5, 0.3]
    >>> round(vus_pr(labels, scores, max_buffer=0), 3)
    0.583
    >>> round(vus_pr(labels, scores, max_buffer=4), 3)
    0.758
    """
    labels, scores = as_judged(labels, scores)
    if max_buffer < 0 or num_thresholds < 2:
        raise ValueError(
            "max_buffer must be at least 0 and num_thresholds at least 2, got "
            f"{max_buffer} and {num_thresholds}; leave them out for the usual "
            "24 and 250."
        )
    if not labels.any():
        return float("nan")
    sweep = Sweep.of(scores, num_thresholds)
    buffers = range(max_buffer + 1)
    return float(np.mean([area(labels, scores, b, sweep) for b in buffers]))


def area(
    labels: np.ndarray, scores: np.ndarray, buffer: int, sweep: Sweep
) -> float:
    """Area under precision and recall, for one length of the buffer."""
    segments = Segments.of(labels)
    num_hits = sweep.hits(soften(labels, segments, buffer))
    num_buffered = num_hits - sweep.hits(labels)
    recall = np.minimum(num_hits / (labels.sum() + num_buffered / 2), 1)
    precision = num_hits / sweep.num_flagged

    peaks = join(segments, len(labels), buffer).highest(scores)
    recall *= sweep.num_reaching(peaks) / len(peaks)
    return float(np.diff(recall, prepend=0) @ precision)


def soften(labels: np.ndarray, segments: Segments, buffer: int) -> np.ndarray:
    """The weight of each point: 1 in segments, less in their buffers."""
    weights = np.zeros(len(labels))
    num_buffers = np.zeros(len(labels), int)
    for d in range(1, buffer // 2 + 1):
        for points in (segments.starts - d, segments.stops - 1 + d):
            points = points[(points >= 0) & (points < len(labels))]
            weights[points] = np.sqrt(1 - d / buffer)
            num_buffers[points] += 1
    weights[labels | (num_buffers > 1)] = 1
    return weights


def join(segments: Segments, length: int, buffer: int) -> Segments:
    """Segments with their buffers; those that overlap become one."""
    starts = np.maximum(segments.starts - buffer // 2, 0)
    stops = np.minimum(segments.stops + buffer // 2, length)
    apart = stops[:-1] <= starts[1:]
    first, last = np.append(True, apart), np.append(apart, True)
    return Segments(starts[first], stops[last])
