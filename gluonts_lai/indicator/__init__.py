"""
z: WHEN is a point anomalous?

A hidden two-state Markov chain, seen through two log densities at each point.
Nothing here knows of networks or data sets.
"""

from .chain import IndicatorChain
from .estimation import estimate_chain, estimate_chains
from .inference import (
    Filtered,
    Smoothed,
    expected_transitions,
    filter_chain,
    smooth_chain,
)
from .labels import condition_on_labels
from .sampling import count_transitions, sample_paths

__all__ = [
    "Filtered",
    "IndicatorChain",
    "Smoothed",
    "condition_on_labels",
    "count_transitions",
    "estimate_chain",
    "estimate_chains",
    "expected_transitions",
    "filter_chain",
    "sample_paths",
    "smooth_chain",
]
