"""
Point adjustment: a true segment is found as a whole.

One flagged point finds all points of its segment (Donut: Xu et al. 2018). The
longer the segments, the better a random score does: print it beside one. Two
protocols ask for more:

    min_share    more than this share of the segment must be flagged, or else
                 its points count one by one (PA%K: Kim et al. 2022)
    max_delay    one of its first points must be flagged, at most so many
                 points after the first, or else all of them count as missed
                 (k-delay: Ren et al. 2019)

Points outside of segments count as they are.
"""

import numpy as np

from .pointwise import best_f1, f1
from .series import Segments, as_flagged, as_judged


def adjusted_f1(
    labels: np.ndarray,
    flags: np.ndarray,
    *,
    min_share: float = 0.0,
    max_delay: int | None = None,
) -> float:
    """
    F1 of the points, after point adjustment of the flags.

    Parameters
    ----------
    labels
        1 where a point is anomalous, 0 elsewhere; one series.
    flags
        1 where a point is flagged, 0 elsewhere. If nothing is labelled, the
        result is 1 where nothing is flagged, else 0.
    min_share
        A segment is found if more than this share of its points is flagged.
        With 0, one point is enough; with 1, nothing is adjusted.
    max_delay
        A segment is found if one of its points is flagged that comes at most
        so many points after its first. By default, any point will do.

    Examples
    --------
    >>> labels, flags = [0, 1, 1, 1, 1, 0], [0, 0, 1, 0, 0, 0]
    >>> adjusted_f1(labels, flags)
    1.0
    >>> adjusted_f1(labels, flags, min_share=0.25)  # precision 1, recall 1/4
    0.4
    >>> adjusted_f1(labels, flags, max_delay=0)
    0.0
    """
    labels, flags = as_flagged(labels, flags)
    return f1(labels, adjust(labels, flags, min_share, max_delay))


def best_adjusted_f1(
    labels: np.ndarray,
    scores: np.ndarray,
    *,
    min_share: float = 0.0,
    max_delay: int | None = None,
) -> float:
    """
    The highest :func:`adjusted_f1` that any threshold on the scores gives.

    Parameters
    ----------
    labels
        1 where a point is anomalous, 0 elsewhere; one series.
    scores
        The higher, the more anomalous. NaN results where nothing is labelled.
    min_share, max_delay
        As in :func:`adjusted_f1`.

    Examples
    --------
    >>> best_adjusted_f1([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.5])  # at 0.9
    1.0
    """
    labels, scores = as_judged(labels, scores)
    return best_f1(labels, adjust(labels, scores, min_share, max_delay))


def adjust(
    labels: np.ndarray,
    scores: np.ndarray,
    min_share: float,
    max_delay: int | None,
) -> np.ndarray:
    """Scores that rise above a threshold where a point counts as found."""
    check_protocol(min_share, max_delay)
    segments = Segments.of(labels)
    lengths = segments.stops - segments.starts
    adjusted = scores.astype(float)
    if max_delay is not None:
        ends = np.minimum(segments.starts + max_delay + 1, segments.stops)
        found = Segments(segments.starts, ends).highest(scores)
        adjusted[labels] = np.repeat(found, lengths)
    else:
        parts = [adjusted[a:b] for a, b in zip(*segments)]
        found = np.array([level(part, min_share) for part in parts])
        adjusted[labels] = np.maximum(
            adjusted[labels], np.repeat(found, lengths)
        )
    return adjusted


def level(scores: np.ndarray, min_share: float) -> float:
    """The highest threshold that flags more than a share of the scores."""
    shares = np.arange(1, len(scores) + 1) / len(scores)
    falling = np.append(-np.sort(-scores), -np.inf)  # all are not enough
    return float(falling[np.searchsorted(shares, min_share, side="right")])


def check_protocol(min_share: float, max_delay: int | None) -> None:
    if not 0.0 <= min_share <= 1.0:
        raise ValueError(
            f"min_share must lie between 0 and 1, got {min_share!r}; it is a "
            "share of a segment, 0.2 for 20 %."
        )
    if max_delay is None:
        return
    if max_delay < 0 or max_delay != int(max_delay):
        raise ValueError(
            "max_delay must be a whole number of points, at least 0, got "
            f"{max_delay!r}; 0 asks for the first point of a segment, None "
            "for any."
        )
    if min_share > 0:
        raise ValueError(
            "min_share and max_delay are two protocols, got "
            f"{min_share!r} and {max_delay!r}; leave one of them out."
        )
