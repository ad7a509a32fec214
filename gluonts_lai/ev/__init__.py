"""
How well are the anomalies of a series found?

Each function takes one series: ``labels``, 1 where a point is anomalous and 0
elsewhere, and what a detector said of the same points:

    flags     1 where it raises an alarm, 0 elsewhere
    scores    any real numbers, infinite ones too; the higher, the more
              anomalous

Only the order of scores counts: probabilities and their log-odds are worth
the same, save where probabilities have become 0 or 1 and tie.

Results lie between 0 and 1; the higher, the better. Of a series with no
anomaly, no ranking is better than another: whatever looks at all thresholds
is NaN there. ``f1`` is not: it is 1 where nothing is flagged, else 0.

    f1                  point by point, for flags
    best_f1             the same, at the best threshold in hindsight
    best_adjusted_f1    one flagged point finds its whole segment; flattering,
                        a random score does well
    auc_pr              over all thresholds, point by point
    vus_pr              over all thresholds and buffers around segments
"""

from .adjusted import best_adjusted_f1
from .pointwise import auc_pr, best_f1, f1
from .ranges import vus_pr

__all__ = ["auc_pr", "best_adjusted_f1", "best_f1", "f1", "vus_pr"]
