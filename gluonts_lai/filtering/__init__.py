"""
Which points are anomalous, given what came before: of whole series at once
(:mod:`.filter`), or point by point as they arrive (:mod:`.tracks`). Both
judge a point the same way (:mod:`.judging`).
"""

from .filter import COARSE, FINE, Filter, Settled, reached

__all__ = ["COARSE", "FINE", "Filter", "Settled", "reached"]
