"""
How well are the anomalies of a series found?

Each metric takes one series: ``labels``, 1 where a point is anomalous and 0
elsewhere, and what a detector said of the same points:

    flags     1 where it raises an alarm, 0 elsewhere
    scores    any real numbers, infinite ones too; the higher, the more
              anomalous

Only the order of scores counts: probabilities and their log-odds are worth
the same, save where probabilities have become 0 or 1 and tie.

Results lie between 0 and 1; the higher, the better. (A delay is a number of
points; the lower, the better.) Of a series with no anomaly, no ranking is
better than another: whatever looks at all thresholds is NaN there. An F1 of
flags is not: it is 1 where nothing is flagged, else 0. Shares and means of
nothing are NaN.

    flags               scores
    precision, recall                       point by point
    f1                  best_f1             point by point; "best" is at the
                                            best threshold in hindsight
    adjusted_f1         best_adjusted_f1    one flagged point finds its whole
                                            segment; flattering, a random
                                            score does well. Stricter with
                                            min_share or max_delay
    segment_precision,                      segment by segment; one alarm
    segment_recall,                         without end has an F1 of 1
    segment_f1
    composite_f1        best_composite_f1   precision of points, recall of
                                            segments
    mean_delay                              from the beginning of a segment
                                            to its first flagged point
                        auc_pr              over all thresholds, point by point
                        vus_pr              over all thresholds and buffers
                                            around segments

:func:`random_control` gives what a metric makes of the same scores or flags
in random order; :func:`evaluate_detections` a table of all metrics over many
series, beside this control.
"""

from .adjusted import adjusted_f1, best_adjusted_f1
from .control import random_control
from .delay import mean_delay
from .evaluation import evaluate_detections
from .pointwise import auc_pr, best_f1, f1, precision, recall
from .ranges import vus_pr
from .segmentwise import (
    best_composite_f1,
    composite_f1,
    segment_f1,
    segment_precision,
    segment_recall,
)

__all__ = [
    "adjusted_f1",
    "auc_pr",
    "best_adjusted_f1",
    "best_composite_f1",
    "best_f1",
    "composite_f1",
    "evaluate_detections",
    "f1",
    "mean_delay",
    "precision",
    "random_control",
    "recall",
    "segment_f1",
    "segment_precision",
    "segment_recall",
    "vus_pr",
]
